//! Langfuse: observations and traces as it exports them (JSON, a line each, or one trace with its observations), and the
//! batches that its older clients send to `/api/public/ingestion`.
//!
//! Each `GENERATION` is one call: `input` is its prompt, in whatever shape the framework had (see `prompts`), `output` its
//! answer. The id is the observation's. The session is the trace's `sessionId`, else the trace: a trace whose app never
//! names sessions is one run. `model` (or `provided_model_name`) names the model, `modelParameters` hold `max_tokens`,
//! perhaps as text. Times are `startTime` in ISO 8601; exports are not in their order, so calls are sorted by it. Usage is
//! `usageDetails` (or `usage`), whose `input` counts cached tokens apart. A failure is `level: ERROR`, with the status
//! and the provider's words in `statusMessage`, as free text. Events of one observation are merged, later ones over
//! earlier ones. A generation that a second tracer recorded around another with the same prompt counts once.
//!
//! Never told: the body as the provider got it, members that the framework did not hand on, prompts kept as plain text
//! or left out of the export; these are defects. Compactions are not marked.

use std::collections::HashMap;
use std::io;

use serde_json::Value;

use super::prompts::{self, status};
use super::{Format, Shape, defect};
use crate::frame::{Frame, Frames};
use crate::model::{Call, Fields, Place, Record, Reply, Usage};

/// The format `langfuse`.
pub const FORMAT: Format = Format {
    id: "langfuse",
    about: "Langfuse's traces and observations, exported or as its clients send them",
    shape: Shape::RequestLog,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    let value = &frame.value;
    let is_observation = |value: &Value| id_of(value, "traceId").is_some() && value["type"].is_string();
    let first = |list: &str| value.get(list).and_then(|list| list.as_array()?.first());
    is_observation(value)
        || first("observations").is_some_and(is_observation)
        || first("batch").is_some_and(is_event)
        || is_event(value)
}

/// Whether a value is an event of a client's batch.
fn is_event(value: &Value) -> bool {
    let kinds = ["trace-create", "generation-create", "generation-update", "span-create", "event-create"];
    value["type"].as_str().is_some_and(|kind| kinds.contains(&kind)) && value.get("body").is_some()
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut traces = Traces::default();
    super::each(frames, emit, |frame, _| {
        traces.take(frame.value, &frame.place);
        Ok(())
    })?;
    frames.bookkeeping(traces.n_others);
    traces.tell(emit);
    Ok(())
}

/// What a file says of its traces.
#[derive(Default)]
struct Traces {
    generations: Vec<Generation>,
    /// By id.
    known: HashMap<String, usize>,
    /// Sessions by trace.
    sessions: HashMap<String, String>,
    /// Observations that are no calls.
    n_others: u64,
}

/// One generation, its events merged.
struct Generation {
    place: Place,
    fields: Fields,
}

impl Traces {
    fn take(&mut self, mut value: Value, place: &Place) {
        let inner = ["trace", "observations", "batch"].map(|name| value.get_mut(name).map(Value::take));
        let [trace, observations, batch] = inner;
        self.take_session(trace.as_ref().unwrap_or(&value));
        for list in [observations, batch] {
            match list {
                Some(Value::Array(entries)) => entries.into_iter().for_each(|entry| self.take_one(entry, place)),
                Some(_) => {}
                None => continue,
            }
            return;
        }
        self.take_one(value, place);
    }

    fn take_one(&mut self, mut entry: Value, place: &Place) {
        if is_event(&entry) {
            let body = entry["body"].take();
            match entry["type"].as_str() {
                Some("generation-create" | "generation-update") => self.take_generation(body, place),
                Some("trace-create") => self.take_session(&body),
                _ => self.n_others += 1,
            }
        } else if entry["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("generation")) {
            self.take_generation(entry, place);
        } else {
            self.n_others += 1;
        }
    }

    fn take_session(&mut self, trace: &Value) {
        let session = id_of(trace, "sessionId");
        if let Some((trace, session)) = id_of(trace, "traceId").or_else(|| id_of(trace, "id")).zip(session) {
            self.sessions.insert(trace, session);
        }
    }

    fn take_generation(&mut self, observation: Value, place: &Place) {
        self.take_session(&observation);
        let next = self.generations.len();
        let at = id_of(&observation, "id").map_or(next, |id| *self.known.entry(id).or_insert(next));
        let Value::Object(fields) = observation else { return };
        let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
        match self.generations.get_mut(at) {
            Some(generation) => generation.fields.extend(fields),
            None => self.generations.push(Generation { place: place.clone(), fields: fields.collect() }),
        }
    }

    /// Hands on the calls in the order of their times.
    fn tell(mut self, emit: &mut dyn FnMut(Record)) {
        let repeated = self.repeated();
        let mut calls = Vec::new();
        for (index, generation) in std::mem::take(&mut self.generations).into_iter().enumerate() {
            let place = generation.place.clone();
            if repeated.contains(&index) {
                continue;
            }
            match self.call(generation) {
                Ok(call) => calls.push(call),
                Err(reason) => emit(defect(place, reason)),
            }
        }
        calls.sort_by_key(|call| call.time);
        calls.into_iter().for_each(|call| emit(Record::Call(Box::new(call))));
    }

    /// The generations around another one with the same prompt.
    fn repeated(&self) -> Vec<usize> {
        let around = |inner: &Generation| {
            let outer = *self.known.get(inner.fields.get("parentObservationId")?.as_str()?)?;
            let input = |generation: &Generation| generation.fields.get("input").cloned();
            (input(&self.generations[outer]) == input(inner)).then_some(outer)
        };
        self.generations.iter().filter_map(around).collect()
    }

    fn call(&self, generation: Generation) -> Result<Call, String> {
        let Generation { place, mut fields } = generation;
        let output = fields.shift_remove("output").unwrap_or_default();
        let prompt = fields.shift_remove("input").ok_or("the generation has no `input`: export it with its input")?;
        let observation = Value::Object(fields);
        let mut request = prompts::request(prompt, parameters(&observation), &output)?;
        request.model =
            super::name(&observation, &["model", "provided_model_name", "providedModelName"]).or(request.model);
        let trace = id_of(&observation, "traceId");
        let session = trace.as_ref().and_then(|trace| self.sessions.get(trace)).cloned();
        Ok(Call {
            judged: None,
            id: id_of(&observation, "id"),
            server: None,
            session: session.or(trace),
            time: super::time(observation.get("startTime").or_else(|| observation.get("start_time"))),
            reply: reply(&observation),
            response: prompts::answer(output, &request),
            request,
            place,
        })
    }
}

/// The parameters of the model; numbers were perhaps kept as text.
fn parameters(observation: &Value) -> Fields {
    let kept = prompts::unpacked(observation.get("modelParameters").cloned().unwrap_or_default());
    let Value::Object(fields) = kept else { return Fields::new() };
    let number = |value: Value| match value.as_str().map(str::parse::<u64>) {
        Some(Ok(number)) => number.into(),
        _ => value,
    };
    fields.into_iter().map(|(name, value)| (name, number(value))).collect()
}

fn reply(observation: &Value) -> Reply {
    let failed = observation["level"] == "ERROR";
    let said = observation["statusMessage"].as_str().filter(|_| failed);
    Reply {
        status: if failed { said.and_then(status::of) } else { Some(200) },
        error: said.map(str::to_owned),
        usage: usage(observation.get("usageDetails").or_else(|| observation.get("usage"))),
    }
}

/// Langfuse counts cached tokens beside `input`.
fn usage(told: Option<&Value>) -> Option<Usage> {
    let told = told?;
    let count = |names: &[&str]| names.iter().find_map(|name| told.get(*name)?.as_u64()).unwrap_or(0);
    let fresh = told.get("input").or_else(|| told.get("promptTokens"))?.as_u64()?;
    let cache_read = count(&["input_cached_tokens", "cache_read_input_tokens", "input_cache_read"]);
    let cache_write = count(&["cache_creation_input_tokens", "input_cache_creation"]);
    let input = fresh.saturating_add(cache_read).saturating_add(cache_write);
    let output = count(&["output", "completionTokens"]);
    (input > 0 || output > 0).then_some(Usage { input, output, cache_read, cache_write })
}

fn id_of(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}
