//! tau-bench trajectories: one JSON array of runs, each `{"task_id", "trial", "traj", "reward", "info"}`.
//!
//! The session is `task_id/trial`; `traj` is the final OpenAI message list with the system prompt as its first message.
//! Calls are implied. The format can never tell model, times, status, usage, tool schemas or compactions, and its
//! harness keeps one tool call of each parallel set. Tool-call ids repeat inside a session: pairing goes by position.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Conversation, Gaps, Preface, Record};

/// The format `tau-bench`.
pub const FORMAT: Format = Format {
    id: "tau-bench",
    about: "tau-bench result files: an array of runs with their final message lists",
    shape: Shape::Conversation,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    frame.value.get("task_id").is_some() && super::has_messages(&frame.value, "traj")
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Conversation(Box::new(conversation(frame)?)));
        Ok(())
    })
}

fn conversation(mut frame: Frame) -> Result<Conversation, String> {
    let task = super::name(&frame.value, &["task_id"]).ok_or("the run has no `task_id`")?;
    let session = match super::name(&frame.value, &["trial"]) {
        Some(trial) => format!("{task}/{trial}"),
        None => task,
    };
    let Some(Value::Array(messages)) = frame.value.get_mut("traj").map(Value::take) else {
        return Err("the run has no `traj` list".to_owned());
    };
    let dialect = dialects::for_api(Api::OpenaiChat);
    Ok(Conversation {
        place: frame.place,
        session,
        parent: None,
        api: Api::OpenaiChat,
        model: None,
        preface: Preface::default(),
        tools: None,
        messages: messages.into_iter().map(dialect.parse_message).collect(),
        calls: None,
        compactions: Vec::new(),
        gaps: Gaps::default(),
    })
}
