//! A synthetic session as a native log: its calls, some of them refused, its requests compacted by a client that drops
//! the oldest messages one by one.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Shape, Story, tools};
use crate::model::Api;

/// Midnight of 2 March 2026, UTC, in seconds.
const EPOCH: u64 = 1_772_409_600;

/// Tokens of tools and system prompt that are not in the message list.
const FIXED: u32 = 420;

/// Writes a line for every call of the session.
pub fn write(story: &Story, shape: &Shape, out: &mut impl Write) -> io::Result<()> {
    let mut gone = vec![false; story.messages.len()];
    let mut seconds = EPOCH + u64::from(story.number) * 97;
    let mut n_calls = 0;
    for answer in 1..story.messages.len() {
        if story.messages[answer]["role"] != "assistant" || story.messages[answer - 1]["role"] == "assistant" {
            continue;
        }
        let compacted = compact(story, shape, &mut gone, answer);
        let status = if compacted && begins_with_result(story, &gone, answer) { 400 } else { 200 };
        writeln!(out, "{}", line(story, &gone, answer, (n_calls, seconds), status))?;
        n_calls += 1;
        seconds += 7 + u64::from(story.tokens[answer]) / 10;
        if status == 400 {
            break;
        }
    }
    Ok(())
}

/// Lets the oldest messages go where the request has outgrown the client's limit.
fn compact(story: &Story, shape: &Shape, gone: &mut [bool], upto: usize) -> bool {
    let mut size = FIXED + (0..upto).filter(|&at| !gone[at]).map(|at| story.tokens[at]).sum::<u32>();
    if size <= shape.compact_at {
        return false;
    }
    for at in usize::from(story.api == Api::OpenaiChat)..upto - 1 {
        if size <= shape.compact_at / 2 {
            break;
        }
        if !gone[at] {
            gone[at] = true;
            size -= story.tokens[at];
        }
    }
    true
}

/// Whether the first message that a compaction left is the answer to a call that went.
fn begins_with_result(story: &Story, gone: &[bool], upto: usize) -> bool {
    let first = (0..upto).find(|&at| !gone[at] && story.messages[at]["role"] != "system");
    first.is_some_and(|at| {
        story.messages[at]["role"] == "tool" || story.messages[at]["content"][0]["type"] == "tool_result"
    })
}

fn line(story: &Story, gone: &[bool], answer: usize, (n_calls, seconds): (u32, u64), status: u16) -> Value {
    let kept = || (0..answer).filter(|&at| !gone[at]);
    let input = FIXED + kept().map(|at| story.tokens[at]).sum::<u32>();
    let messages: Vec<Value> = kept().map(|at| story.messages[at].clone()).collect();
    let refused = status != 200;
    let usage = json!({"input": input, "output": story.tokens[answer], "cache_read": 0, "cache_write": 0});
    json!({
        "time": seconds,
        "session": story.id(),
        "id": format!("{}-{n_calls}", story.id()),
        "api": story.api.id(),
        "model": story.model(),
        "request": body(story, messages),
        "response": if refused { Value::Null } else { story.messages[answer].clone() },
        "status": status,
        "error": if refused { error(story.api).into() } else { Value::Null },
        "usage": if refused { Value::Null } else { usage },
    })
}

fn body(story: &Story, messages: Vec<Value>) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), story.model().into());
    body.insert("max_tokens".to_owned(), 1024.into());
    if story.api == Api::AnthropicMessages {
        body.insert("system".to_owned(), story.system.clone().into());
    }
    body.insert("tools".to_owned(), tools(story.api));
    body.insert("messages".to_owned(), Value::Array(messages));
    Value::Object(body)
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
