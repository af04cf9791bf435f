//! Anthropic Messages: text, tools and thinking are blocks of `content`; the system text stands outside the list.
//!
//! Facts: the vendor's API reference. Bedrock InvokeModel and Vertex write the same bodies.

use serde_json::Value;

use super::{Dialect, bare, foreign, foreign_value, put, put_all, put_name, put_text, signs};
use super::{read_content, split, take_name, take_present, take_role, take_text, tokens, write_content};
use crate::model::{
    Api, Arguments, Body, Fields, Form, Message, Part, Preface, Request, Thinking, ToolResult, ToolUse, ToolUseKind,
};

pub(super) const DIALECT: Dialect = Dialect {
    id: "anthropic.messages",
    about: "Anthropic Messages, first party, on Bedrock InvokeModel and on Vertex",
    api: Api::AnthropicMessages,
    sniff,
    parse,
    render,
    parse_message,
    render_message,
    answer,
};

fn sniff(body: &Value) -> bool {
    signs::are_anthropic(body)
}

fn parse(body: Value) -> Result<Request, String> {
    let (mut fields, messages) = split(body, "messages")?;
    let (form, parts) = read_content(fields.shift_remove("system"), parse_block);
    let max_output = tokens(&fields, "max_tokens");
    if max_output.is_some() {
        fields.shift_remove("max_tokens");
    }
    Ok(Request {
        api: Api::AnthropicMessages,
        model: take_text(&mut fields, "model"),
        system: Preface { form, parts },
        tools: fields.shift_remove("tools"),
        max_output,
        list: Form::List,
        messages: messages.into_iter().map(parse_message).collect(),
        extra: fields,
        counted: None,
    })
}

fn render(request: &Request) -> Value {
    let mut fields = Fields::new();
    put_text(&mut fields, "model", request.model.as_deref());
    put(&mut fields, "max_tokens", request.max_output.map(Value::from));
    put(&mut fields, "system", write_content(&request.system.form, request.system.parts.iter(), render_block));
    put(&mut fields, "tools", request.tools.clone());
    put(&mut fields, "messages", Some(request.messages.iter().map(render_message).collect()));
    put_all(&mut fields, &request.extra);
    Value::Object(fields)
}

fn parse_message(value: Value) -> Message {
    let Value::Object(mut fields) = value else { return foreign(value) };
    let role = take_role(&mut fields);
    let (form, parts) = read_content(fields.shift_remove("content"), parse_block);
    Message { role, form, parts, extra: fields }
}

fn answer(body: &Value) -> Vec<Message> {
    let is_answer = body.get("role").is_none_or(|role| role == "assistant");
    super::spoken(body, &["content"]).filter(|_| is_answer).map(parse_message).into_iter().collect()
}

fn render_message(message: &Message) -> Value {
    if let Some(value) = foreign_value(message) {
        return value.clone();
    }
    let mut fields = Fields::new();
    put_name(&mut fields, "role", message.role.as_str());
    put(&mut fields, "content", write_content(&message.form, message.parts.iter(), render_block));
    put_all(&mut fields, &message.extra);
    Value::Object(fields)
}

fn parse_block(value: Value) -> Part {
    match block_type(&value) {
        "text" if is_text(&value, "text") => with_fields(value, |fields| Body::Text(need(fields, "text"))),
        "tool_use" => with_fields(value, |fields| Body::ToolUse(parse_call(fields))),
        "tool_result" => with_fields(value, |fields| Body::ToolResult(parse_result(fields))),
        "thinking" if is_text(&value, "thinking") => with_fields(value, |fields| {
            let text = need(fields, "thinking");
            Body::Thinking(Thinking { text, signature: take_text(fields, "signature"), redacted: false })
        }),
        "redacted_thinking" if is_text(&value, "data") => with_fields(value, |fields| {
            Body::Thinking(Thinking { text: need(fields, "data"), signature: None, redacted: true })
        }),
        "image" => bare(Body::Image(value)),
        _ => bare(Body::Other(value)),
    }
}

fn block_type(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_text(value: &Value, name: &str) -> bool {
    value.get(name).is_some_and(Value::is_string)
}

/// A part whose body takes what it needs from the members of a block; the type goes without saying.
fn with_fields(value: Value, body: impl FnOnce(&mut Fields) -> Body) -> Part {
    let Value::Object(mut fields) = value else { return bare(Body::Other(value)) };
    fields.shift_remove("type");
    Part { body: body(&mut fields), extra: fields }
}

fn need(fields: &mut Fields, name: &str) -> String {
    take_text(fields, name).unwrap_or_default()
}

fn parse_call(fields: &mut Fields) -> ToolUse {
    ToolUse {
        kind: ToolUseKind::Client,
        id: take_text(fields, "id"),
        name: take_name(fields, "name"),
        arguments: Arguments::Json(take_present(fields, "input").unwrap_or_default()),
    }
}

fn parse_result(fields: &mut Fields) -> ToolResult {
    let id = take_text(fields, "tool_use_id");
    let is_error = fields.get("is_error") == Some(&Value::Bool(true));
    if is_error {
        fields.shift_remove("is_error");
    }
    let (form, content) = read_content(fields.shift_remove("content"), parse_block);
    ToolResult { id, form, content, is_error }
}

fn render_block(part: &Part) -> Value {
    let mut fields = Fields::new();
    match &part.body {
        Body::Image(value) | Body::Other(value) => return value.clone(),
        Body::Text(text) => {
            put_name(&mut fields, "type", "text");
            put_text(&mut fields, "text", Some(text));
        }
        Body::ToolUse(call) => render_call(&mut fields, call),
        Body::ToolResult(result) => render_result(&mut fields, result),
        Body::Thinking(thinking) => {
            let (kind, member) =
                if thinking.redacted { ("redacted_thinking", "data") } else { ("thinking", "thinking") };
            put_name(&mut fields, "type", kind);
            put_text(&mut fields, member, Some(&thinking.text));
            put_text(&mut fields, "signature", thinking.signature.as_deref());
        }
    }
    put_all(&mut fields, &part.extra);
    Value::Object(fields)
}

fn render_call(fields: &mut Fields, call: &ToolUse) {
    put_name(fields, "type", "tool_use");
    put_text(fields, "id", call.id.as_deref());
    put_name(fields, "name", &call.name);
    match &call.arguments {
        Arguments::Json(Value::Null) => {}
        Arguments::Json(value) => put(fields, "input", Some(value.clone())),
        Arguments::Text(text) => put_text(fields, "input", Some(text)),
    }
}

fn render_result(fields: &mut Fields, result: &ToolResult) {
    put_name(fields, "type", "tool_result");
    put_text(fields, "tool_use_id", result.id.as_deref());
    put(fields, "content", write_content(&result.form, result.content.iter(), render_block));
    if result.is_error {
        put(fields, "is_error", Some(Value::Bool(true)));
    }
}
