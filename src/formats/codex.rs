//! Codex CLI rollouts: one line an event, `{"timestamp", "type", "payload"}`, in an append-only file per thread.
//!
//! The session is `id` of the first `session_meta` line, its parent `forked_from_id`, `parent_thread_id` or the thread
//! that spawned it; later ones belong to history that a fork copied, whose calls cannot be told from its own. Codex
//! speaks OpenAI Responses; its items are written here as OpenAI Chat messages: `base_instructions` is the system
//! message, function, shell and tool-search calls are function calls, free-text ones custom calls. Reasoning (mostly
//! encrypted) and searches that the provider ran have no place there and are counted as bookkeeping.
//!
//! `response_item` lines are the conversation, `event_msg` lines tell it again and count as bookkeeping, but for
//! `token_count`: it ends a call and carries its usage, `last_token_usage`, whose input counts cached tokens in. It is
//! written again unchanged, so only one whose `total_token_usage` moved counts. An `error` event is a call that ended
//! so. The model is the first `turn_context`'s. Times are `timestamp` (ISO 8601, UTC), a call's that of its first item.
//!
//! A `compacted` line replaces all before it by `replacement_history`: what is there word for word stayed, the rest was
//! put in. Without that list (older versions) every message of the user stayed and `message` is the summary. Tokens
//! before are those of the last call, tokens after the total of the unmoved `token_count` that follows. A tool call
//! without output is answered `aborted`, as the client does when it goes on.
//!
//! The format can never tell status or body of a refused request, the tool schemas, or what an encrypted `compaction`
//! item says. Files from before the envelope (first line meta, then bare items) are read too.

use std::io;

use serde_json::{Value, json};

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Body, Part, Record, Reply, Role, SessionCall, Time, ToolResult, Usage};

/// The format `codex`.
pub const FORMAT: Format =
    Format { id: "codex", about: "session files of OpenAI's Codex CLI", shape: Shape::Transcript, sniff, read };

/// The API in whose form the items are written.
const API: Api = Api::OpenaiChat;

/// What the client answers for a call that was cut off.
const ABORTED: &str = "aborted";

fn sniff(frame: &Frame) -> bool {
    let kind = frame.value.get("type").and_then(Value::as_str).unwrap_or_default();
    let enveloped = ["session_meta", "turn_context", "response_item", "event_msg", "compacted"].contains(&kind)
        && frame.value.get("payload").is_some_and(Value::is_object);
    enveloped || is_bare_meta(&frame.value)
}

/// The first line of a file from before the envelope.
fn is_bare_meta(value: &Value) -> bool {
    let has = |member: &str| value.get(member).is_some();
    has("id") && has("timestamp") && has("instructions") && !has("type")
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut rollout = Rollout::new();
    let place = frames.place();
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => match rollout.line(&frame.value) {
                Ok(true) => {}
                Ok(false) => frames.bookkeeping(1),
                Err(reason) => emit(super::defect(frame.place, reason)),
            },
        }
    }
    if !rollout.script.is_empty() {
        let session = rollout.session.unwrap_or_else(|| place.to_string());
        let (parent, model, system) = (rollout.parent, rollout.model, rollout.system);
        let head = Head { place, session, parent, model, system, tools: None };
        emit(Record::Conversation(Box::new(rollout.script.conversation(head))));
    }
    Ok(())
}

/// A rollout while it is being read.
struct Rollout {
    script: Script,
    session: Option<String>,
    parent: Option<String>,
    model: Option<String>,
    system: Option<String>,
    /// The turn that may go on.
    open: Option<usize>,
    /// The turn whose call has no usage yet.
    unpaid: Option<usize>,
    /// Whether tools have answered in the open turn.
    answered: bool,
    total: Option<Value>,
    last: Option<Usage>,
}

impl Rollout {
    fn new() -> Rollout {
        Rollout {
            script: Script::new(API, Unanswered::Answered(ABORTED)),
            session: None,
            parent: None,
            model: None,
            system: None,
            open: None,
            unpaid: None,
            answered: false,
            total: None,
            last: None,
        }
    }

    /// Takes a line in; false where it says nothing of the conversation.
    fn line(&mut self, line: &Value) -> Result<bool, String> {
        let time = super::time(line.get("timestamp"));
        let Some(payload) = line.get("payload") else {
            return if is_bare_meta(line) { Ok(self.meta(line)) } else { self.item(line, time) };
        };
        match line.get("type").and_then(Value::as_str).unwrap_or_default() {
            "session_meta" => Ok(self.meta(payload)),
            "turn_context" => {
                self.model = self.model.take().or_else(|| super::name(payload, &["model"]));
                Ok(true)
            }
            "response_item" => self.item(payload, time),
            "compacted" => Ok(self.compacted(payload, time)),
            "event_msg" => Ok(self.event(payload, time)),
            _ => Ok(false),
        }
    }

    fn meta(&mut self, meta: &Value) -> bool {
        if self.session.is_some() {
            return false;
        }
        self.session = super::name(meta, &["id", "session_id"]);
        let spawned = meta.pointer("/source/subagent/thread_spawn");
        let spawned = spawned.and_then(|spawn| super::name(spawn, &["parent_thread_id"]));
        self.parent = super::name(meta, &["forked_from_id", "parent_thread_id"]).or(spawned);
        let instructions = meta.pointer("/base_instructions/text").or_else(|| meta.get("instructions"));
        self.system = instructions.and_then(Value::as_str).map(str::to_owned);
        true
    }

    fn item(&mut self, item: &Value, time: Option<Time>) -> Result<bool, String> {
        match read_item(item) {
            Item::Said(role, parts) => {
                self.open = None;
                self.script.say(role, parts);
            }
            Item::Turn(parts) => self.turn(parts, time),
            Item::Result(result) => {
                self.answered = true;
                let id = result.id.clone().unwrap_or_default();
                if !self.script.answer(result) {
                    return Err(format!(
                        "the output of `{id}` answers no call before it: left out, as the client does"
                    ));
                }
            }
            Item::Silent => return Ok(false),
            Item::Unknown => return Err("an item of a kind that is not known".to_owned()),
        }
        Ok(true)
    }

    /// What the model says, in the open turn or a new one.
    fn turn(&mut self, parts: Vec<Part>, time: Option<Time>) {
        match self.open {
            Some(at) if !self.answered => self.script.extend(at, parts),
            _ => {
                let call = SessionCall { time, ..SessionCall::default() };
                self.open = Some(self.script.turn(parts, Some(call)));
                self.unpaid = self.open;
                self.answered = false;
            }
        }
    }

    fn event(&mut self, event: &Value, time: Option<Time>) -> bool {
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "token_count" => self.tokens(event, time),
            "error" => {
                let reply = Reply { error: super::error_text(event.get("message")), ..Reply::default() };
                self.script.call(SessionCall { time, reply, ..SessionCall::default() });
                (self.open, self.unpaid) = (None, None);
                true
            }
            _ => false,
        }
    }

    /// Ends the open call, where the count moved; an unmoved one behind a compaction states what is left.
    fn tokens(&mut self, event: &Value, time: Option<Time>) -> bool {
        let Some(total) = event.pointer("/info/total_token_usage") else { return false };
        if self.total.as_ref() == Some(total) {
            return self.tokens_left(event);
        }
        self.total = Some(total.clone());
        self.last = usage(event.pointer("/info/last_token_usage"));
        let reply = Reply { usage: self.last, ..Reply::default() };
        self.open = None;
        match self.unpaid.take().and_then(|at| self.script.call_of(at)) {
            Some(call) => call.reply = reply,
            None => self.script.call(SessionCall { time, reply, ..SessionCall::default() }),
        }
        true
    }

    fn tokens_left(&mut self, event: &Value) -> bool {
        let left = event.pointer("/info/last_token_usage/total_tokens").and_then(Value::as_u64);
        match self.script.fresh_cut() {
            Some(cut) if cut.tokens_after.is_none() && left.is_some() => cut.tokens_after = left,
            _ => return false,
        }
        true
    }

    fn compacted(&mut self, payload: &Value, time: Option<Time>) -> bool {
        (self.open, self.unpaid) = (None, None);
        let before = self.last.map(|usage| usage.input.saturating_add(usage.output));
        let mut cut = Cut { tokens_before: before, time, ..Cut::default() };
        match payload.get("replacement_history").and_then(Value::as_array) {
            Some(items) => self.replaced(items, &mut cut),
            None => {
                cut.kept = self.script.said();
                let summary = payload.get("message").and_then(Value::as_str).unwrap_or_default();
                cut.inserted = vec![script::message(API, Role::User, vec![script::text(summary)])];
            }
        }
        self.script.cut(cut);
        true
    }

    /// What stayed of the items before, in their order, and what is new among these.
    fn replaced(&self, items: &[Value], cut: &mut Cut) {
        for item in items {
            let Item::Said(role, parts) = read_item(item) else { continue };
            let message = script::message(API, role, parts);
            match self.script.find(&message, &cut.kept) {
                Some(at) => cut.kept.push(at),
                None => cut.inserted.push(message),
            }
        }
        cut.kept.sort_unstable();
    }
}

/// What an item of the Responses API says.
enum Item {
    /// A message of anyone else.
    Said(Role, Vec<Part>),
    /// A part of what the assistant says.
    Turn(Vec<Part>),
    Result(ToolResult),
    /// Known to have no place in a Chat message.
    Silent,
    Unknown,
}

fn read_item(item: &Value) -> Item {
    let id = super::name(item, &["call_id"]);
    let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
    match item.get("type").and_then(Value::as_str).unwrap_or_default() {
        "message" => said(item),
        "function_call" => call(id, name, item.get("arguments")),
        "custom_tool_call" => Item::Turn(vec![custom_call(id, name, item.get("input"))]),
        "local_shell_call" => call(id, "local_shell", item.get("action")),
        "tool_search_call" => call(id, "tool_search", item.get("arguments")),
        "function_call_output" | "custom_tool_call_output" => Item::Result(output(id, item.get("output"))),
        "tool_search_output" => {
            let tools = item.get("tools").map(Value::to_string).unwrap_or_default();
            Item::Result(script::result(id, vec![script::text(tools)], false))
        }
        "reasoning" | "web_search_call" | "compaction" | "compaction_summary" | "ghost_snapshot" => Item::Silent,
        "image_generation_call" | "context_compaction" => Item::Silent,
        _ if item.get("record_type").is_some() => Item::Silent,
        _ => Item::Unknown,
    }
}

fn said(item: &Value) -> Item {
    let parts = content(item.get("content"));
    match item.get("role").and_then(Value::as_str).map(Role::from_name) {
        Some(Role::Assistant) => Item::Turn(parts),
        Some(role) => Item::Said(role, parts),
        None => Item::Unknown,
    }
}

/// Content items as Chat blocks.
fn content(value: Option<&Value>) -> Vec<Part> {
    let image = |url: &Value| json!({"type": "image_url", "image_url": {"url": url}});
    let mut parts = script::content(value);
    for part in &mut parts {
        if let Body::Other(block) = &part.body
            && let Some(url) = block.get("image_url")
        {
            part.body = Body::Image(image(url));
        }
    }
    parts
}

fn call(id: Option<String>, name: &str, arguments: Option<&Value>) -> Item {
    Item::Turn(vec![script::tool_use(API, id, name, arguments)])
}

fn custom_call(id: Option<String>, name: &str, input: Option<&Value>) -> Part {
    let mut part = script::tool_use(API, id, name, input);
    part.extra.insert("type".to_owned(), "custom".into());
    part.extra.insert("custom".to_owned(), json!({}));
    part
}

/// An output: a string, content items, or (once) an object with `content`.
fn output(id: Option<String>, value: Option<&Value>) -> ToolResult {
    let inner = value.and_then(|value| value.get("content")).or(value);
    script::result(id, content(inner), false)
}

/// Usage whose input counts cached tokens in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |member: &str| value?.get(member)?.as_u64();
    Some(Usage {
        input: count("input_tokens")?,
        output: count("output_tokens").unwrap_or(0),
        cache_read: count("cached_input_tokens").unwrap_or(0),
        cache_write: 0,
    })
}
