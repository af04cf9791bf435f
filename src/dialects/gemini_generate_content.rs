//! Google Gemini `generateContent`: `contents` of `parts`, the system text outside in `systemInstruction`.
//!
//! Members come in camel case or in snake case. What is left of a part's payload once id, name and arguments are taken
//! stays in the part's `extra` under the payload's own name, so rendering knows how it was spelled. Facts: the vendor's
//! API reference.

use serde_json::Value;

use super::{Dialect, bare, foreign, foreign_value, put, put_all, put_arguments, put_name, put_text};
use super::{read_content, split, take_name, take_present, take_text, tokens, write_content};
use crate::model::{
    Api, Arguments, Body, Fields, Form, Message, Part, Preface, Request, Role, Thinking, ToolResult, ToolUse,
    ToolUseKind,
};

pub(super) const DIALECT: Dialect = Dialect {
    id: "gemini.generate_content",
    about: "Google Gemini generateContent, in AI Studio and on Vertex",
    api: Api::GeminiGenerateContent,
    sniff,
    parse,
    render,
    parse_message,
    render_message,
    answer,
};

const CALL: [&str; 2] = ["functionCall", "function_call"];
const RESPONSE: [&str; 2] = ["functionResponse", "function_response"];
const SYSTEM: [&str; 2] = ["systemInstruction", "system_instruction"];

fn sniff(body: &Value) -> bool {
    body.get("contents").is_some_and(Value::is_array) && body.get("messages").is_none()
}

fn parse(body: Value) -> Result<Request, String> {
    let (mut fields, contents) = split(body, "contents")?;
    let system = match payload(&mut fields, SYSTEM) {
        Some(content) => {
            let (form, parts) = read_content(content.shift_remove("parts"), parse_part);
            Preface { form, parts }
        }
        None => Preface::default(),
    };
    Ok(Request {
        api: Api::GeminiGenerateContent,
        model: take_text(&mut fields, "model"),
        system,
        tools: fields.shift_remove("tools"),
        max_output: most_output(&fields),
        list: Form::List,
        messages: contents.into_iter().map(parse_message).collect(),
        extra: fields,
        counted: None,
    })
}

fn most_output(fields: &Fields) -> Option<u32> {
    let config = ["generationConfig", "generation_config"].iter().find_map(|name| fields.get(*name)?.as_object())?;
    tokens(config, "maxOutputTokens").or_else(|| tokens(config, "max_output_tokens"))
}

fn render(request: &Request) -> Value {
    let mut fields = Fields::new();
    put_text(&mut fields, "model", request.model.as_deref());
    put(&mut fields, "contents", Some(request.messages.iter().map(render_message).collect()));
    put(&mut fields, "tools", request.tools.clone());
    put_all(&mut fields, &request.extra);
    if let Some(content) = payload(&mut fields, SYSTEM) {
        put(content, "parts", write_content(&request.system.form, request.system.parts.iter(), render_part));
    }
    Value::Object(fields)
}

/// The object under the first of these names.
fn payload<'a>(fields: &'a mut Fields, names: [&str; 2]) -> Option<&'a mut Fields> {
    let name = names.into_iter().find(|name| fields.get(*name).is_some_and(Value::is_object))?;
    fields.get_mut(name)?.as_object_mut()
}

fn parse_message(value: Value) -> Message {
    let Value::Object(mut fields) = value else { return foreign(value) };
    let role = match take_name(&mut fields, "role").as_str() {
        "model" => Role::Assistant,
        // Their name here is another.
        "assistant" => Role::Other("assistant".into()),
        other => Role::from_name(other),
    };
    let (form, parts) = read_content(fields.shift_remove("parts"), parse_part);
    Message { role, form, parts, extra: fields }
}

fn answer(body: &Value) -> Vec<Message> {
    let content = body.pointer("/candidates/0/content").unwrap_or(body);
    let says = content.get("parts").and_then(Value::as_array).is_some_and(|parts| !parts.is_empty());
    if says { vec![parse_message(content.clone())] } else { Vec::new() }
}

fn render_message(message: &Message) -> Value {
    if let Some(value) = foreign_value(message) {
        return value.clone();
    }
    let mut fields = Fields::new();
    let role = if message.role == Role::Assistant { "model" } else { message.role.as_str() };
    put_name(&mut fields, "role", role);
    put(&mut fields, "parts", write_content(&message.form, message.parts.iter(), render_part));
    put_all(&mut fields, &message.extra);
    Value::Object(fields)
}

fn parse_part(value: Value) -> Part {
    let Value::Object(mut fields) = value else { return bare(Body::Other(value)) };
    let is_thought = fields.get("thought").and_then(Value::as_bool) == Some(true);
    let body = if let Some(call) = payload(&mut fields, CALL) {
        parse_call(call)
    } else if let Some(response) = payload(&mut fields, RESPONSE) {
        parse_response(response)
    } else if let Some(text) = take_text(&mut fields, "text") {
        match is_thought {
            true => Body::Thinking(Thinking { text, signature: None, redacted: false }),
            false => Body::Text(text),
        }
    } else if is_image(&fields) {
        return bare(Body::Image(Value::Object(fields)));
    } else {
        return bare(Body::Other(Value::Object(fields)));
    };
    Part { body, extra: fields }
}

fn is_image(fields: &Fields) -> bool {
    let data = ["inlineData", "inline_data", "fileData", "file_data"].iter().find_map(|name| fields.get(*name));
    let kind = data.and_then(|data| data.get("mimeType").or_else(|| data.get("mime_type"))?.as_str());
    kind.is_some_and(|kind| kind.starts_with("image/"))
}

fn parse_call(call: &mut Fields) -> Body {
    let (id, name) = (take_text(call, "id"), take_name(call, "name"));
    let is_text = call.get("args").is_some_and(Value::is_string);
    let arguments = match take_present(call, "args") {
        Some(Value::String(text)) if is_text => Arguments::Text(text),
        other => Arguments::Json(other.unwrap_or_default()),
    };
    Body::ToolUse(ToolUse { kind: ToolUseKind::Client, id, name, arguments })
}

/// A response keeps its name in the rest of its payload: a result of ours has none.
fn parse_response(response: &mut Fields) -> Body {
    let id = take_text(response, "id");
    let content: Vec<Part> =
        response.shift_remove("response").map(|value| bare(Body::Other(value))).into_iter().collect();
    let form = if content.is_empty() { Form::Absent } else { Form::List };
    Body::ToolResult(ToolResult { id, form, content, is_error: false })
}

fn render_part(part: &Part) -> Value {
    let mut fields = part.extra.clone();
    match &part.body {
        Body::Image(value) | Body::Other(value) => return value.clone(),
        Body::Text(text) | Body::Thinking(Thinking { text, .. }) => put_text(&mut fields, "text", Some(text)),
        Body::ToolUse(call) => {
            let payload = own_payload(&mut fields, CALL);
            put_text(payload, "id", call.id.as_deref());
            put_name(payload, "name", &call.name);
            put_arguments(payload, "args", &call.arguments);
        }
        Body::ToolResult(result) => {
            let payload = own_payload(&mut fields, RESPONSE);
            put_text(payload, "id", result.id.as_deref());
            if let [Part { body: Body::Other(value), .. }] = result.content.as_slice() {
                put(payload, "response", Some(value.clone()));
            }
        }
    }
    Value::Object(fields)
}

/// The payload under one of these names, made where there is none.
fn own_payload<'a>(fields: &'a mut Fields, names: [&str; 2]) -> &'a mut Fields {
    if payload(fields, names).is_none() {
        fields.insert(names[0].to_owned(), Value::Object(Fields::new()));
    }
    payload(fields, names).expect("it was just put there")
}
