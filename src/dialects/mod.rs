//! How each API speaks: request bodies to [`Request`]s and back, without loss.
//!
//! Parsing is total on content: what a dialect does not understand stays as written (`Body::Other`, `Form::Other`,
//! `extra`), so rendering what was parsed gives the same JSON. A member of the wrong type stays in `extra` under its
//! own name, and the field that would hold it is empty. Only a body that is no request at all is an error.

use serde_json::Value;

use crate::model::{Api, Arguments, Body, Fields, Form, Message, Part, Request, Role, Tokens};

mod anthropic_messages;
mod bedrock_converse;
mod gemini_generate_content;
mod mistral_chat;
mod openai_chat;
mod openai_responses;
mod signs;

/// How one API writes requests and messages.
pub struct Dialect {
    /// The id of its API.
    pub id: &'static str,
    /// One sentence: whose language it is.
    pub about: &'static str,
    pub api: Api,
    /// Whether a JSON value looks like a request body of this API.
    pub sniff: fn(&Value) -> bool,
    /// The request of a body; the error says what is missing.
    pub parse: fn(Value) -> Result<Request, String>,
    /// The body of a request.
    pub render: fn(&Request) -> Value,
    /// One entry of the message list.
    pub parse_message: fn(Value) -> Message,
    /// The JSON of one message.
    pub render_message: fn(&Message) -> Value,
    /// What a response body says, as the messages that a client sends back; none where it is no such body.
    pub answer: fn(&Value) -> Vec<Message>,
}

/// Every dialect; at most one sniffs a given body.
pub const DIALECTS: &[Dialect] = &[
    anthropic_messages::DIALECT,
    openai_chat::DIALECT,
    openai_responses::DIALECT,
    gemini_generate_content::DIALECT,
    bedrock_converse::DIALECT,
    mistral_chat::DIALECT,
];

/// The dialect of an API.
pub fn for_api(api: Api) -> &'static Dialect {
    DIALECTS.iter().find(|dialect| dialect.api == api).expect("each API has its dialect")
}

/// The dialect in which a request body is written, if it is one.
pub fn detect(body: &Value) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| (dialect.sniff)(body))
}

/// The members of a body and its message list.
fn split(body: Value, list: &str) -> Result<(Fields, Vec<Value>), String> {
    let Value::Object(mut fields) = body else {
        return Err(format!("a request body must be a JSON object, but this is {}", kind(&body)));
    };
    match fields.shift_remove(list) {
        Some(Value::Array(messages)) => Ok((fields, messages)),
        Some(other) => Err(format!("`{list}` must be a list, but here it is {}", kind(&other))),
        None => Err(format!("the request has no `{list}` list")),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn messages(body: &Value) -> Option<&[Value]> {
    body.get("messages")?.as_array().map(Vec::as_slice)
}

/// Takes a member out if it is a string; else it stays.
fn take_text(fields: &mut Fields, name: &str) -> Option<String> {
    if !fields.get(name)?.is_string() {
        return None;
    }
    match fields.shift_remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Takes a member out if it is a string that says something; else it stays and the answer is empty.
fn take_name(fields: &mut Fields, name: &str) -> String {
    match fields.get(name) {
        Some(Value::String(text)) if !text.is_empty() => take_text(fields, name).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Takes a member out unless it is `null`.
fn take_present(fields: &mut Fields, name: &str) -> Option<Value> {
    if fields.get(name)?.is_null() {
        return None;
    }
    fields.shift_remove(name)
}

/// A number of tokens, where the member is one.
fn tokens(fields: &Fields, name: &str) -> Option<Tokens> {
    // A whole number has one spelling in JSON once signs, fractions and exponents are out.
    Tokens::try_from(fields.get(name)?.as_u64()?).ok()
}

fn take_role(fields: &mut Fields) -> Role {
    Role::from_name(&take_name(fields, "role"))
}

fn take_arguments(fields: &mut Fields, name: &str) -> Arguments {
    match take_present(fields, name) {
        Some(Value::String(text)) => Arguments::Text(text),
        other => Arguments::Json(other.unwrap_or_default()),
    }
}

fn put_arguments(fields: &mut Fields, name: &str, arguments: &Arguments) {
    match arguments {
        Arguments::Json(Value::Null) => {}
        Arguments::Json(value) => put(fields, name, Some(value.clone())),
        Arguments::Text(text) => put_text(fields, name, Some(text)),
    }
}

fn put_name(fields: &mut Fields, name: &str, text: &str) {
    if !text.is_empty() {
        fields.insert(name.to_owned(), text.into());
    }
}

fn put_text(fields: &mut Fields, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        fields.insert(name.to_owned(), text.into());
    }
}

fn put(fields: &mut Fields, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value);
    }
}

fn put_all(fields: &mut Fields, extra: &Fields) {
    for (name, value) in extra {
        fields.insert(name.clone(), value.clone());
    }
}

fn bare(body: Body) -> Part {
    Part { body, extra: Fields::new() }
}

/// How a `content` member was written, and its parts.
fn read_content(content: Option<Value>, block: fn(Value) -> Part) -> (Form, Vec<Part>) {
    match content {
        None => (Form::Absent, Vec::new()),
        Some(Value::Null) => (Form::Null, Vec::new()),
        Some(Value::String(text)) => (Form::Text, vec![bare(Body::Text(text))]),
        Some(Value::Array(blocks)) => (Form::List, blocks.into_iter().map(block).collect()),
        Some(other) => (Form::Other(other), Vec::new()),
    }
}

/// The `content` member of that form with those parts.
fn write_content<'a>(form: &Form, parts: impl Iterator<Item = &'a Part>, block: fn(&Part) -> Value) -> Option<Value> {
    match form {
        Form::Absent => None,
        Form::Null => Some(Value::Null),
        Form::Text => Some(Value::String(parts.filter_map(text_of).collect())),
        Form::List => Some(Value::Array(parts.map(block).collect())),
        Form::Other(value) => Some(value.clone()),
    }
}

fn text_of(part: &Part) -> Option<&str> {
    match &part.body {
        Body::Text(text) => Some(text),
        _ => None,
    }
}

/// An entry of the message list that is no object: no role, no content, one part that holds it.
fn foreign(value: Value) -> Message {
    let parts = vec![bare(Body::Other(value))];
    Message { role: Role::Other("".into()), form: Form::Absent, parts, extra: Fields::new() }
}

/// The assistant's message with these members of an answer: `content` as it is, the others unless null.
fn spoken(answer: &Value, members: &[&str]) -> Option<Value> {
    let answer = answer.as_object()?;
    let said = members.iter().filter_map(|name| Some((*name, answer.get(*name)?)));
    let said = said.filter(|(name, value)| *name == "content" || !value.is_null());
    let mut fields = Fields::from_iter([("role".to_owned(), Value::from("assistant"))]);
    fields.extend(said.map(|(name, value)| (name.to_owned(), value.clone())));
    (fields.len() > 1).then_some(Value::Object(fields))
}

/// What [`foreign`] was made of.
fn foreign_value(message: &Message) -> Option<&Value> {
    let nameless = message.role.as_str().is_empty() && message.form == Form::Absent;
    match message.parts.as_slice() {
        [Part { body: Body::Other(value), .. }] if nameless => Some(value),
        _ => None,
    }
}
