//! Sessions of Google's Agent Development Kit: events one a line, or one document `{"id", "events"}`, in either spelling of
//! its members (`end_timestamp`, `endTimestamp`).
//!
//! An event is one content of Gemini. Its author tells who speaks: `user`, or the name of an agent, whose responses of
//! functions are the user's on the wire. The session is the document's `id`, else the place; the model is
//! `modelVersion`, where an event states it. Each run of an agent's contents is a call, with the event's `timestamp`
//! (seconds since 1970) and `usageMetadata` (thoughts are added to the output); `errorCode` ends a call without content.
//! An event of a stream that goes on (`partial`) is bookkeeping. `actions.compaction` is a compaction: a closed range of
//! times that its content stands for from there on. Where several events share the time at which the range ends, all
//! are taken as gone, and the tie is told.
//!
//! The format can never tell the system instruction, tool schemas, or a status.

use std::io;

use serde_json::{Value, json};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{
    Api, Compaction, Conversation, Gaps, Message, Origin, Place, Preface, Record, Reply, Role, SessionCall, Usage,
};

/// The format `adk`.
pub const FORMAT: Format = Format {
    id: "adk",
    about: "events of sessions of Google's Agent Development Kit",
    shape: Shape::Transcript,
    sniff: |frame| is_event(&frame.value) || events(&frame.value).is_some_and(|events| events.iter().any(is_event)),
    read,
};

fn events(value: &Value) -> Option<&[Value]> {
    value.get("events")?.as_array().map(Vec::as_slice)
}

fn is_event(value: &Value) -> bool {
    let says = value.pointer("/content/parts").is_some_and(Value::is_array) || compaction(value).is_some();
    says && value.get("author").is_some_and(Value::is_string) && value.get("timestamp").is_some_and(Value::is_number)
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let place = frames.place();
    let mut lines = Session::new(place.to_string(), place);
    super::each(frames, emit, |mut frame: Frame, emit| {
        match frame.value.get_mut("events").map(Value::take) {
            Some(Value::Array(events)) => {
                let id = super::name(&frame.value, &["id", "sessionId", "session_id"]);
                let mut session = Session::new(id.unwrap_or_else(|| frame.place.to_string()), frame.place);
                events.iter().for_each(|event| session.take(event));
                session.tell(emit);
            }
            Some(_) => return Err("`events` is no list".to_owned()),
            None if frame.value.get("author").is_none() => return Err("no event: it has no `author`".to_owned()),
            None => lines.take(&frame.value),
        }
        Ok(())
    })?;
    frames.bookkeeping(lines.unused);
    lines.tell(emit);
    Ok(())
}

/// A session while it is read.
struct Session {
    conversation: Conversation,
    calls: Vec<SessionCall>,
    /// The time of each message.
    times: Vec<f64>,
    /// Whether each has left.
    gone: Vec<bool>,
    unused: u64,
}

impl Session {
    fn new(session: String, place: Place) -> Session {
        let conversation = Conversation {
            place,
            session,
            parent: None,
            api: Api::GeminiGenerateContent,
            model: None,
            preface: Preface::default(),
            tools: None,
            messages: Vec::new(),
            calls: None,
            compactions: Vec::new(),
            gaps: Gaps::default(),
        };
        Session { conversation, calls: Vec::new(), times: Vec::new(), gone: Vec::new(), unused: 0 }
    }

    fn take(&mut self, event: &Value) {
        if let Some(compaction) = compaction(event) {
            return self.compact(compaction, event);
        }
        let message = event.get("content").and_then(|content| message(content, event));
        let Some(message) = message.filter(|_| event["partial"] != true) else {
            self.unused += u64::from(event.get("errorCode").is_none());
            return self.fail(event);
        };
        if self.conversation.model.is_none() {
            self.conversation.model = super::name(event, &["modelVersion", "model_version"]);
        }
        let goes_on = self.conversation.messages.last().is_some_and(|last| last.role == Role::Assistant);
        if message.role == Role::Assistant && !goes_on && !self.conversation.messages.is_empty() {
            let reply = Reply { status: None, error: None, usage: usage(event) };
            self.calls.push(SessionCall {
                upto: self.next(),
                time: super::time(event.get("timestamp")),
                reply,
                ..Default::default()
            });
        }
        self.conversation.messages.push(message);
        self.times.push(event["timestamp"].as_f64().unwrap_or(f64::NAN));
        self.gone.push(false);
    }

    fn next(&self) -> u32 {
        self.conversation.messages.len() as u32
    }

    /// A call that ended without content.
    fn fail(&mut self, event: &Value) {
        let Some(code) = super::name(event, &["errorCode", "error_code"]) else { return };
        let words = super::name(event, &["errorMessage", "error_message"]).unwrap_or_default();
        let reply = Reply { status: code.parse().ok(), error: Some(format!("{code}: {words}")), usage: None };
        self.calls.push(SessionCall {
            upto: self.next(),
            time: super::time(event.get("timestamp")),
            reply,
            ..Default::default()
        });
    }

    fn compact(&mut self, compaction: &Value, event: &Value) {
        let time = |names: [&str; 2]| names.iter().find_map(|name| compaction.get(*name)?.as_f64());
        let from = time(["start_timestamp", "startTimestamp"]).unwrap_or(f64::NEG_INFINITY);
        let to = time(["end_timestamp", "endTimestamp"]).unwrap_or(f64::INFINITY);
        let covered = |at: &usize| !self.gone[*at] && from <= self.times[*at] && self.times[*at] <= to;
        let evicted: Vec<u32> = (0..self.gone.len()).filter(covered).map(|at| at as u32).collect();
        let n_last = evicted.iter().filter(|at| self.times[**at as usize] == to).count();
        if n_last > 1 {
            self.conversation.gaps.ties.push(self.conversation.compactions.len() as u32);
        }
        evicted.iter().for_each(|at| self.gone[*at as usize] = true);
        let content = ["compacted_content", "compactedContent"].iter().find_map(|name| compaction.get(*name));
        self.conversation.compactions.push(Compaction {
            call: self.calls.len() as u32,
            origin: Origin::Marked,
            trigger: None,
            tokens_before: None,
            tokens_after: None,
            evicted,
            inserted: content.and_then(|content| message(content, event)).into_iter().collect(),
            time: super::time(event.get("timestamp")),
        });
    }

    fn tell(mut self, emit: &mut dyn FnMut(Record)) {
        if !self.conversation.messages.is_empty() {
            self.conversation.calls = Some(self.calls);
            emit(Record::Conversation(Box::new(self.conversation)));
        }
    }
}

fn compaction(event: &Value) -> Option<&Value> {
    event.pointer("/actions/compaction").filter(|compaction| compaction.is_object())
}

/// A content on the wire: what functions gave back is the user's, whoever logged it.
fn message(content: &Value, event: &Value) -> Option<Message> {
    let parts = content.get("parts")?.as_array().filter(|parts| !parts.is_empty())?;
    let answers = parts.iter().any(|part| part.get("functionResponse").or(part.get("function_response")).is_some());
    let role = if answers || event["author"] == "user" { "user" } else { "model" };
    Some((dialects::for_api(Api::GeminiGenerateContent).parse_message)(json!({"role": role, "parts": parts})))
}

fn usage(event: &Value) -> Option<Usage> {
    let told = event.get("usageMetadata").or_else(|| event.get("usage_metadata"))?;
    let count = |names: [&str; 2]| names.iter().find_map(|name| told.get(*name)?.as_u64());
    let thoughts = count(["thoughtsTokenCount", "thoughts_token_count"]).unwrap_or(0);
    Some(Usage {
        input: count(["promptTokenCount", "prompt_token_count"])?,
        output: count(["candidatesTokenCount", "candidates_token_count"]).unwrap_or(0) + thoughts,
        cache_read: count(["cachedContentTokenCount", "cached_content_token_count"]).unwrap_or(0),
        cache_write: 0,
    })
}
