//! Amazon Bedrock Converse: blocks are objects of one member that names their kind.
//!
//! What is left of a block's payload once its id, name and input are taken stays in the part's `extra` under the
//! payload's own name. `toolConfig` is the tools. Facts: the vendor's API reference.

use serde_json::Value;

use super::{Dialect, bare, foreign, foreign_value, messages, put, put_all, put_arguments, put_name, put_text};
use super::{read_content, split, take_arguments, take_name, take_role, take_text, tokens, write_content};
use crate::model::{
    Api, Body, Fields, Form, Message, Part, Preface, Request, Thinking, ToolResult, ToolUse, ToolUseKind,
};

pub(super) const DIALECT: Dialect = Dialect {
    id: "bedrock.converse",
    about: "Amazon Bedrock Converse",
    api: Api::BedrockConverse,
    sniff,
    parse,
    render,
    parse_message,
    render_message,
    answer,
};

/// Members that no other API of ours has at the top.
const MEMBERS: &[&str] = &["modelId", "toolConfig", "inferenceConfig", "additionalModelRequestFields"];

/// Members that name a block's kind.
const BLOCKS: &[&str] =
    &["text", "toolUse", "toolResult", "image", "document", "video", "reasoningContent", "cachePoint"];

/// Whether a body is of this dialect; its neighbours with a `messages` list ask before they claim one.
pub(super) fn sniff(body: &Value) -> bool {
    let Some(messages) = messages(body) else { return false };
    let blocks = || messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
    let is_block = |block: &Value| block.get("type").is_none() && BLOCKS.iter().any(|name| block.get(name).is_some());
    let is_bare = body.get("model").is_none() && blocks().next().is_some() && blocks().all(is_block);
    MEMBERS.iter().any(|name| body.get(name).is_some()) || is_bare
}

fn parse(body: Value) -> Result<Request, String> {
    let (mut fields, messages) = split(body, "messages")?;
    let (form, parts) = read_content(fields.shift_remove("system"), parse_block);
    Ok(Request {
        api: Api::BedrockConverse,
        model: take_text(&mut fields, "modelId"),
        system: Preface { form, parts },
        tools: fields.shift_remove("toolConfig"),
        max_output: fields.get("inferenceConfig").and_then(Value::as_object).and_then(|some| tokens(some, "maxTokens")),
        list: Form::List,
        messages: messages.into_iter().map(parse_message).collect(),
        extra: fields,
        counted: None,
    })
}

fn render(request: &Request) -> Value {
    let mut fields = Fields::new();
    put_text(&mut fields, "modelId", request.model.as_deref());
    put(&mut fields, "system", write_content(&request.system.form, request.system.parts.iter(), render_block));
    put(&mut fields, "messages", Some(request.messages.iter().map(render_message).collect()));
    put(&mut fields, "toolConfig", request.tools.clone());
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
    let message = body.pointer("/output/message").unwrap_or(body);
    let is_answer = message.get("role").is_some_and(|role| role == "assistant");
    super::spoken(message, &["content"]).filter(|_| is_answer).map(parse_message).into_iter().collect()
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
    let Value::Object(mut fields) = value else { return bare(Body::Other(value)) };
    let body = if let Some(call) = fields.get_mut("toolUse").and_then(Value::as_object_mut) {
        let (id, name) = (take_text(call, "toolUseId"), take_name(call, "name"));
        Body::ToolUse(ToolUse { kind: ToolUseKind::Client, id, name, arguments: take_arguments(call, "input") })
    } else if let Some(result) = fields.get_mut("toolResult").and_then(Value::as_object_mut) {
        parse_result(result)
    } else if let Some(text) = take_text(&mut fields, "text") {
        Body::Text(text)
    } else if let Some(reasoning) = fields.get_mut("reasoningContent").and_then(Value::as_object_mut) {
        parse_reasoning(reasoning)
    } else if fields.contains_key("image") {
        return bare(Body::Image(Value::Object(fields)));
    } else {
        return bare(Body::Other(Value::Object(fields)));
    };
    Part { body, extra: fields }
}

fn parse_result(result: &mut Fields) -> Body {
    let id = take_text(result, "toolUseId");
    let (form, content) = read_content(result.shift_remove("content"), parse_block);
    let is_error = result.get("status").and_then(Value::as_str) == Some("error");
    Body::ToolResult(ToolResult { id, form, content, is_error })
}

fn parse_reasoning(reasoning: &mut Fields) -> Body {
    match reasoning.get_mut("reasoningText").and_then(Value::as_object_mut) {
        Some(said) if said.get("text").is_some_and(Value::is_string) => {
            let (text, signature) = (take_text(said, "text").unwrap_or_default(), take_text(said, "signature"));
            Body::Thinking(Thinking { text, signature, redacted: false })
        }
        _ => Body::Thinking(Thinking { text: String::new(), signature: None, redacted: true }),
    }
}

fn render_block(part: &Part) -> Value {
    let mut fields = part.extra.clone();
    match &part.body {
        Body::Image(value) | Body::Other(value) => return value.clone(),
        Body::Text(text) => put_text(&mut fields, "text", Some(text)),
        Body::ToolUse(call) => {
            let payload = member(&mut fields, "toolUse");
            put_text(payload, "toolUseId", call.id.as_deref());
            put_name(payload, "name", &call.name);
            put_arguments(payload, "input", &call.arguments);
        }
        Body::ToolResult(result) => {
            let payload = member(&mut fields, "toolResult");
            put_text(payload, "toolUseId", result.id.as_deref());
            put(payload, "content", write_content(&result.form, result.content.iter(), render_block));
        }
        // Its data is in `extra`.
        Body::Thinking(thinking) if thinking.redacted => {}
        Body::Thinking(thinking) => {
            let said = member(member(&mut fields, "reasoningContent"), "reasoningText");
            put_text(said, "text", Some(&thinking.text));
            put_text(said, "signature", thinking.signature.as_deref());
        }
    }
    Value::Object(fields)
}

/// The object under that name, made where there is none.
fn member<'a>(fields: &'a mut Fields, name: &str) -> &'a mut Fields {
    if !fields.get(name).is_some_and(Value::is_object) {
        fields.insert(name.to_owned(), Value::Object(Fields::new()));
    }
    fields.get_mut(name).and_then(Value::as_object_mut).expect("it was just put there")
}
