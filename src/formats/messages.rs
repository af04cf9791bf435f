//! Bare message lists: one JSON array of messages, a line a message, a line a list, or objects with `messages` beside
//! members that no request has.
//!
//! The messages are OpenAI Chat's or Anthropic's and are told apart by their content: roles `tool` and `system` and
//! `tool_calls` speak for the one, blocks such as `tool_use` for the other, and Chat is taken where nothing speaks. The
//! session is the object's `id`, `conversation_id` or `thread_id`, else the place in the file; `model`, `system` and
//! `tools` beside the list are taken. Calls are implied. Nothing else is there: no time, status, usage or compactions,
//! and what was compacted away before the list was written is gone.

use std::io;

use serde_json::{Value, json};

use super::{Format, Shape, bodies};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Conversation, Gaps, Place, Record};

/// The format `messages`.
pub const FORMAT: Format = Format {
    id: "messages",
    about: "bare message lists of OpenAI Chat or Anthropic Messages, no requests",
    shape: Shape::Conversation,
    sniff,
    read,
};

/// Members that mark a message of another log.
const FOREIGN: &[&str] = &["type", "parts", "ts", "tool_call_ids", "message_type", "session", "request", "turn_idx"];

/// What ids of a list are called.
const IDS: &[&str] = &["id", "conversation_id", "thread_id"];

fn sniff(frame: &Frame) -> bool {
    match &frame.value {
        Value::Array(list) => !list.is_empty() && list.iter().all(is_message),
        Value::Object(_) => is_message(&frame.value) || is_list(&frame.value),
        _ => false,
    }
}

/// Whether a value is a message as one of the APIs takes it.
fn is_message(value: &Value) -> bool {
    let has = |member: &str| value.get(member).is_some();
    let role = value.get("role").and_then(Value::as_str);
    let roles = ["system", "developer", "user", "assistant", "tool", "function"];
    let speaks = has("content") || has("tool_calls") || has("function_call");
    role.is_some_and(|role| roles.contains(&role)) && speaks && !FOREIGN.iter().any(|member| has(member))
}

/// Whether an object holds a list of messages and is neither a request nor another log.
fn is_list(value: &Value) -> bool {
    let messages = value.get("messages").and_then(Value::as_array);
    messages.is_some_and(|list| !list.is_empty() && list.iter().all(is_message)) && !bodies::is_known(value)
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let whole = frames.place();
    let mut loose = Vec::new();
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) if is_message(&frame.value) => loose.push(frame.value),
            Ok(frame) => match conversation(frame.value, frame.place.clone()) {
                Ok(conversation) => emit(Record::Conversation(Box::new(conversation))),
                Err(reason) => emit(super::defect(frame.place, reason)),
            },
        }
    }
    if !loose.is_empty()
        && let Ok(conversation) = conversation(Value::Array(loose), whole)
    {
        emit(Record::Conversation(Box::new(conversation)));
    }
    Ok(())
}

/// The conversation of a list, or of an object around one.
fn conversation(value: Value, place: Place) -> Result<Conversation, String> {
    let body = if value.is_array() { json!({ "messages": value }) } else { value };
    if !super::has_messages(&body, "messages") {
        return Err("neither a message nor a list of messages".to_owned());
    }
    let session = super::name(&body, IDS).unwrap_or_else(|| place.to_string());
    let api = dialects::detect(&body).map_or(Api::OpenaiChat, |dialect| dialect.api);
    let request = (dialects::for_api(api).parse)(body)?;
    Ok(Conversation {
        place,
        session,
        parent: None,
        api,
        model: request.model,
        preface: request.system,
        tools: request.tools,
        messages: request.messages,
        calls: None,
        compactions: Vec::new(),
        gaps: Gaps::default(),
    })
}
