//! Messages around a fault: who speaks, a line a block, the one at fault marked with `>`.

use crate::model::{Api, Arguments, Body, Form, Message, Part, Role, ToolResult, ToolUse};

use super::screen::{Ink, Screen, columns, fit};

/// Messages shown before and behind the one at fault.
const AROUND: usize = 2;

/// Blocks shown of one message.
const BLOCKS: usize = 6;

/// The column in which the roles stand.
const ROLES: usize = 9;

/// The most of a block's text that is looked at: more columns than any line has.
const LOOKED_AT: usize = 2_000;

/// Where the fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub message: usize,
    /// The blocks at fault; the message as a whole where there is none.
    pub block: Option<usize>,
}

/// The messages around a fault; nothing where there is no such message.
pub(super) fn around(screen: &Screen, api: Api, messages: &[Message], fault: Fault) -> String {
    if fault.message >= messages.len() {
        return String::new();
    }
    let from = fault.message.saturating_sub(AROUND);
    let to = (fault.message + AROUND + 1).min(messages.len());
    let frame = Frame { screen, api, digits: (to - 1).to_string().len() };
    let mut out = frame.left_out(from, "before");
    for (index, message) in messages.iter().enumerate().take(to).skip(from) {
        out.push_str(&frame.message(index, message, (index == fault.message).then_some(fault)));
    }
    out.push_str(&frame.left_out(messages.len() - to, "behind"));
    out
}

/// What the lines of one drawing share.
pub(super) struct Frame<'s> {
    pub screen: &'s Screen,
    pub api: Api,
    pub digits: usize,
}

impl Frame<'_> {
    pub fn left_out(&self, n: usize, side: &str) -> String {
        match n {
            0 => String::new(),
            1 => self.line(' ', "…", "", &format!("1 message {side}"), Ink::Quiet),
            _ => self.line(' ', "…", "", &format!("{n} messages {side}"), Ink::Quiet),
        }
    }

    fn message(&self, index: usize, message: &Message, fault: Option<Fault>) -> String {
        let (number, role) = (index.to_string(), role(self.api, &message.role));
        if message.parts.is_empty() {
            return self.pointed(fault.is_some(), &number, role, &hollow(&message.form));
        }
        let at = fault.and_then(|fault| fault.block);
        let (from, to) = window(message.parts.len(), at.unwrap_or(0));
        let mut out = String::new();
        for (block, part) in message.parts.iter().enumerate().take(to).skip(from) {
            let is_first = block == from;
            let is_at = match at {
                Some(at) => at == block,
                None => is_first,
            };
            let (number, role) = if is_first { (number.as_str(), role) } else { ("", "") };
            out.push_str(&self.pointed(fault.is_some() && is_at, number, role, &said(part)));
        }
        let hidden = message.parts.len() - (to - from);
        if hidden > 0 {
            out.push_str(&self.line(' ', "", "", &format!("… {hidden} more blocks"), Ink::Quiet));
        }
        out
    }

    /// One line, pointed at where it is at fault.
    fn pointed(&self, is_at_fault: bool, number: &str, role: &str, text: &str) -> String {
        let (mark, ink) = if is_at_fault { ('>', Ink::Bad) } else { (' ', Ink::Quiet) };
        self.line(mark, number, role, text, ink)
    }

    /// One line behind a mark.
    pub fn line(&self, mark: char, number: &str, role: &str, text: &str, ink: Ink) -> String {
        let role = fit(role, ROLES);
        let gap = ROLES - columns(&role);
        let head = format!("    {mark} {number:>digits$}  {role}{:gap$}  ", "", digits = self.digits);
        let line = format!("{head}{}", fit(text, self.screen.width.saturating_sub(columns(&head))));
        format!("{}\n", self.screen.paint(ink, line.trim_end()))
    }
}

/// The blocks that are shown of so many, so that the one at fault is among them.
fn window(n: usize, at: usize) -> (usize, usize) {
    let from = if at < BLOCKS { 0 } else { at + 1 - BLOCKS };
    (from.min(n), (from + BLOCKS).min(n))
}

/// The role as its API names it.
pub(super) fn role(api: Api, role: &Role) -> &str {
    match role {
        Role::Assistant if api == Api::GeminiGenerateContent => "model",
        Role::Other(name) if name.is_empty() => "-",
        role => role.as_str(),
    }
}

/// What stands where a message has no block.
pub(super) fn hollow(form: &Form) -> String {
    match form {
        Form::Absent => "no content".to_owned(),
        Form::Null => "content null".to_owned(),
        Form::Text => "content \"\"".to_owned(),
        Form::List => "content []".to_owned(),
        Form::Other(value) => format!("content {value}"),
    }
}

/// What a block says, on one line.
pub(super) fn said(part: &Part) -> String {
    match &part.body {
        Body::Text(text) => quoted(text),
        Body::ToolUse(call) => called(call),
        Body::ToolResult(result) => answered(result),
        Body::Thinking(thinking) if thinking.redacted => "redacted thinking".to_owned(),
        Body::Thinking(thinking) => format!("thinking {}", quoted(&thinking.text)),
        Body::Image(_) => "image".to_owned(),
        Body::Other(value) => value.to_string(),
    }
}

fn called(call: &ToolUse) -> String {
    let arguments = match &call.arguments {
        Arguments::Text(text) => head(text).to_owned(),
        Arguments::Json(value) => value.to_string(),
    };
    format!("tool use {} {}({arguments})", named(call.id.as_deref()), call.name)
}

fn answered(result: &ToolResult) -> String {
    let says = match result.content.as_slice() {
        [] => hollow(&result.form),
        [first] => said(first),
        [first, rest @ ..] => format!("{} … {} more", said(first), rest.len()),
    };
    let kind = if result.is_error { "failed tool result" } else { "tool result" };
    format!("{kind} {} {says}", named(result.id.as_deref()))
}

fn named(id: Option<&str>) -> &str {
    id.unwrap_or("without id")
}

fn quoted(text: &str) -> String {
    let head = head(text);
    let close = if head.len() < text.len() { "" } else { "\"" };
    format!("\"{head}{close}")
}

/// The beginning of a text.
fn head(text: &str) -> &str {
    match text.char_indices().nth(LOOKED_AT) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
