//! Server-sent events put together to the body that a response without streaming would have.
//!
//! A stream that was cut off gives what came of it.

use serde_json::{Map, Value, json};

use crate::model::Api;

/// What a stream says.
pub struct Joined {
    pub body: Value,
    /// The error event that broke it.
    pub error: Option<Value>,
}

/// The body that a stream of events stands for.
pub fn joined(events: &[Value], api: Api) -> Joined {
    let body = match api {
        Api::AnthropicMessages => anthropic(events),
        Api::OpenaiChat | Api::MistralChat => chat(events),
        Api::OpenaiResponses => responses(events),
        Api::GeminiGenerateContent => gemini(events),
        // Its streams are binary.
        Api::BedrockConverse => Value::Null,
    };
    let error = events.iter().find_map(|event| Some(event.get("error")?).filter(|error| !error.is_null()));
    Joined { body, error: error.cloned() }
}

/// The events of a stream, by their data that is JSON.
pub fn of(text: &str) -> Vec<Value> {
    let mut events = Vec::new();
    let mut held = String::new();
    for line in text.lines().chain([""]) {
        match line.strip_prefix("data:") {
            Some(data) => held.push_str(data.trim_start()),
            None if line.is_empty() => {
                events.extend(serde_json::from_str::<Value>(&held).ok());
                held.clear();
            }
            None => {}
        }
    }
    events
}

/// Puts a text behind the one that a member holds.
fn append(fields: &mut Map<String, Value>, name: &str, more: &str) {
    match fields.get_mut(name) {
        Some(Value::String(text)) => text.push_str(more),
        _ => drop(fields.insert(name.to_owned(), more.into())),
    }
}

fn anthropic(events: &[Value]) -> Value {
    let mut message = Value::Null;
    // Each block with the JSON of its input, which comes in pieces.
    let mut blocks: Vec<(u64, Value, String)> = Vec::new();
    for event in events {
        let index = event.get("index").and_then(Value::as_u64);
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => message = event.get("message").cloned().unwrap_or_default(),
            "content_block_start" => {
                let block = event.get("content_block").cloned().unwrap_or_default();
                blocks.extend(index.map(|index| (index, block, String::new())));
            }
            "content_block_delta" => {
                let block = blocks.iter_mut().rev().find(|(number, ..)| Some(*number) == index);
                if let (Some((_, block, input)), Some(delta)) = (block, event.get("delta")) {
                    add_delta(block, input, delta);
                }
            }
            "message_delta" => add_end(&mut message, event),
            _ => {}
        }
    }
    if let Value::Object(fields) = &mut message {
        let content = blocks.into_iter().map(|(_, block, input)| with_input(block, &input)).collect();
        fields.insert("content".to_owned(), content);
    }
    message
}

fn add_delta(block: &mut Value, input: &mut String, delta: &Value) {
    let Value::Object(block) = block else { return };
    for name in ["text", "thinking", "signature"] {
        if let Some(more) = delta.get(name).and_then(Value::as_str) {
            append(block, name, more);
        }
    }
    input.push_str(delta.get("partial_json").and_then(Value::as_str).unwrap_or_default());
}

fn with_input(mut block: Value, input: &str) -> Value {
    if let (Ok(input), Value::Object(block)) = (serde_json::from_str::<Value>(input), &mut block) {
        block.insert("input".to_owned(), input);
    }
    block
}

/// The last counts and why the answer ended.
fn add_end(message: &mut Value, event: &Value) {
    for (from, to) in [(event.get("delta"), None), (event.get("usage"), Some("usage"))] {
        let place = match to {
            Some(name) => message.get_mut(name),
            None => Some(&mut *message),
        };
        if let (Some(Value::Object(fields)), Some(Value::Object(more))) = (place, from) {
            fields.extend(
                more.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.clone(), value.clone())),
            );
        }
    }
}

fn chat(events: &[Value]) -> Value {
    let mut message = Map::new();
    let mut calls: Vec<(u64, Value)> = Vec::new();
    let mut usage = Value::Null;
    for event in events {
        usage = event.get("usage").filter(|usage| usage.is_object()).cloned().unwrap_or(usage);
        let Some(Value::Object(delta)) = event.pointer("/choices/0/delta") else { continue };
        for (name, value) in delta {
            match value {
                Value::String(more) if name != "role" => append(&mut message, name, more),
                Value::Array(entries) if name == "tool_calls" => {
                    entries.iter().for_each(|entry| add_call(&mut calls, entry));
                }
                Value::Null if message.contains_key(name) => {}
                value => drop(message.insert(name.clone(), value.clone())),
            }
        }
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into_iter().map(|(_, call)| call).collect());
    }
    if message.is_empty() { Value::Null } else { json!({ "choices": [{ "message": message }], "usage": usage }) }
}

/// Adds a piece of a tool call to the call of its index.
fn add_call(calls: &mut Vec<(u64, Value)>, entry: &Value) {
    let index = entry.get("index").and_then(Value::as_u64).unwrap_or(0);
    let Some((_, call)) = calls.iter_mut().find(|(known, _)| *known == index) else {
        let mut call = entry.clone();
        call.as_object_mut().map(|fields| fields.shift_remove("index"));
        calls.push((index, call));
        return;
    };
    let more = entry.pointer("/function/arguments").and_then(Value::as_str);
    if let (Some(Value::Object(function)), Some(more)) = (call.get_mut("function"), more) {
        append(function, "arguments", more);
    }
}

/// The whole response ends the stream; without it, its finished items.
fn responses(events: &[Value]) -> Value {
    let whole = events.iter().rev().filter_map(|event| event.get("response")).find(|response| {
        let output = response.get("output").and_then(Value::as_array);
        output.is_some_and(|output| !output.is_empty())
    });
    if let Some(whole) = whole {
        return whole.clone();
    }
    let done = events.iter().filter(|event| event.get("type").is_some_and(|kind| kind == "response.output_item.done"));
    json!({ "output": done.filter_map(|event| event.get("item")).collect::<Vec<_>>() })
}

fn gemini(events: &[Value]) -> Value {
    let parts = events.iter().filter_map(|event| event.pointer("/candidates/0/content/parts")?.as_array()).flatten();
    let parts: Vec<&Value> = parts.collect();
    let usage = events.iter().rev().find_map(|event| event.get("usageMetadata"));
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }], "usageMetadata": usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(api: Api, events: &[Value], expected: Value) {
        let text: String = events.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect();
        assert_eq!(joined(&of(&(text + "data: [DONE]\n\n")), api).body, expected);
    }

    #[test]
    fn a_stream_of_messages_is_one_message() {
        check(
            Api::AnthropicMessages,
            &[
                json!({"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 3}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "So"}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "."}}),
                json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "k1", "input": {}}}),
                json!({"type": "content_block_delta", "index": 1, "delta": {"partial_json": "{\"to\":"}}),
                json!({"type": "content_block_delta", "index": 1, "delta": {"partial_json": "9}"}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}),
            ],
            json!({"role": "assistant", "content": [
                {"type": "text", "text": "So."},
                {"type": "tool_use", "id": "k1", "input": {"to": 9}}],
                "usage": {"input_tokens": 3, "output_tokens": 5}, "stop_reason": "tool_use"}),
        );
    }

    #[test]
    fn a_stream_of_chunks_is_one_choice() {
        let chunk = |delta: Value| json!({"choices": [{"delta": delta}]});
        check(
            Api::OpenaiChat,
            &[
                chunk(json!({"role": "assistant", "content": null})),
                chunk(
                    json!({"tool_calls": [{"index": 0, "id": "k1", "type": "function", "function": {"name": "kiln", "arguments": ""}}]}),
                ),
                chunk(json!({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})),
                json!({"choices": [], "usage": {"prompt_tokens": 3}}),
            ],
            json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [
                {"id": "k1", "type": "function", "function": {"name": "kiln", "arguments": "{}"}}]}}],
                "usage": {"prompt_tokens": 3}}),
        );
    }

    #[test]
    fn a_stream_of_responses_ends_with_the_whole_or_is_its_items() {
        let item = json!({"type": "message", "role": "assistant"});
        let done = json!({"type": "response.output_item.done", "item": item});
        check(Api::OpenaiResponses, &[json!({"response": {"output": []}}), done.clone()], json!({"output": [item]}));
        let whole = json!({"type": "response.completed", "response": {"output": [item], "usage": {}}});
        check(Api::OpenaiResponses, &[done, whole.clone()], whole["response"].clone());
    }

    #[test]
    fn an_error_event_breaks_a_stream() {
        let text = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
        assert_eq!(joined(&of(text), Api::AnthropicMessages).error.unwrap()["type"], "overloaded_error");
        assert!(joined(&of("data: {\"error\":null}\n\n"), Api::OpenaiChat).error.is_none());
        assert_eq!(joined(&of("no stream"), Api::OpenaiChat).body, Value::Null);
    }
}
