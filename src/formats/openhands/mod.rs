//! OpenHands events: an array of them, one a line, or the lines of an evaluation's `output.jsonl` (`history`).
//!
//! The session is `instance_id`, else the place; the model that of the first answer, else of the run's settings. Events
//! are written here as OpenAI Chat messages. In V0 (see [`v0`]) an event is an action or an observation and repeats the
//! whole `model_response`: actions of one response are one call, whose usage (prompt tokens count cached ones in) is
//! taken once. In V1 (see [`v1`]) events have a `kind`, and actions of one `llm_response_id` are one call. Times are
//! `timestamp` (ISO 8601, no zone: taken as UTC). A tool call without observation is left out by the client when it
//! goes on, and so it is here.
//!
//! A condensation names the events that left, one by one or by first and last id, and the summary that was put in; the
//! stream itself is never rewritten. State changes, recalls and requests for a condensation count as bookkeeping.
//!
//! V0 has usage where a response is there, V1 none. Neither tells the status of a call, failed calls, tokens around a
//! condensation, or where in the list a summary stood.

mod v0;
mod v1;

use std::collections::HashMap;
use std::io;

use serde_json::Value;

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Part, Place, Record, Role, SessionCall, Time};

/// The format `openhands`.
pub const FORMAT: Format =
    Format { id: "openhands", about: "event streams of OpenHands, V0 and V1", shape: Shape::Transcript, sniff, read };

/// The API in whose form messages are written.
const API: Api = Api::OpenaiChat;

fn sniff(frame: &Frame) -> bool {
    let pair = |entry: &Value| entry.as_array().is_some_and(|pair| pair.iter().all(v0::is_event));
    let history = frame.value.get("history").and_then(Value::as_array);
    let listed = |entry: &Value| is_event(entry) || pair(entry);
    is_event(&frame.value) || history.is_some_and(|events| !events.is_empty() && events.iter().all(listed))
}

fn is_event(value: &Value) -> bool {
    v0::is_event(value) || v1::is_event(value)
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let whole = frames.place();
    let mut stream = Stream::new();
    let mut unused = 0;
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => match frame.value.get("history").and_then(Value::as_array) {
                Some(events) => {
                    let mut run = Stream::new();
                    unused += run.events(events);
                    run.model = run.model.or_else(|| configured(&frame.value));
                    let session = super::name(&frame.value, &["instance_id"]);
                    run.emit(session, frame.place, emit);
                }
                None if is_event(&frame.value) => unused += u64::from(!stream.event(&frame.value)),
                None => emit(super::defect(frame.place, "not an event: neither action, observation nor known kind")),
            },
        }
    }
    stream.emit(None, whole, emit);
    frames.bookkeeping(unused);
    Ok(())
}

/// The model that a run was set to use.
fn configured(run: &Value) -> Option<String> {
    run.pointer("/metadata/llm_config/model")?.as_str().map(str::to_owned)
}

/// A stream of events while it is being read.
struct Stream {
    script: Script,
    /// The entry that each event became.
    numbers: HashMap<String, usize>,
    /// The turn of the last response, by its id.
    open: Option<(String, usize)>,
    model: Option<String>,
    tools: Option<Value>,
}

impl Stream {
    fn new() -> Stream {
        let script = Script::new(API, Unanswered::Dropped);
        Stream { script, numbers: HashMap::new(), open: None, model: None, tools: None }
    }

    /// Takes events and pairs of them in; answers how many say nothing on the wire.
    fn events(&mut self, events: &[Value]) -> u64 {
        let flat = events.iter().flat_map(|entry| entry.as_array().map_or(std::slice::from_ref(entry), Vec::as_slice));
        flat.map(|event| u64::from(!self.event(event))).sum()
    }

    /// Takes an event in; false where it says nothing on the wire.
    fn event(&mut self, event: &Value) -> bool {
        let number = self.script.next();
        let used = if v1::is_event(event) { v1::event(self, event) } else { v0::event(self, event) };
        let id = super::name(event, &["id"]).filter(|_| self.script.next() > number);
        self.numbers.extend(id.map(|id| (id, number)));
        used
    }

    /// The turn of a response: the open one, or a new one with its call.
    fn turn(&mut self, response: String, time: Option<Time>, parts: Vec<Part>) -> &mut SessionCall {
        let at = match &self.open {
            Some((open, at)) if *open == response && !response.is_empty() => {
                self.script.extend(*at, parts);
                *at
            }
            _ => self.script.turn(parts, Some(SessionCall { time, ..SessionCall::default() })),
        };
        self.open = Some((response, at));
        self.script.call_of(at).expect("every turn of a stream has its call")
    }

    /// Whether the last turn is of that response.
    fn is_open(&self, response: &str) -> bool {
        self.open.as_ref().is_some_and(|(open, _)| open == response)
    }

    /// A condensation: everything stayed but what it names.
    fn condensed(&mut self, facts: &Value, time: Option<Time>) {
        let ids = facts.get("forgotten_event_ids").and_then(Value::as_array).into_iter().flatten();
        let mut gone: Vec<usize> = ids.filter_map(text_id).filter_map(|id| self.numbers.get(&id).copied()).collect();
        let bound = |member: &str| facts.get(member).and_then(Value::as_u64);
        if let (Some(first), Some(last)) = (bound("forgotten_events_start_id"), bound("forgotten_events_end_id")) {
            let between = |id: &str| id.parse().is_ok_and(|id: u64| (first..=last).contains(&id));
            gone.extend(self.numbers.iter().filter(|(id, _)| between(id)).map(|(_, number)| *number));
        }
        gone.sort_unstable();
        let kept = self.script.all().into_iter().filter(|number| gone.binary_search(number).is_err()).collect();
        let summary = script::content(facts.get("summary"));
        let summary = Some(summary).filter(|summary| !summary.is_empty());
        let inserted = summary.map(|summary| script::message(API, Role::User, summary)).into_iter().collect();
        self.script.cut(Cut { kept, inserted, time, ..Cut::default() });
    }

    fn emit(self, session: Option<String>, place: Place, emit: &mut dyn FnMut(Record)) {
        if !self.script.is_empty() {
            let session = session.unwrap_or_else(|| place.to_string());
            let head = Head { place, session, parent: None, model: self.model, system: None, tools: self.tools };
            emit(Record::Conversation(Box::new(self.script.conversation(head))));
        }
    }
}

/// An id as text, whether it was written as a number or not.
fn text_id(id: &Value) -> Option<String> {
    match id {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
