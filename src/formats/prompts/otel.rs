//! Messages of the OpenTelemetry conventions for generative AI: a role and a list of typed parts.

use serde_json::{Map, Value, json};

use super::chat_call;

/// Whether a value is one of its messages.
pub(super) fn is_message(value: &Value) -> bool {
    value.get("role").is_some_and(Value::is_string) && value.get("parts").is_some_and(are_parts)
}

/// Whether a list of parts is in its words: parts of Gemini have no `type`.
pub(super) fn are_parts(parts: &Value) -> bool {
    parts.as_array().is_some_and(|parts| parts.iter().all(|part| part.get("type").is_some()))
}

/// The message in the words of OpenAI Chat: one, or one for each result it holds.
pub(super) fn in_chat(message: &Value) -> Vec<Value> {
    let parts = message["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of_type = |kind: &'static str| parts.iter().filter(move |part| part["type"] == kind);
    let mut chat: Vec<Value> = of_type("tool_call_response").map(result).collect();
    let content: Vec<Value> = parts.iter().filter_map(block).collect();
    let calls: Vec<Value> =
        of_type("tool_call").map(|part| chat_call(part.get("id"), part.get("name"), part.get("arguments"))).collect();
    if content.is_empty() && calls.is_empty() && !chat.is_empty() {
        return chat;
    }
    let mut said = Map::new();
    said.insert("role".to_owned(), message["role"].clone());
    said.insert("content".to_owned(), if content.is_empty() { Value::Null } else { Value::Array(content) });
    let reasoning: Vec<&str> = of_type("reasoning").filter_map(|part| part["content"].as_str()).collect();
    if !reasoning.is_empty() {
        said.insert("reasoning".to_owned(), reasoning.concat().into());
    }
    if !calls.is_empty() {
        said.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    chat.push(Value::Object(said));
    chat
}

fn result(part: &Value) -> Value {
    let said = ["response", "result", "content"].iter().find_map(|name| part.get(*name));
    let content = match said {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    json!({"role": "tool", "tool_call_id": part.get("id"), "content": content})
}

/// A part that is content; calls, results and reasoning stand elsewhere.
fn block(part: &Value) -> Option<Value> {
    match part["type"].as_str()? {
        "tool_call" | "tool_call_response" | "reasoning" => None,
        "text" => Some(json!({"type": "text", "text": part.get("content").or_else(|| part.get("text"))})),
        _ => Some(part.clone()),
    }
}
