//! Whose log it is: frames of one kind of log to records.
//!
//! A format is one file and one line of [`FORMATS`]. It recognises its own frames by content, never by a file's name, and
//! reading never fails on content: what cannot be used becomes a [`Record::Defect`] with its place. Its `//!` says where
//! ids, session, model, status, usage, times and compaction markers come from, and what the format can never tell.

use std::io;

use serde_json::Value;

use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Defect, Message, Place, Record, Role, SessionCall, Time, Usage};

mod adk;
mod atif;
mod batch_input;
mod bedrock;
mod bodies;
mod claude_code;
mod cline;
mod codex;
mod copilot;
mod counts;
mod gateway_rows;
mod gemini_cli;
mod http_capture;
mod inspect;
mod langfuse;
mod langsmith;
mod litellm;
mod messages;
mod mini_swe_agent;
mod native;
mod opencode;
mod openhands;
mod pi;
mod prompts;
mod script;
mod sessions;
mod swe_agent;
mod tau2;
mod tau;
mod vercel_ui;

/// What one record of a log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One call with its whole message list, perhaps with response and status.
    RequestLog,
    /// One increment; the requests are implied.
    Transcript,
    /// The last message list of a conversation.
    Conversation,
}

/// One kind of log.
pub struct Format {
    /// The name given to `--format`.
    pub id: &'static str,
    /// One sentence: whose log it is.
    pub about: &'static str,
    pub shape: Shape,
    /// Whether a frame is of this kind.
    pub sniff: fn(&Frame) -> bool,
    /// Turns frames into records, to the end of the input.
    pub read: fn(&mut Frames, &mut dyn FnMut(Record)) -> io::Result<()>,
}

/// Every format; at most one sniffs a given frame.
pub const FORMATS: &[Format] = &[
    native::FORMAT,
    bodies::ANTHROPIC,
    bodies::OPENAI,
    bodies::RESPONSES,
    bodies::GEMINI,
    bodies::BEDROCK,
    bodies::MISTRAL,
    sessions::FORMAT,
    tau::FORMAT,
    tau2::FORMAT,
    claude_code::FORMAT,
    messages::FORMAT,
    codex::FORMAT,
    mini_swe_agent::FORMAT,
    swe_agent::FORMAT,
    copilot::FORMAT,
    opencode::FORMAT,
    pi::FORMAT,
    cline::FORMAT,
    gemini_cli::FORMAT,
    openhands::FORMAT,
    inspect::FORMAT,
    atif::FORMAT,
    vercel_ui::FORMAT,
    litellm::FORMAT,
    batch_input::FORMAT,
    bedrock::FORMAT,
    gateway_rows::HELICONE,
    gateway_rows::PORTKEY,
    adk::FORMAT,
    langfuse::FORMAT,
    langsmith::FORMAT,
    counts::FORMAT,
    http_capture::VCR,
    http_capture::HAR,
];

/// The format of that name.
pub fn format(id: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.id == id)
}

/// The format that the first recognised frame of a head is of.
pub fn detect(head: &[&Frame]) -> Option<&'static Format> {
    head.iter().find_map(|frame| FORMATS.iter().find(|format| (format.sniff)(frame)))
}

/// The same where the user states that requests are in `api`: a log that is recognised as nothing else, and that can
/// hold bodies of it, holds them.
pub fn detect_in(head: &[&Frame], api: Api) -> Option<&'static Format> {
    let known = detect(head);
    let is_open = known.is_none_or(|format| bodies::are_read_by(format) || format.id == messages::FORMAT.id);
    if is_open && head.iter().any(|frame| can_be_body(&frame.value, api)) { format(bodies::id(api)) } else { known }
}

fn can_be_body(value: &Value, api: Api) -> bool {
    let signs = ["messages", "input", "contents", "model", "modelId"];
    signs.iter().any(|sign| value.get(sign).is_some()) && (dialects::for_api(api).parse)(value.clone()).is_ok()
}

/// Reads a log whose requests are in `api`, as the user states, whatever they look like or say themselves: bare bodies
/// and Cutpoint's own log. Any other format is in a language of its own.
pub fn read_in(format: &Format, api: Api, frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    if bodies::are_read_by(format) {
        bodies::read(frames, emit, api)
    } else if format.id == native::FORMAT.id {
        native::read_in(frames, emit, Some(api))
    } else {
        (format.read)(frames, emit)
    }
}

/// The calls that a message list implies: one at every assistant message that does not follow another one and is not
/// the first message; its full prompt is all messages before it.
pub fn implied_calls(messages: &[Message]) -> Vec<SessionCall> {
    let assistant = |index: usize| messages[index].role == Role::Assistant;
    let calls = (1..messages.len()).filter(|&index| assistant(index) && !assistant(index - 1));
    calls.map(|index| SessionCall { upto: index as u32, ..SessionCall::default() }).collect()
}

/// Reads frame by frame; `one` gives the records of a frame, or why it has none.
fn each(
    frames: &mut Frames,
    emit: &mut dyn FnMut(Record),
    mut one: impl FnMut(Frame, &mut dyn FnMut(Record)) -> Result<(), String>,
) -> io::Result<()> {
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => {
                let place = frame.place.clone();
                if let Err(reason) = one(frame, emit) {
                    emit(defect(place, reason));
                }
            }
        }
    }
    Ok(())
}

fn defect(place: Place, reason: impl Into<String>) -> Record {
    Record::Defect(Defect { place, reason: reason.into() })
}

/// The first of these members that is a string, or a number written as one.
fn name(value: &Value, members: &[&str]) -> Option<String> {
    members.iter().find_map(|member| match value.get(member)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// A point in time: ISO 8601 with or without zone (then UTC), or seconds or milliseconds since 1970.
fn time(value: Option<&Value>) -> Option<Time> {
    match value? {
        Value::String(text) => iso_time(text),
        Value::Number(number) => epoch_time(number.as_f64()?),
        _ => None,
    }
}

fn iso_time(text: &str) -> Option<Time> {
    let rfc3339 = &time::format_description::well_known::Rfc3339;
    let text = text.trim().replacen(' ', "T", 1);
    Time::parse(&text, rfc3339).or_else(|_| Time::parse(&format!("{text}Z"), rfc3339)).ok()
}

fn epoch_time(number: f64) -> Option<Time> {
    let seconds = if number.abs() > 1e11 { number / 1e3 } else { number };
    Time::from_unix_timestamp_nanos((seconds * 1e9) as i128).ok()
}

/// Token counts in the words of any API or in our own; input counts cached tokens in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let value = value?;
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    if let Some(input) = count("/prompt_tokens") {
        return Some(Usage {
            input,
            output: count("/completion_tokens").unwrap_or(0),
            cache_read: count("/prompt_tokens_details/cached_tokens").unwrap_or(0),
            cache_write: 0,
        });
    }
    if let Some(input) = count("/input_tokens") {
        let cache_read = count("/cache_read_input_tokens").unwrap_or(0);
        let cache_write = count("/cache_creation_input_tokens").unwrap_or(0);
        let input = input.saturating_add(cache_read).saturating_add(cache_write);
        return Some(Usage { input, output: count("/output_tokens").unwrap_or(0), cache_read, cache_write });
    }
    if let Some(input) = count("/promptTokenCount") {
        let thoughts = count("/thoughtsTokenCount").unwrap_or(0);
        return Some(Usage {
            input,
            output: count("/candidatesTokenCount").unwrap_or(0).saturating_add(thoughts),
            cache_read: count("/cachedContentTokenCount").unwrap_or(0),
            cache_write: 0,
        });
    }
    if let Some(input) = count("/inputTokens") {
        let cache_read = count("/cacheReadInputTokens").unwrap_or(0);
        let cache_write = count("/cacheWriteInputTokens").unwrap_or(0);
        let input = input.saturating_add(cache_read).saturating_add(cache_write);
        return Some(Usage { input, output: count("/outputTokens").unwrap_or(0), cache_read, cache_write });
    }
    Some(Usage {
        input: count("/input")?,
        output: count("/output").unwrap_or(0),
        cache_read: count("/cache_read").unwrap_or(0),
        cache_write: count("/cache_write").unwrap_or(0),
    })
}

/// The host of a URL, or of what was written in the place of one.
fn host(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    host.contains('.').then(|| host.to_ascii_lowercase())
}

fn status(value: Option<&Value>) -> Option<u16> {
    let value = value?;
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number).ok()
}

/// An error as one text: the string itself, else compact JSON.
fn error_text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether an object holds a list of entries with roles under that name.
fn has_messages(value: &Value, member: &str) -> bool {
    let messages = value.get(member).and_then(Value::as_array);
    messages.is_some_and(|messages| messages.iter().all(|message| message.get("role").is_some()))
}
