//! Calls without a result get one that says so, as an agent loop should have written it.

use serde_json::{Value, json};

use crate::model::{Api, Body, Fields, Form, Message, Part, Role, ToolResult, ToolUse, ToolUseKind};
use crate::transcript::pairs::{Ask, Fate, Group};
use crate::transcript::{PartKind, Prompt, Site, Speaker};

use super::draft::{Draft, text};
use super::{Round, ids};

/// What a result says that nobody gave.
const LOST: &str = "No result: this tool call was interrupted or its result was lost.";

/// Answers every call that has no result, where its result belongs.
pub(super) fn answer_open(round: &Round, draft: &mut Draft) {
    if draft.api() == Api::OpenaiResponses && ids::part_open(round, draft) {
        return;
    }
    for group in &round.pairs.groups {
        let open: Vec<&Ask> = round.pairs.asks_of(group).iter().filter(|ask| ask.fate == Fate::Open).collect();
        let Some(seat) = open.first().map(|_| seat(&round.prompt, group, round.pairs.asks_of(group))) else { continue };
        let mut parts = Vec::new();
        for ask in open {
            let call = draft.part(ask.site).clone();
            let Body::ToolUse(said) = &call.body else { continue };
            let name = round.name(ask.id);
            if draft.api() == Api::OpenaiResponses && kind(draft, ask) == "computer_call" {
                draft.say(ask.site, format!("drop computer call {name}: its result would be a screenshot"));
                draft.drop_block(ask.site);
                continue;
            }
            draft.say(ask.site, format!("answer tool call {name} with an error: no result of it is there"));
            match seat {
                Seat::Message(before) if is_message(draft.api()) => {
                    let message = message(draft, ask, said);
                    draft.put_message(before, message);
                }
                Seat::Message(_) => parts.push(part(draft.api(), &call, said)),
                Seat::Block(before) => draft.put_block(before, part(draft.api(), &call, said)),
            }
        }
        if let (Seat::Message(before), false) = (seat, parts.is_empty()) {
            draft.put_message(before, Message { parts, ..shell() });
        }
    }
}

/// Where results of a group belong: before a block of a user message, or as messages before a position.
#[derive(Clone, Copy)]
pub(super) enum Seat {
    Block(Site),
    Message(usize),
}

/// Where another result of a group belongs.
pub(super) fn seat(prompt: &Prompt, group: &Group, asks: &[Ask]) -> Seat {
    let last = asks.last().map_or(0, |ask| ask.site.message as usize);
    let kind = |position: usize| prompt.entry(position).parts.first().map(|part| part.kind);
    let run = || last + 1..prompt.len();
    match prompt.api() {
        Api::OpenaiResponses => {
            let is_pair = |position: &usize| matches!(kind(*position), Some(PartKind::ToolUse | PartKind::ToolResult));
            Seat::Message(run().take_while(is_pair).last().unwrap_or(last) + 1)
        }
        Api::OpenaiChat | Api::MistralChat if group.run.is_empty() => Seat::Message(last + 1),
        Api::OpenaiChat | Api::MistralChat => Seat::Message(group.run.end as usize),
        _ if group.run.is_empty() => {
            let is_said = |position: &usize| prompt.entry(*position).message.speaker == Speaker::Assistant;
            Seat::Message(run().take_while(is_said).last().unwrap_or(last) + 1)
        }
        _ => {
            let first = prompt.entry(group.run.start as usize).parts;
            let results = first.iter().take_while(|part| part.kind == PartKind::ToolResult).count();
            Seat::Block(Site { message: group.run.start, block: results as u32 })
        }
    }
}

/// Whether a result is a message of its own.
pub(super) fn is_message(api: Api) -> bool {
    matches!(api, Api::OpenaiChat | Api::MistralChat | Api::OpenaiResponses)
}

/// A user's message without blocks, for results to stand in.
pub(super) fn shell() -> Message {
    Message { role: Role::User, form: Form::List, parts: Vec::new(), extra: Fields::new() }
}

/// A result that is a message of its own.
fn message(draft: &Draft, ask: &Ask, call: &ToolUse) -> Message {
    let says = |form: Form, content: Vec<Part>, id: &Option<String>| {
        let result = ToolResult { id: id.clone(), form, content, is_error: false };
        vec![Part { body: Body::ToolResult(result), extra: Fields::new() }]
    };
    let (role, form) = match draft.api() {
        Api::OpenaiResponses => (Role::Tool, Form::Absent),
        _ if call.kind == ToolUseKind::LegacyFunction => (Role::Function, Form::Text),
        _ => (Role::Tool, Form::Text),
    };
    let mut extra = Fields::new();
    if role == Role::Function {
        extra.insert("name".to_owned(), call.name.clone().into());
    }
    let mut parts = says(Form::Text, vec![text(LOST)], &call.id);
    if draft.api() == Api::OpenaiResponses {
        let kind = kind(draft, ask);
        extra.insert("type".to_owned(), format!("{kind}_output").into());
        match kind {
            "shell_call" => {
                let run = json!({"stdout": "", "stderr": LOST, "outcome": {"type": "exit", "exit_code": 1}});
                let run = Part { body: Body::Other(run), extra: Fields::new() };
                parts = says(Form::List, vec![run], &call.id);
            }
            "apply_patch_call" => {
                extra.insert("status".to_owned(), "failed".into());
            }
            _ => {}
        }
    }
    Message { role, form, parts, extra }
}

/// The type of the item that calls.
fn kind<'d>(draft: &'d Draft, ask: &Ask) -> &'d str {
    let fields = &draft.message(ask.site.message as usize).extra;
    fields.get("type").and_then(Value::as_str).unwrap_or("function_call")
}

/// A result that is a block of a message.
pub(super) fn part(api: Api, call: &Part, said: &ToolUse) -> Part {
    let is_converse = api == Api::BedrockConverse;
    let (form, content, extra) = match api {
        Api::GeminiGenerateContent => {
            let is_snake = call.extra.contains_key("function_call");
            let name = if is_snake { "function_response" } else { "functionResponse" };
            let says = Part { body: Body::Other(json!({"error": LOST})), extra: Fields::new() };
            (Form::List, vec![says], Fields::from_iter([(name.to_owned(), json!({"name": said.name}))]))
        }
        Api::BedrockConverse => {
            let extra = Fields::from_iter([("toolResult".to_owned(), json!({"status": "error"}))]);
            (Form::List, vec![text(LOST)], extra)
        }
        _ => (Form::Text, vec![text(LOST)], Fields::new()),
    };
    let is_error = is_converse || api == Api::AnthropicMessages;
    Part { body: Body::ToolResult(ToolResult { id: said.id.clone(), form, content, is_error }), extra }
}
