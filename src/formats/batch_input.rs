//! Requests of OpenAI's and Anthropic's batch APIs, as they are uploaded: one a line, or Anthropic's `{"requests": […]}`.
//!
//! OpenAI writes `{"custom_id", "method", "url", "body"}`, Anthropic `{"custom_id", "params"}`; body and model are the
//! request's own, and `custom_id` is the id of the call. Session (calls are joined by their growing lists), time, status,
//! response, usage and compactions are never told: the answers stand in a file of their own, in another order. A request
//! of an endpoint other than Chat Completions is a defect.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Place, Record, Reply};

/// The format `batch-input`.
pub const FORMAT: Format = Format {
    id: "batch-input",
    about: "requests uploaded to OpenAI's or Anthropic's batch API",
    shape: Shape::RequestLog,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    match frame.value.get("requests").and_then(Value::as_array) {
        Some(entries) => entries.first().is_some_and(is_entry),
        None => is_entry(&frame.value),
    }
}

fn is_entry(entry: &Value) -> bool {
    let has = |member: &str| entry.get(member).is_some_and(Value::is_object);
    let openai = has("body") && entry.get("url").is_some_and(Value::is_string);
    entry.get("custom_id").is_some() && (openai || has("params"))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |mut frame, emit| {
        match frame.value.get_mut("requests").map(Value::take) {
            Some(Value::Array(entries)) => {
                entries.into_iter().for_each(|entry| emit(record(entry, &frame.place)));
            }
            _ => emit(record(frame.value, &frame.place)),
        }
        Ok(())
    })
}

fn record(entry: Value, place: &Place) -> Record {
    match call(entry, place) {
        Ok(call) => Record::Call(Box::new(call)),
        Err(reason) => super::defect(place.clone(), reason),
    }
}

fn call(mut entry: Value, place: &Place) -> Result<Call, String> {
    let id = super::name(&entry, &["custom_id"]);
    let (api, member) = match entry.get("url").and_then(Value::as_str) {
        Some(url) if url.ends_with("/chat/completions") => (Api::OpenaiChat, "body"),
        Some(url) => return Err(format!("a request to `{url}`: only Chat Completions is read of OpenAI's batches")),
        None => (Api::AnthropicMessages, "params"),
    };
    let body = entry.get_mut(member).map(Value::take).ok_or_else(|| format!("the request has no `{member}`"))?;
    Ok(Call {
        judged: None,
        server: None,
        place: place.clone(),
        id,
        session: None,
        time: None,
        request: (dialects::for_api(api).parse)(body)?,
        response: Vec::new(),
        reply: Reply::default(),
    })
}
