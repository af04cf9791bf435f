//! JSON lines of whole sessions: `{"session": "s-1", "messages": [...]}` a line.
//!
//! `session` names it, `parent` the session it came out of; `api` is `anthropic.messages` or `openai.chat`, and without
//! it the messages decide. `model`, `system` and `tools` are as in a request body, and hold for every call. Calls are
//! implied: one at each assistant message that follows another speaker; `max_tokens` is what each of them reserves.
//! `calls` may state them instead: `[{"upto": 2, "time": "...", "status": 200, "error": null, "usage": {...}}]`, where
//! `upto` counts the messages of its full prompt. The list is the full transcript; what a client took out of its requests
//! is said by `compactions`: `[{"call": 3, "trigger": "auto", "tokens_before": 9000, "tokens_after": 4000, "evicted": [1, 2]}]`,
//! where `call` is the first one whose prompt is the compacted one, `evicted` has indexes of `messages`, and `inserted`
//! may hold the messages put in their place.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Compaction, Conversation, Gaps, Origin, Record, Reply, SessionCall, Tokens};

/// The format `sessions`.
pub const FORMAT: Format = Format {
    id: "sessions",
    about: "one whole session a line: its id and its messages in either API's form",
    shape: Shape::Conversation,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    frame.value.get("session").is_some_and(|id| id.is_string() || id.is_number())
        && super::has_messages(&frame.value, "messages")
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Conversation(Box::new(conversation(frame)?)));
        Ok(())
    })
}

fn conversation(mut frame: Frame) -> Result<Conversation, String> {
    let line = &mut frame.value;
    let session = super::name(line, &["session"]).ok_or("the line has no `session` id")?;
    let parent = super::name(line, &["parent"]);
    let stated = line.get_mut("calls").map(Value::take);
    let cuts = line.get_mut("compactions").map(Value::take);
    let api = api(line)?;
    let request = (dialects::for_api(api).parse)(line.take())?;
    let reserve = request.max_output.unwrap_or(0);
    let calls = match stated {
        Some(Value::Array(calls)) => stated_calls(&calls, request.messages.len(), reserve)?,
        _ => with_reserve(super::implied_calls(&request.messages), reserve),
    };
    let bounds = (calls.len(), request.messages.len());
    let compactions = match cuts {
        Some(Value::Array(cuts)) => {
            cuts.iter().map(|cut| compaction(cut, api, bounds)).collect::<Result<Vec<_>, _>>()?
        }
        _ => Vec::new(),
    };
    Ok(Conversation {
        place: frame.place,
        session,
        parent,
        api,
        model: request.model,
        preface: request.system,
        tools: request.tools,
        messages: request.messages,
        calls: Some(calls),
        compactions,
        gaps: Gaps::default(),
    })
}

fn api(line: &Value) -> Result<Api, String> {
    match line.get("api").and_then(Value::as_str) {
        Some(id) => Api::from_id(id).ok_or_else(|| format!("`api` is `{id}`, which is no known API")),
        None => dialects::detect(line)
            .map(|dialect| dialect.api)
            .ok_or_else(|| "the line has no `messages` list".to_owned()),
    }
}

fn with_reserve(mut calls: Vec<SessionCall>, reserve: Tokens) -> Vec<SessionCall> {
    calls.iter_mut().for_each(|call| call.reserve = reserve);
    calls
}

fn stated_calls(calls: &[Value], n_messages: usize, reserve: Tokens) -> Result<Vec<SessionCall>, String> {
    let mut upto = 0;
    let mut read = Vec::with_capacity(calls.len());
    for call in calls {
        let to = call.get("upto").and_then(Value::as_u64).ok_or("a call states no `upto`")?;
        if to < upto || to > n_messages as u64 {
            return Err(format!("a call states `upto` {to}, which must rise from {upto} to at most {n_messages}"));
        }
        upto = to;
        let reply = Reply {
            status: super::status(call.get("status")),
            error: super::error_text(call.get("error")),
            usage: super::usage(call.get("usage")),
        };
        let time = super::time(call.get("time"));
        read.push(SessionCall { upto: to as u32, time, reserve, reply, ..SessionCall::default() });
    }
    Ok(read)
}

fn compaction(cut: &Value, api: Api, (n_calls, n_messages): (usize, usize)) -> Result<Compaction, String> {
    let count = |member: &str| cut.get(member).and_then(Value::as_u64);
    let call = count("call").filter(|call| *call < n_calls as u64).ok_or("a compaction names none of the calls")?;
    let list = |member: &str| cut.get(member).and_then(Value::as_array).into_iter().flatten();
    let evicted: Vec<u32> = list("evicted").filter_map(|index| u32::try_from(index.as_u64()?).ok()).collect();
    if !evicted.is_sorted() || evicted.iter().any(|index| *index as usize >= n_messages) {
        return Err("`evicted` must hold ascending indexes of `messages`".to_owned());
    }
    Ok(Compaction {
        call: call as u32,
        origin: Origin::Marked,
        trigger: super::name(cut, &["trigger"]),
        tokens_before: count("tokens_before"),
        tokens_after: count("tokens_after"),
        evicted,
        inserted: list("inserted").cloned().map(dialects::for_api(api).parse_message).collect(),
        time: super::time(cut.get("time")),
    })
}
