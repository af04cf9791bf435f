//! mini-swe-agent trajectories (`.traj.json`): one document with `trajectory_format`, `info` and `messages`.
//!
//! The session is `instance_id`, else the place; the model `info.config.model.model_name`. `messages` are OpenAI Chat
//! messages with `extra` beside them: an assistant's holds the whole response, so its call has `usage` (prompt tokens
//! count cached ones in) and `timestamp` (seconds since 1970). Members that are null, and those a server added, are
//! left out. The last message of role `exit` is the client's own note: it counts as bookkeeping, and where the run
//! ended in an exception it is a call that failed, with `info.exit_status` and the exception's text as its error. The
//! call that submits has no result.
//!
//! The format can never tell tool schemas, failed calls but the last, or a status; it knows no compaction. Older files
//! are bare lists and read as `messages`.

use std::io;

use serde_json::{Map, Value};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Conversation, Gaps, Message, Place, Preface, Record, Reply, SessionCall};

/// The format `mini-swe-agent`.
pub const FORMAT: Format =
    Format { id: "mini-swe-agent", about: "trajectories of mini-swe-agent", shape: Shape::Conversation, sniff, read };

/// Members of a message that a request takes.
const MEMBERS: &[&str] = &["role", "content", "tool_calls", "tool_call_id", "name"];

/// How a run ends that was not stopped by a failed call.
const ENDS: &[&str] = &["Submitted", "LimitsExceeded", "UserInterruption", "TimeExceeded", "RepeatedFormatError"];

fn sniff(frame: &Frame) -> bool {
    let format = frame.value.get("trajectory_format").and_then(Value::as_str);
    format.is_some_and(|format| format.starts_with("mini-swe-agent")) && frame.value.get("messages").is_some()
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut n_notes = 0;
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(mut frame) => match frame.value.get_mut("messages").map(Value::take) {
                Some(Value::Array(entries)) => {
                    let (notes, entries) = entries.into_iter().partition(is_note);
                    let notes: Vec<Value> = notes;
                    n_notes += notes.len() as u64;
                    emit(Record::Conversation(Box::new(conversation(&frame.value, entries, frame.place))));
                }
                _ => emit(super::defect(frame.place, "the trajectory has no `messages` list")),
            },
        }
    }
    frames.bookkeeping(n_notes);
    Ok(())
}

fn is_note(entry: &Value) -> bool {
    entry.get("role").is_some_and(|role| role == "exit")
}

fn conversation(run: &Value, entries: Vec<Value>, place: Place) -> Conversation {
    let parse = dialects::for_api(Api::OpenaiChat).parse_message;
    let messages: Vec<Message> = entries.iter().map(|entry| parse(chat_message(entry))).collect();
    let mut calls: Vec<SessionCall> =
        super::implied_calls(&messages).into_iter().map(|call| observed(call, &entries)).collect();
    let upto = messages.len() as u32;
    calls.extend(failure(run).map(|reply| SessionCall { upto, reply, ..SessionCall::default() }));
    Conversation {
        session: super::name(run, &["instance_id"]).unwrap_or_else(|| place.to_string()),
        place,
        parent: None,
        api: Api::OpenaiChat,
        model: run.pointer("/info/config/model/model_name").and_then(Value::as_str).map(str::to_owned),
        preface: Preface::default(),
        tools: None,
        messages,
        calls: Some(calls),
        compactions: Vec::new(),
        gaps: Gaps::default(),
    }
}

/// The members of an entry that the request takes.
fn chat_message(entry: &Value) -> Value {
    let taken = |member: &&str| Some(((*member).to_owned(), entry.get(*member)?.clone()));
    let mut message: Map<String, Value> = MEMBERS.iter().filter_map(taken).collect();
    message.retain(|member, value| member == "content" || !value.is_null());
    Value::Object(message)
}

/// The call with what the assistant's message says of it.
fn observed(mut call: SessionCall, entries: &[Value]) -> SessionCall {
    let extra = entries[call.upto as usize].get("extra").unwrap_or(&Value::Null);
    call.time = super::time(extra.get("timestamp"));
    call.reply.usage = super::usage(extra.pointer("/response/usage"));
    call
}

/// How the last call failed, where it did.
fn failure(run: &Value) -> Option<Reply> {
    let info = run.get("info")?;
    let status = info.get("exit_status").and_then(Value::as_str).filter(|status| !ENDS.contains(status))?;
    let text = info.get("exception_str").and_then(Value::as_str)?;
    Some(Reply { error: Some(format!("{status}: {text}")), ..Reply::default() })
}
