//! The calls of a synthetic session: when they were sent, what a client that drops the oldest messages one by one left
//! of each request, and which were refused for it. Written as a native log, or as one line for the whole session.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Shape, Story, tools};
use crate::model::Api;

/// Midnight of 2 March 2026, UTC, in seconds.
const EPOCH: u64 = 1_772_409_600;

/// Tokens of tools and system prompt that are not in the message list.
const FIXED: u32 = 420;

/// One call as its client sent it.
struct Sent {
    /// The message that answers it; all before it are its full prompt.
    answer: usize,
    /// The first message, but for a system message, that the request still holds.
    kept_from: usize,
    size: u32,
    /// What a compaction right before it did: tokens before, and the first message that had been kept.
    compacted: Option<(u32, usize)>,
    seconds: u64,
    status: u16,
}

/// Writes a line for every call of the session.
pub fn write_calls(story: &Story, shape: &Shape, out: &mut impl Write) -> io::Result<()> {
    for (index, sent) in sent(story, shape).iter().enumerate() {
        writeln!(out, "{}", call(story, sent, index))?;
    }
    Ok(())
}

/// Writes one line for the session.
pub fn write_session(story: &Story, shape: &Shape, out: &mut impl Write) -> io::Result<()> {
    let sent = sent(story, shape);
    let refused = sent.last().filter(|last| last.status != 200);
    let upto = refused.map_or(story.messages.len(), |last| last.answer);
    let calls: Vec<Value> = sent.iter().map(|sent| outcome(story, sent, json!({"upto": sent.answer}))).collect();
    let compactions = sent.iter().enumerate().filter_map(|(index, sent)| {
        let (before, from) = sent.compacted?;
        let evicted: Vec<usize> = (from..sent.kept_from).collect();
        Some(json!({"call": index, "trigger": "auto", "tokens_before": before, "tokens_after": sent.size, "evicted": evicted}))
    });
    let mut line = Map::new();
    line.insert("session".to_owned(), story.id().into());
    line.insert("api".to_owned(), story.api.id().into());
    line.extend(body(story, story.messages[..upto].to_vec()));
    line.insert("calls".to_owned(), calls.into());
    line.insert("compactions".to_owned(), compactions.collect());
    writeln!(out, "{}", Value::Object(line))
}

/// The calls of a session; a refused one is the last.
fn sent(story: &Story, shape: &Shape) -> Vec<Sent> {
    let mut all: Vec<Sent> = Vec::new();
    let mut kept_from = story.n_pinned();
    let mut seconds = EPOCH + u64::from(story.number) * 97;
    for answer in 1..story.messages.len() {
        if story.messages[answer]["role"] != "assistant" || story.messages[answer - 1]["role"] == "assistant" {
            continue;
        }
        let before = size(story, kept_from, answer);
        let from = kept_from;
        if before > shape.compact_at {
            while kept_from < answer - 1 && size(story, kept_from, answer) > shape.compact_at / 2 {
                kept_from += 1;
            }
        }
        let status = if kept_from > from && is_result(&story.messages[kept_from]) { 400 } else { 200 };
        let compacted = (kept_from > from).then_some((before, from));
        all.push(Sent { answer, kept_from, size: size(story, kept_from, answer), compacted, seconds, status });
        if status != 200 {
            break;
        }
        seconds += 7 + u64::from(story.tokens[answer]) / 10;
    }
    all
}

fn size(story: &Story, kept_from: usize, upto: usize) -> u32 {
    let pinned: u32 = story.tokens[..story.n_pinned()].iter().sum();
    FIXED + pinned + story.tokens[kept_from..upto].iter().sum::<u32>()
}

fn is_result(message: &Value) -> bool {
    message["role"] == "tool" || message["content"][0]["type"] == "tool_result"
}

/// A call as a line of a native log.
fn call(story: &Story, sent: &Sent, index: usize) -> Value {
    let pinned = &story.messages[..story.n_pinned()];
    let messages = [pinned, &story.messages[sent.kept_from..sent.answer]].concat();
    let response = if sent.status == 200 { story.messages[sent.answer].clone() } else { Value::Null };
    let line = json!({
        "session": story.id(),
        "id": format!("{}-{index}", story.id()),
        "api": story.api.id(),
        "model": story.model(),
        "request": body(story, messages),
        "response": response,
    });
    outcome(story, sent, line)
}

/// The line with when the call was sent and what came of it.
fn outcome(story: &Story, sent: &Sent, mut line: Value) -> Value {
    line["time"] = sent.seconds.into();
    line["status"] = sent.status.into();
    if sent.status == 200 {
        line["usage"] = json!({"input": sent.size, "output": story.tokens[sent.answer]});
    } else {
        line["error"] = error(story.api).into();
    }
    line
}

fn body(story: &Story, messages: Vec<Value>) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), story.model().into());
    body.insert("max_tokens".to_owned(), 1024.into());
    if story.api == Api::AnthropicMessages {
        body.insert("system".to_owned(), story.system.clone().into());
    }
    body.insert("tools".to_owned(), tools(story.api));
    body.insert("messages".to_owned(), Value::Array(messages));
    body
}

fn error(api: Api) -> &'static str {
    match api {
        Api::AnthropicMessages => {
            "invalid_request_error: messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks"
        }
        _ => {
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        }
    }
}
