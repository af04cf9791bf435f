//! SWE-agent trajectories (`.traj`): one document with `history`, and `trajectory` and `info` in whole runs.
//!
//! The session is the place of the file; the model is that of `replay_config`, where it is there. `history` is the
//! final list of OpenAI Chat messages: a result names its call in `tool_call_ids`, or in text mode is a user's message.
//! Messages with `is_demo` are a worked example in the prompt, whose assistant made no call. Entries of a second
//! `agent` are a session of their own, `<session>/<agent>`, with the first as its parent. Calls are implied.
//!
//! The format can never tell times, usage of a call, status, tool schemas, or what history processors hid from a
//! request (old observations above all): every call's prompt is the whole history before it. It marks no compaction.

use std::io;

use serde_json::{Map, Value};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Conversation, Gaps, Message, Place, Preface, Record, SessionCall};

/// The format `swe-agent`.
pub const FORMAT: Format =
    Format { id: "swe-agent", about: "trajectories of SWE-agent", shape: Shape::Conversation, sniff, read };

/// Members of an entry that the request takes as they are.
const MEMBERS: &[&str] = &["role", "content", "tool_calls"];

fn sniff(frame: &Frame) -> bool {
    let signed = |entry: &Value| entry.get("agent").is_some() || entry.get("message_type").is_some();
    super::has_messages(&frame.value, "history")
        && frame.value.get("history").and_then(Value::as_array).is_some_and(|entries| entries.iter().any(signed))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        let entries = frame.value.get("history").and_then(Value::as_array).ok_or("the run has no `history` list")?;
        let agents = by_agent(entries);
        let model = model(&frame.value);
        let main = frame.place.to_string();
        for (number, (agent, entries)) in agents.into_iter().enumerate() {
            let mut conversation = conversation(&entries, frame.place.clone(), model.clone());
            conversation.session.clone_from(&main);
            if number > 0 {
                conversation.session = format!("{main}/{agent}");
                conversation.parent = Some(main.clone());
            }
            emit(Record::Conversation(Box::new(conversation)));
        }
        Ok(())
    })
}

/// The entries of each agent, in the order in which the agents first speak.
fn by_agent(entries: &[Value]) -> Vec<(&str, Vec<&Value>)> {
    let mut agents: Vec<(&str, Vec<&Value>)> = Vec::new();
    for entry in entries {
        let agent = entry.get("agent").and_then(Value::as_str);
        let agent = agent.or(agents.first().map(|(agent, _)| *agent)).unwrap_or_default();
        match agents.iter_mut().find(|(name, _)| *name == agent) {
            Some((_, own)) => own.push(entry),
            None => agents.push((agent, vec![entry])),
        }
    }
    agents
}

fn model(run: &Value) -> Option<String> {
    let config = run.get("replay_config")?;
    let parsed: Option<Value> = config.as_str().and_then(|text| serde_json::from_str(text).ok());
    let agent = parsed.as_ref().unwrap_or(config).get("agent")?.clone();
    agent.pointer("/model/name").or_else(|| agent.pointer("/model/model_name"))?.as_str().map(str::to_owned)
}

fn conversation(entries: &[&Value], place: Place, model: Option<String>) -> Conversation {
    let parse = dialects::for_api(Api::OpenaiChat).parse_message;
    let mut messages: Vec<Message> = Vec::new();
    let mut is_demo = Vec::new();
    for entry in entries {
        let flag = entry.get("is_demo").is_some_and(|flag| flag == true);
        for message in chat_messages(entry) {
            messages.push(parse(message));
            is_demo.push(flag);
        }
    }
    let made = |call: &SessionCall| !is_demo[call.upto as usize];
    let calls = super::implied_calls(&messages).into_iter().filter(made).collect();
    Conversation {
        place,
        session: String::new(),
        parent: None,
        api: Api::OpenaiChat,
        model,
        preface: Preface::default(),
        tools: None,
        messages,
        calls: Some(calls),
        compactions: Vec::new(),
        gaps: Gaps::default(),
    }
}

/// The messages of an entry: one, or one for each call that a result names.
fn chat_messages(entry: &Value) -> Vec<Value> {
    let taken = |member: &&str| Some(((*member).to_owned(), entry.get(*member)?.clone()));
    let mut message: Map<String, Value> = MEMBERS.iter().filter_map(taken).collect();
    message.retain(|member, value| member == "content" || !value.is_null());
    let ids = entry.get("tool_call_ids").and_then(Value::as_array).filter(|ids| !ids.is_empty());
    let Some(ids) = ids else { return vec![Value::Object(message)] };
    let with_id = |id: &Value| {
        let mut message = message.clone();
        message.insert("tool_call_id".to_owned(), id.clone());
        Value::Object(message)
    };
    ids.iter().map(with_id).collect()
}
