//! LangSmith runs, as its client lists them and its command line exports them: one run a line, a list, or one alone.
//!
//! Each run of type `llm` is one call; chains and tools repeat its messages and are bookkeeping. `inputs` hold the prompt
//! (LangChain's messages in a list of lists, or those of a wrapped client; see `prompts`), `outputs` the answer. The id is
//! `id` (or `run_id`). The conversation is `extra.metadata`'s `thread_id`, `session_id` or `conversation_id`, else
//! `trace_id`; the run's own `session_id` is the project. Model and parameters stand in `extra.invocation_params`, the
//! model perhaps in `extra.metadata.ls_model_name`. Times are `start_time` in ISO 8601, UTC without a zone; runs are put
//! in the order of their times, and of `dotted_order` where these are equal. Usage is `prompt_tokens` and `completion_tokens`, or that of the
//! answer. `error` is a Python traceback: the status is read out of it.
//!
//! Never told: the body as the provider got it (an adapter made it), and a run that was never patched has no answer.
//! Compactions are not marked.

use std::io;

use serde_json::Value;

use super::prompts::{self, status};
use super::{Format, Shape, defect};
use crate::frame::{Frame, Frames};
use crate::model::{Call, Fields, Record, Reply, Usage};

/// The format `langsmith`.
pub const FORMAT: Format = Format {
    id: "langsmith",
    about: "runs exported from LangSmith",
    shape: Shape::RequestLog,
    sniff: |frame| frame.value.get("run_type").is_some_and(Value::is_string) && frame.value.get("inputs").is_some(),
    read,
};

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut calls: Vec<(String, Call)> = Vec::new();
    let mut n_others = 0;
    super::each(frames, emit, |frame, emit| {
        if frame.value["run_type"] != "llm" {
            n_others += 1;
            return Ok(());
        }
        let order = super::name(&frame.value, &["dotted_order"]).unwrap_or_default();
        let place = frame.place.clone();
        match call(frame) {
            Ok(call) => calls.push((order, call)),
            Err(reason) => emit(defect(place, reason)),
        }
        Ok(())
    })?;
    frames.bookkeeping(n_others);
    calls.sort_by(|(order, call), (other_order, other)| (call.time, order).cmp(&(other.time, other_order)));
    calls.into_iter().for_each(|(_, call)| emit(Record::Call(Box::new(call))));
    Ok(())
}

fn call(mut frame: Frame) -> Result<Call, String> {
    let run = &mut frame.value;
    let member = |run: &mut Value, name| prompts::unpacked(run.get_mut(name).map(Value::take).unwrap_or_default());
    let (inputs, outputs) = (member(run, "inputs"), member(run, "outputs"));
    let extra = member(run, "extra");
    let (asked, metadata) = (&extra["invocation_params"], &extra["metadata"]);
    let output = outputs.pointer("/generations/0/0/message").unwrap_or(&outputs).clone();
    let mut request = prompts::request(inputs, parameters(asked), &output)?;
    let model = super::name(asked, &["model", "model_name"]).or_else(|| super::name(metadata, &["ls_model_name"]));
    request.model = model.or(request.model);
    let thread = super::name(metadata, &["thread_id", "session_id", "conversation_id"]);
    let error = super::error_text(run.get("error"));
    Ok(Call {
        judged: None,
        id: super::name(run, &["id", "run_id"]),
        server: None,
        session: thread.or_else(|| super::name(run, &["trace_id"])),
        time: super::time(run.get("start_time")),
        reply: Reply {
            status: match &error {
                Some(text) => status::of(text),
                None => run.get("end_time").filter(|time| !time.is_null()).map(|_| 200),
            },
            error,
            usage: usage(run, &output),
        },
        response: prompts::answer(output, &request),
        request,
        place: frame.place,
    })
}

/// The parameters that were asked for; members that begin with `_` are the framework's.
fn parameters(asked: &Value) -> Fields {
    let fields = asked.as_object().cloned().unwrap_or_default();
    fields.into_iter().filter(|(name, value)| !name.starts_with('_') && !value.is_null()).collect()
}

fn usage(run: &Value, output: &Value) -> Option<Usage> {
    let told = [run.get("prompt_tokens").map(|_| run), output.get("usage"), output.pointer("/kwargs/usage_metadata")];
    told.into_iter().find_map(super::usage).filter(|usage| usage.input > 0)
}
