//! ATIF trajectories (Harbor, terminal-bench): one document with `schema_version` `ATIF-v1.x` and `steps`.
//!
//! The session is `session_id`; a continuation (`agent.extra.continuation_index`) is `<session_id>/cont-N` with that
//! parent. The model is `agent.model_name`, else that of the first step with one; tools are `agent.tool_definitions`.
//! Steps are written as OpenAI Chat messages. A step of the agent is a call, with `metrics` (`prompt_tokens` counts
//! cached ones in) and `timestamp` where they are there; one with `is_copied_context` was made elsewhere and is no
//! call. Results are paired by `source_call_id`, else by their order; where the step asked for no tool they are the
//! user's message. System steps before anyone speaks are the system prompt. Later ones are notes and count as
//! bookkeeping, but one whose `extra.context_management` is a compaction: everything before left, and what was put in
//! is in the continuation.
//!
//! The format can never tell status, errors or failed calls, or tokens around a compaction.

use std::io;

use serde_json::Value;

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Part, Place, Record, Reply, Role, SessionCall, Usage};

/// The format `atif`.
pub const FORMAT: Format = Format {
    id: "atif",
    about: "ATIF trajectories of Harbor and terminal-bench",
    shape: Shape::Conversation,
    sniff,
    read,
};

/// The API in whose form messages are written.
const API: Api = Api::OpenaiChat;

fn sniff(frame: &Frame) -> bool {
    let version = frame.value.get("schema_version").and_then(Value::as_str);
    version.is_some_and(|version| version.starts_with("ATIF")) && frame.value.get("steps").is_some()
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut unused = 0;
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => match frame.value.get("steps").and_then(Value::as_array) {
                Some(steps) => unused += trajectory(&frame.value, steps, frame.place, emit),
                None => emit(super::defect(frame.place, "the trajectory has no `steps` list")),
            },
        }
    }
    frames.bookkeeping(unused);
    Ok(())
}

/// Emits a trajectory; answers how many of its steps are notes.
fn trajectory(document: &Value, steps: &[Value], place: Place, emit: &mut dyn FnMut(Record)) -> u64 {
    let mut script = Script::new(API, Unanswered::Stays);
    let mut unused = 0;
    let mut begun = false;
    for step in steps {
        let source = step.get("source").and_then(Value::as_str).unwrap_or_default();
        match source {
            "agent" => unused += agent(&mut script, step),
            "system" if begun => unused += u64::from(!note(&mut script, step)),
            "system" => script.say(Role::System, script::content(step.get("message"))),
            _ => script.say(Role::User, script::content(step.get("message"))),
        }
        begun |= source != "system";
    }
    if !script.is_empty() {
        let head = head(document, steps, place);
        emit(Record::Conversation(Box::new(script.conversation(head))));
    }
    unused
}

fn head(document: &Value, steps: &[Value], place: Place) -> Head {
    let agent = document.get("agent").unwrap_or(&Value::Null);
    let session = super::name(document, &["session_id"]).unwrap_or_else(|| place.to_string());
    let number = agent.pointer("/extra/continuation_index").and_then(Value::as_u64);
    let model = || steps.iter().find_map(|step| super::name(step, &["model_name"]));
    Head {
        place,
        session: number.map_or_else(|| session.clone(), |number| format!("{session}/cont-{number}")),
        parent: number.map(|_| session),
        model: super::name(agent, &["model_name"]).or_else(model),
        system: None,
        tools: agent.get("tool_definitions").filter(|tools| tools.is_array()).cloned(),
    }
}

/// Takes a step of the agent in; answers how many of its results name no call of its own.
fn agent(script: &mut Script, step: &Value) -> u64 {
    let asked: Vec<&Value> = step.get("tool_calls").and_then(Value::as_array).into_iter().flatten().collect();
    let mut parts = script::content(step.get("message"));
    parts.extend(asked.iter().map(|call| tool_use(call)));
    let reply = Reply { usage: usage(step.get("metrics")), ..Reply::default() };
    let call = SessionCall { time: super::time(step.get("timestamp")), reply, ..SessionCall::default() };
    let copied = step.get("is_copied_context").is_some_and(|flag| flag == true);
    script.turn(parts, Some(call).filter(|_| !copied));
    let results = step.pointer("/observation/results").and_then(Value::as_array).into_iter().flatten();
    let mut unused = 0;
    for (number, result) in results.enumerate() {
        let content = script::content(result.get("content"));
        let by_order = || asked.get(number).and_then(|call| super::name(call, &["tool_call_id"]));
        match super::name(result, &["source_call_id"]).or_else(by_order) {
            Some(id) => unused += u64::from(!script.answer(script::result(Some(id), content, false))),
            None => script.say(Role::User, content),
        }
    }
    unused
}

fn tool_use(call: &Value) -> Part {
    let name = call.get("function_name").and_then(Value::as_str).unwrap_or_default();
    script::tool_use(API, super::name(call, &["tool_call_id"]), name, call.get("arguments"))
}

/// A system step amid the talk; false where it is no compaction.
fn note(script: &mut Script, step: &Value) -> bool {
    let management = step.pointer("/extra/context_management/type").and_then(Value::as_str);
    let is_compaction = management == Some("compaction");
    if is_compaction {
        script.cut(Cut { time: super::time(step.get("timestamp")), ..Cut::default() });
    }
    is_compaction
}

/// Usage whose input counts cached tokens in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |member: &str| value?.get(member)?.as_u64();
    Some(Usage {
        input: count("prompt_tokens")?,
        output: count("completion_tokens").unwrap_or(0),
        cache_read: count("cached_tokens").unwrap_or(0),
        cache_write: 0,
    })
}
