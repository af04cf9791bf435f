//! Messages and prefaces as the bytes that are stored: JSON in the language of their API, named by its hash.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use crate::dialects;
use crate::model::{Api, Envelope, Fields, Form, Message, Preface, Role};

/// The BLAKE3 hash of stored bytes.
pub type Hash = [u8; 32];

/// Bytes to store and their name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub hash: Hash,
    pub body: Vec<u8>,
}

impl Blob {
    fn of(value: &Value) -> Blob {
        let body = serde_json::to_vec(value).expect("JSON values have JSON text");
        Blob { hash: *blake3::hash(&body).as_bytes(), body }
    }

    /// A message.
    pub fn of_message(api: Api, message: &Message) -> Blob {
        Blob::of(&render(api, message))
    }

    /// A system text and the tools beside it.
    pub fn of_preface(api: Api, preface: &Preface, tools: Option<&Value>) -> Blob {
        let mut object = Map::new();
        object.insert("system".into(), render(api, &as_message(preface.clone())));
        if let Some(tools) = tools {
            object.insert("tools".into(), tools.clone());
        }
        Blob::of(&Value::Object(object))
    }

    /// What a request says beside its messages, system text and tools.
    pub fn of_envelope(envelope: &Envelope) -> Blob {
        let mut object = Map::new();
        if let Some(tokens) = envelope.max_output {
            object.insert("max_output".into(), tokens.into());
        }
        let list = match &envelope.list {
            Form::Absent => None,
            Form::Null => Some(Value::Null),
            Form::Text => Some(Value::from("text")),
            Form::List => Some(Value::from("list")),
            Form::Other(value) => Some(Value::Array(vec![value.clone()])),
        };
        object.extend(list.map(|list| ("list".to_owned(), list)));
        object.insert("extra".into(), Value::Object(envelope.extra.clone()));
        Blob::of(&Value::Object(object))
    }
}

/// A message of the stored bytes.
pub fn message(api: Api, body: &[u8]) -> Result<Message> {
    Ok((dialects::for_api(api).parse_message)(parse(body)?))
}

/// A system text and the tools beside it, of the stored bytes.
pub fn preface(api: Api, body: &[u8]) -> Result<(Preface, Option<Value>)> {
    let Value::Object(mut object) = parse(body)? else { anyhow::bail!("a stored preface is no object") };
    let system = object.shift_remove("system").unwrap_or_default();
    let message = (dialects::for_api(api).parse_message)(system);
    Ok((Preface { form: message.form, parts: message.parts }, object.shift_remove("tools")))
}

/// What a request says beside its messages, of the stored bytes.
pub fn envelope(body: &[u8]) -> Result<Envelope> {
    let Value::Object(mut object) = parse(body)? else { anyhow::bail!("a stored envelope is no object") };
    let Some(Value::Object(extra)) = object.shift_remove("extra") else {
        anyhow::bail!("a stored envelope has no members")
    };
    let list = match object.shift_remove("list") {
        None => Form::Absent,
        Some(Value::Null) => Form::Null,
        Some(Value::Array(mut other)) => Form::Other(other.pop().unwrap_or_default()),
        Some(name) if name == "text" => Form::Text,
        Some(_) => Form::List,
    };
    let max_output = object.get("max_output").and_then(Value::as_u64).map(|tokens| tokens as u32);
    Ok(Envelope { max_output, list, extra })
}

/// Several messages as one JSON array.
pub fn of_messages(api: Api, messages: &[Message]) -> Vec<u8> {
    let values: Vec<Value> = messages.iter().map(|message| render(api, message)).collect();
    serde_json::to_vec(&values).expect("JSON values have JSON text")
}

/// The messages of a JSON array.
pub fn messages(api: Api, body: &[u8]) -> Result<Vec<Message>> {
    let Value::Array(values) = parse(body)? else { anyhow::bail!("stored messages are no list") };
    Ok(values.into_iter().map(dialects::for_api(api).parse_message).collect())
}

fn render(api: Api, message: &Message) -> Value {
    (dialects::for_api(api).render_message)(message)
}

/// A system text dressed as a message, so that a dialect can write it.
fn as_message(preface: Preface) -> Message {
    Message { role: Role::System, form: preface.form, parts: preface.parts, extra: Fields::new() }
}

fn parse(body: &[u8]) -> Result<Value> {
    serde_json::from_slice(body).context("could not read a stored body")
}
