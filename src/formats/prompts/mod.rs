//! Prompts as tracing tools keep them: a message list in the words of whatever framework made the call.
//!
//! A tool hands on what it was given, so the shape is told by content alone: bodies and lists of every API, lists of
//! lists, LangChain's messages, messages of the OpenTelemetry conventions, each perhaps as JSON in a string, perhaps
//! twice. LangChain's and OpenTelemetry's messages are turned into those of OpenAI Chat; what the framework's adapter
//! made of them for another API is never told.

use serde_json::{Map, Value, json};

use crate::dialects;
use crate::model::{Fields, Message, Request};

mod langchain;
mod otel;
pub(super) mod status;

/// The most times that JSON stands inside a string of JSON.
const NESTED: usize = 3;

/// The members under which a prompt keeps its message list.
const LISTS: &[&str] = &["messages", "contents", "input"];

/// What an answer of Responses repeats of its request.
const REPEATED: &[&str] = &["instructions", "tools", "previous_response_id", "max_output_tokens", "store"];

/// The request that a kept prompt was, with the parameters that stand beside it and what its answer tells of it.
pub(super) fn request(prompt: Value, parameters: Fields, answer: &Value) -> Result<Request, String> {
    let answer = unpacked(answer.clone());
    let mut body = match unpacked(prompt) {
        Value::Array(list) if answer["object"] == "response" || answer["output"].is_array() => {
            let repeated = REPEATED.iter().filter_map(|name| Some(((*name).to_owned(), answer.get(*name)?.clone())));
            let list = std::iter::once(("input".to_owned(), Value::Array(list)));
            list.chain(repeated.filter(|(_, value)| !value.is_null())).collect()
        }
        Value::Array(list) => parted(list),
        Value::Object(fields) => match LISTS.iter().find(|list| fields.get(**list).is_some_and(Value::is_array)) {
            Some(_) => fields,
            None if is_message(&Value::Object(fields.clone())) => parted(vec![Value::Object(fields)]),
            None => return Err("the prompt is an object without a message list: no chat call".to_owned()),
        },
        Value::String(_) => return Err("the prompt was kept as plain text: its messages cannot be told".to_owned()),
        _ => return Err("the prompt was not kept".to_owned()),
    };
    for name in LISTS {
        if let Some(Value::Array(list)) = body.get_mut(*name) {
            let (messages, tools) = told_apart(flat(std::mem::take(list))?);
            *list = messages.into_iter().flat_map(in_chat).collect();
            if !tools.is_empty() {
                body.entry("tools").or_insert(Value::Array(tools));
            }
        }
    }
    for (name, value) in parameters {
        body.entry(name).or_insert(value);
    }
    let body = Value::Object(body);
    let dialect = dialects::detect(&body).ok_or("the prompt holds no message of a known API")?;
    (dialect.parse)(body)
}

/// What the model answered, in the language of the request.
pub(super) fn answer(output: Value, request: &Request) -> Vec<Message> {
    let dialect = dialects::for_api(request.api);
    let output = match unpacked(output) {
        Value::Array(mut said) if said.len() == 1 => said.remove(0),
        other => other,
    };
    let said = (dialect.answer)(&output);
    if !said.is_empty() {
        return said;
    }
    let messages = in_chat(output).into_iter().filter(is_message);
    messages.filter(|message| message["role"] == "assistant").map(dialect.parse_message).collect()
}

/// A value, read once more as long as it is JSON in a string.
pub(super) fn unpacked(mut value: Value) -> Value {
    for _ in 0..NESTED {
        let Value::String(text) = &value else { break };
        match serde_json::from_str(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => value = inner,
            _ => break,
        }
    }
    value
}

/// A list under the member that its messages belong to.
fn parted(list: Vec<Value>) -> Fields {
    let first_of = |wanted: fn(&Value) -> bool| list.iter().any(wanted);
    let is_item = |entry: &Value| entry.get("role").is_none() && entry.get("call_id").is_some();
    let is_content = |entry: &Value| entry.get("parts").is_some_and(|parts| !otel::are_parts(parts));
    let name = match () {
        () if first_of(is_item) => "input",
        () if first_of(is_content) => "contents",
        () => "messages",
    };
    Map::from_iter([(name.to_owned(), Value::Array(list))])
}

/// The one list of a list of lists.
fn flat(list: Vec<Value>) -> Result<Vec<Value>, String> {
    match list.as_slice() {
        [Value::Array(inner)] => Ok(inner.clone()),
        [Value::Array(_), ..] => Err(format!("the call holds {} prompts at once: none is replayed", list.len())),
        _ => Ok(list),
    }
}

/// Messages, and the definitions of tools that a tracer put among them.
fn told_apart(list: Vec<Value>) -> (Vec<Value>, Vec<Value>) {
    let is_tool = |entry: &Value| entry["role"] == "tool" && entry["content"]["type"] == "function";
    let (tools, messages): (Vec<Value>, Vec<Value>) = list.into_iter().partition(is_tool);
    (messages, tools.into_iter().map(|mut tool| tool["content"].take()).collect())
}

/// A message in the words of OpenAI Chat, if it is in those of a framework; else as it is.
fn in_chat(message: Value) -> Vec<Value> {
    if otel::is_message(&message) {
        return otel::in_chat(&message);
    }
    vec![langchain::in_chat(message)]
}

fn is_message(value: &Value) -> bool {
    value.get("role").is_some_and(Value::is_string) || langchain::is_message(value) || otel::is_message(value)
}

/// A tool call in the words of OpenAI Chat.
fn chat_call(id: Option<&Value>, name: Option<&Value>, arguments: Option<&Value>) -> Value {
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "{}".to_owned(),
    };
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}
