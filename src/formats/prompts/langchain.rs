//! LangChain's messages: `{"lc": 1, "id": [..., "AIMessage"], "kwargs": {...}}`, or their members with a `type`.

use serde_json::{Map, Value};

use super::chat_call;

/// Types of messages, as LangChain writes them, and their roles.
const ROLES: &[(&str, &str)] = &[
    ("human", "user"),
    ("ai", "assistant"),
    ("system", "system"),
    ("developer", "developer"),
    ("tool", "tool"),
    ("function", "function"),
];

/// Members that only LangChain reads.
const OWN: &[&str] = &["type", "id", "example", "additional_kwargs", "response_metadata", "usage_metadata", "artifact"];

/// Whether a value is one of its messages.
pub(super) fn is_message(value: &Value) -> bool {
    value.get("kwargs").is_some() || (value.get("role").is_none() && role(value).is_some())
}

/// The role of a message by its type, or by the name of its class.
fn role(message: &Value) -> Option<&'static str> {
    let class = message.get("id").and_then(|path| path.as_array()?.last()?.as_str());
    let name = class.or_else(|| message.get("type")?.as_str())?;
    let name = name.trim_end_matches("Chunk").trim_end_matches("Message").to_ascii_lowercase();
    ROLES.iter().find(|(kind, _)| *kind == name).map(|(_, role)| *role)
}

/// The message in the words of OpenAI Chat; one that is not LangChain's stays as it is.
pub(super) fn in_chat(mut message: Value) -> Value {
    let role = role(&message);
    let is_own = is_message(&message) || message.get("additional_kwargs").is_some();
    let Value::Object(fields) = message.get_mut("kwargs").map(Value::take).unwrap_or(message) else {
        return Value::Null;
    };
    if !is_own {
        return Value::Object(fields);
    }
    let raw = fields.get("additional_kwargs").cloned().unwrap_or_default();
    let calls = calls(&fields, &raw);
    let mut chat = Map::new();
    let role = fields.get("role").cloned().or_else(|| role.map(Value::from));
    chat.extend(role.map(|role| ("role".to_owned(), role)));
    for (name, value) in fields {
        let is_hollow = value.is_null() || name == "invalid_tool_calls" || name == "status";
        if !OWN.contains(&name.as_str()) && name != "role" && name != "tool_calls" && !is_hollow {
            chat.insert(name, value);
        }
    }
    if !calls.is_empty() {
        without_calls(&mut chat);
        chat.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Value::Object(chat)
}

/// Its calls: as the provider wrote them, else as LangChain does.
fn calls(fields: &Map<String, Value>, raw: &Value) -> Vec<Value> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let written = list(raw.get("tool_calls"));
    if !written.is_empty() {
        return written;
    }
    let own = list(fields.get("tool_calls")).into_iter().map(|call| match call.get("function") {
        Some(_) => call,
        None => chat_call(call.get("id"), call.get("name"), call.get("args")),
    });
    own.collect()
}

/// Takes the calls out of the content, where an adapter wrote them there as well.
fn without_calls(chat: &mut Map<String, Value>) {
    if let Some(Value::Array(blocks)) = chat.get_mut("content") {
        blocks.retain(|block| block["type"] != "tool_use" && block["type"] != "function_call");
    }
}
