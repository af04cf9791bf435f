//! OpenAI Chat Completions: calls stand beside `content` in `tool_calls`, results are messages of role `tool`.
//!
//! An assistant message has its content first and its calls behind; a tool message is one result, whose form the
//! message repeats. `tool_calls` that are empty, or hold something that is no object, stay in `extra` whole. Facts:
//! the vendor's API reference; the legacy `function_call` is still taken.

use serde_json::Value;

use super::{Dialect, bare, foreign, foreign_value, put, put_all, put_arguments, put_name, put_text, signs};
use super::{read_content, split, take_arguments, take_name, take_role, take_text, tokens, write_content};
use crate::model::{
    Api, Arguments, Body, Fields, Form, Message, Part, Preface, Request, Role, ToolResult, ToolUse, ToolUseKind,
};

pub(super) const DIALECT: Dialect = Dialect {
    id: "openai.chat",
    about: "OpenAI Chat Completions, on Azure and on the many servers that speak it",
    api: Api::OpenaiChat,
    sniff,
    parse,
    render,
    parse_message,
    render_message,
    answer,
};

fn sniff(body: &Value) -> bool {
    signs::are_chat(body)
}

fn parse(body: Value) -> Result<Request, String> {
    let (mut fields, messages) = split(body, "messages")?;
    Ok(Request {
        api: Api::OpenaiChat,
        model: take_text(&mut fields, "model"),
        system: Preface::default(),
        tools: fields.shift_remove("tools"),
        // Two members may say it, so both stay where they are.
        max_output: tokens(&fields, "max_completion_tokens").or_else(|| tokens(&fields, "max_tokens")),
        list: Form::List,
        messages: messages.into_iter().map(parse_message).collect(),
        extra: fields,
        counted: None,
    })
}

fn render(request: &Request) -> Value {
    let mut fields = Fields::new();
    put_text(&mut fields, "model", request.model.as_deref());
    put(&mut fields, "messages", Some(request.messages.iter().map(render_message).collect()));
    put(&mut fields, "tools", request.tools.clone());
    if !request.extra.contains_key("max_tokens") {
        put(&mut fields, "max_completion_tokens", request.max_output.map(Value::from));
    }
    put_all(&mut fields, &request.extra);
    Value::Object(fields)
}

fn parse_message(value: Value) -> Message {
    let Value::Object(mut fields) = value else { return foreign(value) };
    let role = take_role(&mut fields);
    let (form, mut parts) = read_content(fields.shift_remove("content"), parse_block);
    match role {
        Role::Assistant => parts.extend(parse_calls(&mut fields)),
        Role::Tool | Role::Function => {
            let id = if role == Role::Tool { take_text(&mut fields, "tool_call_id") } else { None };
            parts =
                vec![bare(Body::ToolResult(ToolResult { id, form: form.clone(), content: parts, is_error: false }))];
        }
        _ => {}
    }
    Message { role, form, parts, extra: fields }
}

/// The members of an answer that a client sends back; of those only `content` may be null.
const SENT_BACK: &[&str] =
    &["content", "tool_calls", "function_call", "refusal", "name", "reasoning_content", "prefix"];

fn answer(body: &Value) -> Vec<Message> {
    let message = body.pointer("/choices/0/message").or_else(|| body.get("message")).unwrap_or(body);
    let is_answer = message.get("role").is_none_or(|role| role == "assistant");
    super::spoken(message, SENT_BACK).filter(|_| is_answer).map(parse_message).into_iter().collect()
}

fn render_message(message: &Message) -> Value {
    if let Some(value) = foreign_value(message) {
        return value.clone();
    }
    let mut fields = Fields::new();
    put_name(&mut fields, "role", message.role.as_str());
    match message.parts.as_slice() {
        [Part { body: Body::ToolResult(result), .. }] => {
            put_text(&mut fields, "tool_call_id", result.id.as_deref());
            put(&mut fields, "content", write_content(&result.form, result.content.iter(), render_block));
        }
        parts => {
            let content = parts.iter().filter(|part| !matches!(part.body, Body::ToolUse(_)));
            put(&mut fields, "content", write_content(&message.form, content, render_block));
            render_calls(&mut fields, parts);
        }
    }
    put_all(&mut fields, &message.extra);
    Value::Object(fields)
}

fn parse_block(value: Value) -> Part {
    let Value::Object(mut fields) = value else { return bare(Body::Other(value)) };
    let is_text = fields.get("text").is_some_and(Value::is_string);
    match fields.get("type").and_then(Value::as_str) {
        Some("text") if is_text => {
            fields.shift_remove("type");
            let text = take_text(&mut fields, "text").unwrap_or_default();
            Part { body: Body::Text(text), extra: fields }
        }
        Some("image_url") => bare(Body::Image(Value::Object(fields))),
        _ => bare(Body::Other(Value::Object(fields))),
    }
}

fn render_block(part: &Part) -> Value {
    match &part.body {
        Body::Image(value) | Body::Other(value) => value.clone(),
        Body::Text(text) => {
            let mut fields = Fields::new();
            put_name(&mut fields, "type", "text");
            put_text(&mut fields, "text", Some(text));
            put_all(&mut fields, &part.extra);
            Value::Object(fields)
        }
        // No member of a Chat message carries these as blocks; parsing never makes them.
        Body::ToolUse(_) | Body::ToolResult(_) | Body::Thinking(_) => Value::Null,
    }
}

/// The calls of an assistant message, those of `tool_calls` before a legacy one.
fn parse_calls(fields: &mut Fields) -> Vec<Part> {
    let mut calls = Vec::new();
    let understood = |entries: &Vec<Value>| !entries.is_empty() && entries.iter().all(Value::is_object);
    if fields.get("tool_calls").and_then(Value::as_array).is_some_and(understood)
        && let Some(Value::Array(entries)) = fields.shift_remove("tool_calls")
    {
        calls.extend(entries.into_iter().map(parse_call));
    }
    if fields.get("function_call").is_some_and(Value::is_object)
        && let Some(Value::Object(call)) = fields.shift_remove("function_call")
    {
        calls.push(parse_legacy(call));
    }
    calls
}

/// A call whose entry says more, or less, than the usual members keeps `type` and what is left of its payload in
/// `extra`; that is how [`render_call`] knows.
fn parse_call(entry: Value) -> Part {
    let Value::Object(mut extra) = entry else { return bare(Body::Other(entry)) };
    let id = take_text(&mut extra, "id");
    let (member, said) = payload(&extra);
    let (mut name, mut arguments) = (String::new(), Arguments::Json(Value::Null));
    if let Some(Value::Object(payload)) = extra.get_mut(member) {
        name = take_name(payload, "name");
        arguments = take_arguments(payload, said);
        let is_usual = member == "function" && payload.is_empty() && says_anything(&name, &arguments);
        if is_usual && extra.get("type").and_then(Value::as_str) == Some("function") {
            extra.shift_remove("type");
            extra.shift_remove("function");
        }
    }
    Part { body: Body::ToolUse(ToolUse { kind: ToolUseKind::Client, id, name, arguments }), extra }
}

/// The member that holds what is called, and the one in it that holds the arguments.
fn payload(entry: &Fields) -> (&'static str, &'static str) {
    if entry.contains_key("custom") && !entry.contains_key("function") {
        ("custom", "input")
    } else {
        ("function", "arguments")
    }
}

fn says_anything(name: &str, arguments: &Arguments) -> bool {
    !name.is_empty() || *arguments != Arguments::Json(Value::Null)
}

fn parse_legacy(mut call: Fields) -> Part {
    let name = take_name(&mut call, "name");
    let arguments = take_arguments(&mut call, "arguments");
    let call_use = ToolUse { kind: ToolUseKind::LegacyFunction, id: None, name, arguments };
    Part { body: Body::ToolUse(call_use), extra: call }
}

fn render_calls(fields: &mut Fields, parts: &[Part]) {
    let mut entries = Vec::new();
    for part in parts {
        match &part.body {
            Body::ToolUse(call) if call.kind == ToolUseKind::LegacyFunction => {
                let mut legacy = Fields::new();
                put_call(&mut legacy, call, "arguments");
                put_all(&mut legacy, &part.extra);
                put(fields, "function_call", Some(Value::Object(legacy)));
            }
            Body::ToolUse(call) => entries.push(render_call(call, &part.extra)),
            _ => {}
        }
    }
    if !entries.is_empty() {
        put(fields, "tool_calls", Some(Value::Array(entries)));
    }
}

fn render_call(call: &ToolUse, extra: &Fields) -> Value {
    let mut fields = Fields::new();
    put_text(&mut fields, "id", call.id.as_deref());
    let as_written = ["type", "function", "custom"].iter().any(|name| extra.contains_key(*name));
    if !as_written && says_anything(&call.name, &call.arguments) {
        put_name(&mut fields, "type", "function");
        let mut function = Fields::new();
        put_call(&mut function, call, "arguments");
        put(&mut fields, "function", Some(Value::Object(function)));
    }
    put_all(&mut fields, extra);
    let (member, said) = payload(extra);
    if let Some(Value::Object(payload)) = fields.get_mut(member)
        && as_written
    {
        put_call(payload, call, said);
    }
    Value::Object(fields)
}

fn put_call(payload: &mut Fields, call: &ToolUse, said: &str) {
    put_name(payload, "name", &call.name);
    put_arguments(payload, said, &call.arguments);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(message: Value) -> Message {
        let parsed = parse_message(message.clone());
        assert_eq!(render_message(&parsed), message);
        parsed
    }

    #[test]
    fn a_tool_message_is_one_result_whose_form_it_repeats() {
        let message = check(json!({"role": "tool", "tool_call_id": "c1", "content": "calm"}));
        assert_eq!(message.form, Form::Text);
        assert!(
            matches!(&message.parts[..], [Part { body: Body::ToolResult(result), .. }] if result.content.len() == 1)
        );
    }

    #[test]
    fn calls_of_every_shape_keep_their_id() {
        let message = check(json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "b", "type": "custom", "custom": {"name": "g", "input": "x"}},
            {"id": "c", "index": 2, "function": {"name": "f", "arguments": {"n": 1}}},
            {"id": "d"},
            {"id": "e", "type": "function", "function": {}},
        ]}));
        let ids = message.parts.iter().filter_map(|part| match &part.body {
            Body::ToolUse(call) => call.id.as_deref(),
            _ => None,
        });
        assert_eq!(ids.collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    }
}
