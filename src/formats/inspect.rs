//! Inspect logs: an evaluation as one JSON document with `samples`, or one sample.
//!
//! The session is `<task>/<run_id>/<id>_epoch_<n>`; a sample's requests are its `model` events, which hold the whole
//! list: a call with `model`, `tools`, output, `error`, `timestamp` (ISO 8601) and the event's `uuid`, else the id of
//! the response, so that a copy of a log counts once. Lists that begin with another message than the first one (a
//! grader's, say) are the sessions `<session>/thread-N`. `input_refs` are ranges of `events_data.messages`, and
//! `attachment://` references are put back. Messages are Inspect's own and are written here as OpenAI Chat: arguments
//! become text, a tool's error is its content where it has none, reasoning is left out. Usage counts cached tokens in,
//! or has them beside: where `total_tokens` is at least the sum of all, they are added.
//!
//! A sample without model events is the conversation of its `messages`: the final list, with implied calls.
//! `compaction` events are not read as such: a compaction shows itself in the request that no longer extends the one
//! before. An evaluation without samples holds nothing, and its document counts as bookkeeping. Other events say
//! nothing on the wire. The format can never tell a status but in the text of an error.

use std::io;

use serde_json::{Map, Value, json};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Conversation, Gaps, Message, Place, Preface, Record, Reply, Usage};

/// The format `inspect`.
pub const FORMAT: Format =
    Format { id: "inspect", about: "logs and samples of Inspect", shape: Shape::Conversation, sniff, read };

fn sniff(frame: &Frame) -> bool {
    let has = |member: &str| frame.value.get(member).is_some();
    let log = has("eval") && has("status") && (has("samples") || has("plan"));
    log || is_sample(&frame.value)
}

fn is_sample(value: &Value) -> bool {
    ["epoch", "target", "input", "messages"].iter().all(|member| value.get(member).is_some())
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut unused = 0;
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) if is_sample(&frame.value) => sample(&frame.value, &Value::Null, &frame.place, emit),
            Ok(frame) => match frame.value.get("samples").and_then(Value::as_array) {
                Some(samples) => {
                    let eval = frame.value.get("eval").unwrap_or(&Value::Null);
                    samples.iter().for_each(|one| sample(one, eval, &frame.place, emit));
                    unused += u64::from(samples.is_empty());
                }
                None => unused += 1,
            },
        }
    }
    frames.bookkeeping(unused);
    Ok(())
}

fn sample(sample: &Value, eval: &Value, place: &Place, emit: &mut dyn FnMut(Record)) {
    let mut task = super::name(eval, &["task", "task_id"]).unwrap_or_else(|| place.source.to_string());
    if let Some(run) = super::name(eval, &["run_id"]) {
        task = format!("{task}/{run}");
    }
    let part = |member: &str| super::name(sample, &[member]).unwrap_or_default();
    let session = format!("{task}/{}_epoch_{}", part("id"), part("epoch"));
    let events = sample.get("events").and_then(Value::as_array).into_iter().flatten();
    let requests = events.filter(|event| event.get("event").is_some_and(|kind| kind == "model"));
    let mut heads = Vec::new();
    let calls: Vec<Call> = requests
        .filter_map(|event| {
            let list = input(event, sample)?;
            call(event, sample, &list, thread(&session, &list, &mut heads), place)
        })
        .collect();
    if calls.is_empty() {
        emit(Record::Conversation(Box::new(conversation(sample, eval, session, place.clone()))));
    }
    calls.into_iter().for_each(|call| emit(Record::Call(Box::new(call))));
}

/// The session of a list: lists that begin otherwise than the sample's first one are threads of their own.
fn thread<'s>(session: &str, list: &[&'s Value], heads: &mut Vec<Option<(&'s Value, &'s Value)>>) -> String {
    let head = list.first().and_then(|first| Some((first.get("role")?, first.get("content")?)));
    let number = heads.iter().position(|known| *known == head).unwrap_or_else(|| {
        heads.push(head);
        heads.len() - 1
    });
    if number == 0 { session.to_owned() } else { format!("{session}/thread-{number}") }
}

/// The conversation of a sample that does not hold its requests.
fn conversation(sample: &Value, eval: &Value, session: String, place: Place) -> Conversation {
    let messages = sample.get("messages").and_then(Value::as_array).into_iter().flatten();
    let parse = dialects::for_api(Api::OpenaiChat).parse_message;
    let model = sample.get("output").and_then(|output| super::name(output, &["model"]));
    Conversation {
        place,
        session,
        parent: None,
        api: Api::OpenaiChat,
        model: model.or_else(|| super::name(eval, &["model"])),
        preface: Preface::default(),
        tools: None,
        messages: messages.map(|message| parse(chat_message(message, sample))).collect(),
        calls: None,
        compactions: Vec::new(),
        gaps: Gaps::default(),
    }
}

/// The call of a model event over its list; none where that is no request.
fn call(event: &Value, sample: &Value, list: &[&Value], session: String, place: &Place) -> Option<Call> {
    let messages: Vec<Value> = list.iter().map(|message| chat_message(message, sample)).collect();
    let mut body = json!({"model": event.get("model"), "messages": messages});
    let tools = event.get("tools").and_then(Value::as_array).filter(|tools| !tools.is_empty());
    if let (Some(tools), Some(fields)) = (tools, body.as_object_mut()) {
        fields.insert("tools".to_owned(), tools.iter().map(chat_tool).collect());
    }
    let dialect = dialects::for_api(Api::OpenaiChat);
    let answer = event.pointer("/output/choices/0/message").map(|message| chat_message(message, sample));
    Some(Call {
        judged: None,
        server: None,
        place: place.clone(),
        id: id(event),
        session: Some(session),
        time: super::time(event.get("timestamp")),
        request: (dialect.parse)(body).ok()?,
        response: answer.map(dialect.parse_message).filter(says_anything).into_iter().collect(),
        reply: Reply {
            status: None,
            error: super::error_text(event.get("error")),
            usage: usage(event.pointer("/output/usage")),
        },
    })
}

fn says_anything(message: &Message) -> bool {
    !message.parts.is_empty()
}

/// What tells a request from all others: copies of a log hold it again.
fn id(event: &Value) -> Option<String> {
    let response = || event.pointer("/call/response").and_then(|response| super::name(response, &["id"]));
    super::name(event, &["uuid"]).or_else(response).or_else(|| super::name(event, &["timestamp"]))
}

/// The list of a request: as it stands, or gathered from the pool of the sample.
fn input<'s>(event: &'s Value, sample: &'s Value) -> Option<Vec<&'s Value>> {
    let stated = event.get("input").and_then(Value::as_array).filter(|list| !list.is_empty());
    if let Some(list) = stated {
        return Some(list.iter().collect());
    }
    let pool = sample.pointer("/events_data/messages")?.as_array()?;
    let ranges = event.get("input_refs")?.as_array()?;
    let range = |range: &Value| {
        let bound = |at: usize| usize::try_from(range.get(at)?.as_u64()?).ok();
        pool.get(bound(0)?..bound(1)?)
    };
    Some(ranges.iter().filter_map(range).flatten().collect())
}

fn chat_message(message: &Value, sample: &Value) -> Value {
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
    let mut content = chat_content(message.get("content"), sample);
    let error = message.pointer("/error/message").filter(|_| content.as_str().is_some_and(str::is_empty));
    content = error.cloned().unwrap_or(content);
    let mut fields = Map::new();
    fields.insert("role".to_owned(), role.into());
    let calls = message.get("tool_calls").and_then(Value::as_array).filter(|calls| !calls.is_empty());
    let is_silent = content.as_str().is_some_and(str::is_empty) && calls.is_some();
    fields.insert("content".to_owned(), if is_silent { Value::Null } else { content });
    if let Some(calls) = calls {
        fields.insert("tool_calls".to_owned(), calls.iter().map(|call| chat_call(call, sample)).collect());
    }
    if let Some(id) = super::name(message, &["tool_call_id"]).filter(|_| role == "tool") {
        fields.insert("tool_call_id".to_owned(), id.into());
    }
    Value::Object(fields)
}

fn chat_content(content: Option<&Value>, sample: &Value) -> Value {
    match content {
        Some(Value::String(text)) => attached(text, sample).into(),
        Some(Value::Array(blocks)) => blocks.iter().filter_map(|block| chat_block(block, sample)).collect(),
        other => other.cloned().unwrap_or_default(),
    }
}

/// A block as Chat takes it; reasoning is none.
fn chat_block(block: &Value, sample: &Value) -> Option<Value> {
    let said = |member: &str| attached(block.get(member).and_then(Value::as_str).unwrap_or_default(), sample);
    match block.get("type").and_then(Value::as_str) {
        Some("text") => Some(json!({"type": "text", "text": said("text")})),
        Some("image") => Some(json!({"type": "image_url", "image_url": {"url": said("image")}})),
        Some("reasoning") => None,
        _ => Some(block.clone()),
    }
}

fn chat_call(call: &Value, sample: &Value) -> Value {
    let arguments = call.get("arguments").map(|arguments| match arguments {
        Value::String(text) => attached(text, sample),
        other => other.to_string(),
    });
    let name = call.get("function").cloned().unwrap_or_default();
    json!({"id": call.get("id"), "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn chat_tool(tool: &Value) -> Value {
    let member = |member: &str| tool.get(member).cloned().unwrap_or_default();
    let function =
        json!({"name": member("name"), "description": member("description"), "parameters": member("parameters")});
    json!({"type": "function", "function": function})
}

/// A text, or the attachment that it refers to.
fn attached(text: &str, sample: &Value) -> String {
    let named = text.strip_prefix("attachment://").and_then(|hash| sample.get("attachments")?.get(hash)?.as_str());
    named.unwrap_or(text).to_owned()
}

/// Usage; cached tokens are added where the total says that they stand beside the input.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |member: &str| value?.get(member)?.as_u64();
    let (input, output) = (count("input_tokens")?, count("output_tokens").unwrap_or(0));
    let cache_read = count("input_tokens_cache_read").unwrap_or(0);
    let cache_write = count("input_tokens_cache_write").unwrap_or(0);
    let sum = input.saturating_add(cache_read).saturating_add(cache_write);
    let is_beside = count("total_tokens").is_some_and(|total| total >= sum.saturating_add(output));
    Some(Usage { input: if is_beside { sum } else { input }, output, cache_read, cache_write })
}
