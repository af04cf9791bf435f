//! OpenAI Responses: `input` is a string or a list of items, each item one message of ours.
//!
//! A call, an output and a reasoning item are messages of one part, with `type`, the item's `id` and `status` in the
//! message's `extra`. Items that only the server understands (searches, references, compactions) stay as written.
//! Facts: the vendor's API reference.

use serde_json::Value;

use super::{Dialect, bare, foreign, kind, put, put_all, put_arguments, put_name, put_text};
use super::{read_content, take_arguments, take_name, take_role, take_text, tokens, write_content};
use crate::model::{
    Api, Body, Fields, Form, Message, Part, Preface, Request, Role, Thinking, ToolResult, ToolUse, ToolUseKind,
};

pub(super) const DIALECT: Dialect = Dialect {
    id: "openai.responses",
    about: "OpenAI Responses, on Azure and on the servers that speak it",
    api: Api::OpenaiResponses,
    sniff,
    parse,
    render,
    parse_message,
    render_message,
    answer,
};

/// Members that say where the rest of the history is; a body with one of them may do without `input`.
const SOURCES: &[&str] = &["previous_response_id", "conversation", "prompt"];

/// Members of embedding requests, which have an `input` too.
const EMBEDDING: &[&str] = &["encoding_format", "dimensions", "input_type", "voice"];

fn sniff(body: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| body.get(name).is_some());
    let is_list = body.get("input").is_some_and(Value::is_array);
    let input = is_list || body.get("input").is_some_and(Value::is_string);
    let said = body.get("model").is_some_and(Value::is_string) || has(&["instructions"]) || has(SOURCES) || is_list;
    // An answer repeats members of its request.
    let is_answer = body.get("object").is_some_and(|object| object == "response");
    (input || has(&SOURCES[..2])) && said && !is_answer && !has(&["messages", "contents"]) && !has(EMBEDDING)
}

fn parse(body: Value) -> Result<Request, String> {
    let Value::Object(mut fields) = body else {
        return Err(format!("a request body must be a JSON object, but this is {}", kind(&body)));
    };
    if !fields.contains_key("input") && !SOURCES.iter().any(|name| fields.contains_key(*name)) {
        return Err("the request has no `input` list".to_owned());
    }
    let (list, messages) = match fields.shift_remove("input") {
        None => (Form::Absent, Vec::new()),
        Some(Value::Array(items)) => (Form::List, items.into_iter().map(parse_message).collect()),
        Some(Value::String(text)) => (Form::Text, vec![spoken(text)]),
        Some(other) => return Err(format!("`input` must be a list, but here it is {}", kind(&other))),
    };
    let (form, parts) = match take_text(&mut fields, "instructions") {
        Some(text) => (Form::Text, vec![bare(Body::Text(text))]),
        None => (Form::Absent, Vec::new()),
    };
    Ok(Request {
        api: Api::OpenaiResponses,
        model: take_text(&mut fields, "model"),
        system: Preface { form, parts },
        tools: fields.shift_remove("tools"),
        max_output: tokens(&fields, "max_output_tokens"),
        list,
        messages,
        extra: fields,
        counted: None,
    })
}

/// The message that a bare string stands for.
fn spoken(text: String) -> Message {
    let parts = vec![bare(Body::Text(text))];
    Message { role: Role::User, form: Form::Text, parts, extra: Fields::new() }
}

fn render(request: &Request) -> Value {
    let mut fields = Fields::new();
    put_text(&mut fields, "model", request.model.as_deref());
    put(&mut fields, "instructions", write_content(&request.system.form, request.system.parts.iter(), render_block));
    let input = match (&request.list, request.messages.as_slice()) {
        (Form::Absent, []) => None,
        (Form::Text, [only]) => write_content(&Form::Text, only.parts.iter(), render_block),
        (_, items) => Some(items.iter().map(render_message).collect()),
    };
    put(&mut fields, "input", input);
    put(&mut fields, "tools", request.tools.clone());
    put_all(&mut fields, &request.extra);
    Value::Object(fields)
}

fn parse_message(value: Value) -> Message {
    let Value::Object(mut fields) = value else { return foreign(value) };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("message").to_owned();
    if kind == "message" {
        let role = take_role(&mut fields);
        let (form, parts) = read_content(fields.shift_remove("content"), parse_block);
        return Message { role, form, parts, extra: fields };
    }
    let (role, body) = match payload(&kind) {
        Some(said) => (Role::Assistant, parse_call(&mut fields, said)),
        None if is_output(&kind) => (Role::Tool, parse_output(&mut fields)),
        None if kind == "reasoning" => (Role::Assistant, parse_reasoning(&mut fields)),
        None => return as_written(fields),
    };
    Message { role, form: Form::Absent, parts: vec![bare(body)], extra: fields }
}

/// The member that holds the arguments of a call that the client must answer.
fn payload(kind: &str) -> Option<&'static str> {
    match kind {
        "function_call" => Some("arguments"),
        "custom_tool_call" => Some("input"),
        "local_shell_call" | "shell_call" | "computer_call" => Some("action"),
        "apply_patch_call" => Some("operation"),
        _ => None,
    }
}

/// The output of one of these calls.
fn is_output(kind: &str) -> bool {
    kind.strip_suffix("_output").is_some_and(|call| payload(call).is_some())
}

fn parse_call(fields: &mut Fields, said: &str) -> Body {
    Body::ToolUse(ToolUse {
        kind: ToolUseKind::Client,
        id: take_text(fields, "call_id"),
        name: take_name(fields, "name"),
        arguments: take_arguments(fields, said),
    })
}

fn parse_output(fields: &mut Fields) -> Body {
    let id = take_text(fields, "call_id");
    let (form, content) = read_content(fields.shift_remove("output"), parse_block);
    Body::ToolResult(ToolResult { id, form, content, is_error: false })
}

fn parse_reasoning(fields: &mut Fields) -> Body {
    let signature = take_text(fields, "encrypted_content");
    Body::Thinking(Thinking { text: String::new(), signature, redacted: true })
}

/// An item that we do not look into; what a model or its server wrote is the assistant's.
fn as_written(fields: Fields) -> Message {
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    let role = if kind.ends_with("_call") { Role::Assistant } else { Role::Other("".into()) };
    Message { role, form: Form::Absent, parts: vec![bare(Body::Other(Value::Object(fields)))], extra: Fields::new() }
}

fn answer(body: &Value) -> Vec<Message> {
    let items = body.get("output").and_then(Value::as_array);
    items.into_iter().flatten().cloned().map(parse_message).collect()
}

fn render_message(message: &Message) -> Value {
    let mut fields = Fields::new();
    let kind = message.extra.get("type").and_then(Value::as_str).unwrap_or_default();
    match message.parts.as_slice() {
        [Part { body: Body::Other(value), .. }] if message.form == Form::Absent => return value.clone(),
        [Part { body: Body::ToolUse(call), .. }] => {
            put_text(&mut fields, "call_id", call.id.as_deref());
            put_name(&mut fields, "name", &call.name);
            put_arguments(&mut fields, payload(kind).unwrap_or("arguments"), &call.arguments);
        }
        [Part { body: Body::ToolResult(result), .. }] => {
            put_text(&mut fields, "call_id", result.id.as_deref());
            put(&mut fields, "output", write_content(&result.form, result.content.iter(), render_block));
        }
        [Part { body: Body::Thinking(thinking), .. }] => {
            put_text(&mut fields, "encrypted_content", thinking.signature.as_deref());
        }
        parts => {
            put_name(&mut fields, "role", message.role.as_str());
            put(&mut fields, "content", write_content(&message.form, parts.iter(), render_block));
        }
    }
    put_all(&mut fields, &message.extra);
    Value::Object(fields)
}

/// A block of a message or of an output; a text keeps its `type`, which tells input from output.
fn parse_block(value: Value) -> Part {
    let Value::Object(mut fields) = value else { return bare(Body::Other(value)) };
    let is_text = fields.get("text").is_some_and(Value::is_string);
    match fields.get("type").and_then(Value::as_str) {
        Some("input_text" | "output_text" | "text") if is_text => {
            let text = take_text(&mut fields, "text").unwrap_or_default();
            Part { body: Body::Text(text), extra: fields }
        }
        Some("input_image") => bare(Body::Image(Value::Object(fields))),
        _ => bare(Body::Other(Value::Object(fields))),
    }
}

fn render_block(part: &Part) -> Value {
    match &part.body {
        Body::Image(value) | Body::Other(value) => value.clone(),
        Body::Text(text) => {
            let mut fields = Fields::new();
            put_text(&mut fields, "text", Some(text));
            put_all(&mut fields, &part.extra);
            Value::Object(fields)
        }
        // These are items, never blocks; parsing never makes them here.
        Body::ToolUse(_) | Body::ToolResult(_) | Body::Thinking(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(item: Value) -> Message {
        let parsed = parse_message(item.clone());
        assert_eq!(render_message(&parsed), item);
        parsed
    }

    #[test]
    fn a_call_of_every_kind_has_its_call_id() {
        for kind in ["function_call", "custom_tool_call", "local_shell_call", "computer_call", "apply_patch_call"] {
            let message = check(json!({"type": kind, "id": "x_1", "call_id": "k", "status": "completed"}));
            assert!(matches!(&message.parts[0].body, Body::ToolUse(call) if call.id.as_deref() == Some("k")), "{kind}");
            let message = check(json!({"type": format!("{kind}_output"), "call_id": "k", "output": "hot"}));
            assert!(matches!(&message.parts[0].body, Body::ToolResult(_)), "{kind}");
        }
    }

    #[test]
    fn a_bare_string_is_written_as_one() {
        let body = json!({"model": "gpt-5", "input": "Kiln?", "instructions": null});
        assert_eq!(render(&parse(body.clone()).unwrap()), body);
    }
}
