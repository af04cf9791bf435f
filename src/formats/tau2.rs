//! tau2-bench results: one document with `simulations`, each a run with its `messages`.
//!
//! The session is the simulation's `id`, the model `info.agent_info.llm`. Arguments are objects and a tool result names
//! its call in `id`; both are rewritten as the agent's API takes them, and a `tool_messages` wrapper is taken apart. The
//! user is simulated by a model with tools of its own: its calls and their results (`requestor: user`) never reached the
//! agent and are left out. Calls are implied at the agent's messages and carry their `usage` (prompt tokens count cached
//! ones in) and `timestamp` (ISO 8601, no zone: taken as UTC). The format can never tell system prompt, tool schemas,
//! status or compactions. The agent's greeting, the first message, was no call.

use std::io;

use serde_json::{Map, Value, json};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Conversation, Gaps, Message, Place, Preface, Record, SessionCall};

/// The format `tau2-bench`.
pub const FORMAT: Format = Format {
    id: "tau2-bench",
    about: "tau2-bench result files: one document with its simulations",
    shape: Shape::Conversation,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    let simulations = frame.value.get("simulations").and_then(Value::as_array);
    simulations.is_some_and(|runs| runs.iter().all(|run| run.get("messages").is_some()))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |mut frame: Frame, emit| {
        let model = frame.value.pointer("/info/agent_info/llm").and_then(Value::as_str).map(str::to_owned);
        let Some(Value::Array(runs)) = frame.value.get_mut("simulations").map(Value::take) else {
            return Err("the document has no `simulations` list".to_owned());
        };
        for (index, run) in runs.into_iter().enumerate() {
            match conversation(run, &frame.place, model.clone()) {
                Ok(conversation) => emit(Record::Conversation(Box::new(conversation))),
                Err(reason) => emit(super::defect(frame.place.clone(), format!("simulation {index}: {reason}"))),
            }
        }
        Ok(())
    })
}

fn conversation(mut run: Value, place: &Place, model: Option<String>) -> Result<Conversation, String> {
    let session = super::name(&run, &["id", "task_id"]).ok_or("no `id`")?;
    let Some(Value::Array(entries)) = run.get_mut("messages").map(Value::take) else {
        return Err("no `messages` list".to_owned());
    };
    let entries: Vec<Value> = entries.into_iter().flat_map(unwrapped).filter(reached_the_agent).collect();
    let parse = dialects::for_api(Api::OpenaiChat).parse_message;
    let messages: Vec<Message> = entries.iter().map(|entry| parse(chat_message(entry))).collect();
    let calls = super::implied_calls(&messages).into_iter().map(|call| observed(call, &entries)).collect();
    Ok(Conversation {
        place: place.clone(),
        session,
        parent: None,
        api: Api::OpenaiChat,
        model,
        preface: Preface::default(),
        tools: None,
        messages,
        calls: Some(calls),
        compactions: Vec::new(),
        gaps: Gaps::default(),
    })
}

/// The entries that a wrapper of several tool results holds, or the entry itself.
fn unwrapped(mut entry: Value) -> Vec<Value> {
    match entry.get_mut("tool_messages").map(Value::take) {
        Some(Value::Array(entries)) => entries,
        _ => vec![entry],
    }
}

/// Whether an entry is part of the agent's prompt.
fn reached_the_agent(entry: &Value) -> bool {
    let asked_by_user = entry.get("requestor").and_then(Value::as_str) == Some("user");
    let calls = entry.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
    let user = entry.get("role").and_then(Value::as_str) == Some("user");
    !(asked_by_user || user && calls)
}

fn chat_message(entry: &Value) -> Value {
    let role = entry.get("role").cloned().unwrap_or(Value::Null);
    let mut message = Map::new();
    message.insert("role".to_owned(), role.clone());
    message.insert("content".to_owned(), entry.get("content").cloned().unwrap_or(Value::Null));
    if role == "tool" {
        message.insert("tool_call_id".to_owned(), entry.get("id").cloned().unwrap_or(Value::Null));
    }
    if let Some(Value::Array(calls)) = entry.get("tool_calls")
        && !calls.is_empty()
    {
        message.insert("tool_calls".to_owned(), calls.iter().map(chat_call).collect());
    }
    Value::Object(message)
}

fn chat_call(call: &Value) -> Value {
    let arguments = match call.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(arguments) => arguments.to_string(),
        None => String::new(),
    };
    json!({
        "id": call.get("id"),
        "type": "function",
        "function": {"name": call.get("name"), "arguments": arguments},
    })
}

/// The call with what the agent's message says of it.
fn observed(mut call: SessionCall, entries: &[Value]) -> SessionCall {
    let answer = &entries[call.upto as usize];
    call.time = super::time(answer.get("timestamp"));
    call.reply.usage = super::usage(answer.get("usage"));
    call
}
