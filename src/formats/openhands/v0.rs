//! Events of OpenHands V0: actions and observations, with the model's whole response on each that came from one.
//!
//! The `finish` action goes back as plain text, without its tool call, as the client sends it. Actions that name no
//! response (older files) are text of the assistant, and observations that name no call are the user's.

use serde_json::Value;

use super::{API, Stream};
use crate::formats::script;
use crate::model::{Part, Role};

/// Actions and observations that never reach the model.
const SILENT: &[&str] = &[
    "change_agent_state",
    "agent_state_changed",
    "recall",
    "null",
    "condensation_request",
    "initialize",
    "start",
    "think_observation",
];

/// Whether a value is an event.
pub fn is_event(value: &Value) -> bool {
    let is = |member: &str| value.get(member).is_some_and(Value::is_string);
    (is("action") || is("observation"))
        && (is("source") || value.get("args").is_some() || value.get("extras").is_some())
}

/// Takes an event in; false where it says nothing on the wire.
pub fn event(stream: &mut Stream, event: &Value) -> bool {
    let kind = |member: &str| event.get(member).and_then(Value::as_str);
    match (kind("action"), kind("observation")) {
        (Some(silent), _) | (_, Some(silent)) if SILENT.contains(&silent) => false,
        (Some(action), _) => self::action(stream, event, action),
        (_, Some(observation)) => self::observation(stream, event, observation),
        _ => false,
    }
}

fn action(stream: &mut Stream, event: &Value, kind: &str) -> bool {
    let args = event.get("args").unwrap_or(&Value::Null);
    let time = crate::formats::time(event.get("timestamp"));
    let by_user = event.get("source").is_some_and(|source| source == "user");
    match kind {
        "system" => {
            stream.tools = args.get("tools").filter(|tools| tools.is_array()).cloned();
            stream.script.say(Role::System, script::content(args.get("content")));
        }
        "condensation" => stream.condensed(args, time),
        "message" if by_user => stream.script.say(Role::User, script::content(args.get("content"))),
        _ if by_user => return false,
        "message" => {
            stream.turn(String::new(), time, script::content(args.get("content")));
        }
        _ => return answered(stream, event, kind),
    }
    true
}

/// An action that the model asked for.
fn answered(stream: &mut Stream, event: &Value, kind: &str) -> bool {
    let args = event.get("args").unwrap_or(&Value::Null);
    let time = crate::formats::time(event.get("timestamp"));
    let response = event.pointer("/tool_call_metadata/model_response").unwrap_or(&Value::Null);
    let id = crate::formats::name(response, &["id"]).unwrap_or_default();
    if !id.is_empty() && stream.is_open(&id) {
        return true;
    }
    let message = response.pointer("/choices/0/message").unwrap_or(&Value::Null);
    let mut parts = script::content(message.get("content"));
    let calls = message.get("tool_calls").and_then(Value::as_array);
    match calls {
        Some(calls) if kind != "finish" => parts.extend(calls.iter().map(tool_use)),
        _ if parts.is_empty() => parts.extend(told(args, event)),
        _ => {}
    }
    stream.model = stream.model.take().or_else(|| crate::formats::name(response, &["model"]));
    let call = stream.turn(id, time, parts);
    call.reply.usage = crate::formats::usage(response.get("usage"));
    true
}

fn tool_use(call: &Value) -> Part {
    let name = call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
    script::tool_use(API, crate::formats::name(call, &["id"]), name, call.pointer("/function/arguments"))
}

/// What an action says where the response is not there.
fn told(args: &Value, event: &Value) -> Vec<Part> {
    let members = ["final_thought", "thought", "command", "code", "content", "path", "url"];
    let said = members.iter().filter_map(|member| args.get(*member)?.as_str()).filter(|said| !said.is_empty());
    let said: Vec<&str> = said.collect();
    if said.is_empty() { script::content(event.get("message")) } else { vec![script::text(said.join("\n"))] }
}

fn observation(stream: &mut Stream, event: &Value, kind: &str) -> bool {
    let content = script::content(event.get("content"));
    match event.pointer("/tool_call_metadata/tool_call_id").and_then(Value::as_str) {
        Some(id) => stream.script.answer(script::result(Some(id.to_owned()), content, kind == "error")),
        None => {
            stream.script.say(Role::User, content);
            true
        }
    }
}
