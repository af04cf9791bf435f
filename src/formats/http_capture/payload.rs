//! Bodies as captures hold them: parsed, as text, as base64, packed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::frame::{FRAME_LIMIT, unpacked};

/// A body.
pub enum Payload {
    Json(Value),
    Text(String),
}

/// The body of one side of a cassette's interaction.
pub fn of_vcr(side: &Value) -> Option<Payload> {
    if let Some(parsed) = side.get("parsed_body") {
        return Some(Payload::Json(parsed.clone()));
    }
    let body = side.get("body")?;
    held(body).or_else(|| held(body.get("string")?)).or_else(|| from_base64(body.get("base64_string")?.as_str()?))
}

/// The body of one side of a HAR entry.
pub fn of_har(content: &Value) -> Option<Payload> {
    let text = content.get("text")?.as_str()?;
    let is_base64 = content.get("encoding").and_then(Value::as_str) == Some("base64");
    if is_base64 { from_base64(text) } else { Some(Payload::of(text.to_owned())) }
}

/// A text, or the binary scalar of YAML.
fn held(value: &Value) -> Option<Payload> {
    match value {
        Value::String(text) => Some(Payload::of(text.clone())),
        _ => from_base64(value.get("!!binary")?.as_str()?),
    }
}

fn from_base64(text: &str) -> Option<Payload> {
    let packed: String = text.split_whitespace().collect();
    let bytes = unpacked(&STANDARD.decode(packed).ok()?, FRAME_LIMIT).ok()?.into_owned();
    Some(Payload::of(String::from_utf8(bytes).ok()?))
}

impl Payload {
    fn of(text: String) -> Payload {
        serde_json::from_str(&text).map_or(Payload::Text(text), Payload::Json)
    }

    /// The value, if it is JSON.
    pub fn json(self) -> Option<Value> {
        match self {
            Payload::Json(value) => Some(value),
            Payload::Text(_) => None,
        }
    }

    /// The body as one text, if it says anything.
    pub fn into_text(self) -> Option<String> {
        let text = match self {
            Payload::Json(Value::Null) => String::new(),
            Payload::Json(value) => value.to_string(),
            Payload::Text(text) => text,
        };
        (!text.trim().is_empty()).then_some(text)
    }
}
