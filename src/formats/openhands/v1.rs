//! Events of the OpenHands SDK (V1): each has a `kind`, and tools are paired by `tool_call_id`.

use serde_json::Value;

use super::{API, Stream};
use crate::formats::script;
use crate::model::{Part, Role, Time};

/// Kinds of events that have something to do with the conversation, or are known not to.
const KINDS: &[&str] = &[
    "MessageEvent",
    "SystemPromptEvent",
    "ActionEvent",
    "ObservationEvent",
    "UserRejectObservation",
    "AgentErrorEvent",
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationStateUpdateEvent",
    "PauseEvent",
    "TokenEvent",
];

/// Whether a value is an event.
pub fn is_event(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_str).is_some_and(|kind| KINDS.contains(&kind))
}

/// Takes an event in; false where it says nothing on the wire.
pub fn event(stream: &mut Stream, event: &Value) -> bool {
    let time = crate::formats::time(event.get("timestamp"));
    match event.get("kind").and_then(Value::as_str).unwrap_or_default() {
        "SystemPromptEvent" => {
            stream.tools = event.get("tools").filter(|tools| tools.is_array()).cloned();
            let prompt = event.get("system_prompt");
            stream.script.say(Role::System, script::content(prompt.and_then(|prompt| prompt.get("text")).or(prompt)));
        }
        "MessageEvent" => said(stream, event, time),
        "ActionEvent" => {
            let mut parts = script::content(event.get("thought"));
            parts.extend(tool_use(event));
            stream.turn(crate::formats::name(event, &["llm_response_id"]).unwrap_or_default(), time, parts);
        }
        "ObservationEvent" => return result(stream, event, observed(event), false),
        "UserRejectObservation" => {
            return result(stream, event, script::content(event.get("rejection_reason")), false);
        }
        "AgentErrorEvent" => return result(stream, event, script::content(event.get("error")), true),
        "Condensation" => stream.condensed(event, time),
        _ => return false,
    }
    true
}

fn said(stream: &mut Stream, event: &Value, time: Option<Time>) {
    let parts = script::content(event.pointer("/llm_message/content"));
    if event.pointer("/llm_message/role").is_some_and(|role| role == "assistant") {
        stream.turn(crate::formats::name(event, &["llm_response_id"]).unwrap_or_default(), time, parts);
    } else {
        stream.script.say(Role::User, parts);
    }
}

fn tool_use(event: &Value) -> Option<Part> {
    let id = crate::formats::name(event, &["tool_call_id"])?;
    let name = event.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let arguments = event.pointer("/tool_call/arguments").or_else(|| event.pointer("/tool_call/function/arguments"));
    Some(script::tool_use(API, Some(id), name, arguments.or(event.get("action"))))
}

/// What a tool showed: its content, else the whole observation.
fn observed(event: &Value) -> Vec<Part> {
    let observation = event.get("observation").unwrap_or(&Value::Null);
    let content = script::content(observation.get("content").or_else(|| observation.get("output")));
    if content.is_empty() { vec![script::text(observation.to_string())] } else { content }
}

fn result(stream: &mut Stream, event: &Value, content: Vec<Part>, is_error: bool) -> bool {
    stream.script.answer(script::result(crate::formats::name(event, &["tool_call_id"]), content, is_error))
}
