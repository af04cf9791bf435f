//! Lines that hold the size of a request and not its text: what is left where nobody may store prompts.
//!
//! ```json
//! {"model": "gpt-4.1", "window": 131072, "input_tokens": 122880, "max_tokens": 8192, "status": 200}
//! ```
//!
//! `input_tokens` (or `prompt_tokens`) is all of the prompt, `max_tokens` (or `max_output_tokens`, or
//! `max_completion_tokens`) what it reserves for output, `window` (or `context_window`) the model's window; without that
//! the catalogue's counts. `session`, `id`, `time`, `status` and `error` are those of Cutpoint's own log, `api` as well
//! (OpenAI Chat where it is absent).
//!
//! Never told: anything but size. Such lines can be checked against the window; they cannot be replayed.

use std::io;

use serde_json::{Value, json};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Counted, Record, Reply, Tokens};

/// The format `counts`.
pub const FORMAT: Format = Format {
    id: "counts",
    about: "sizes of requests without their text, one a line",
    shape: Shape::RequestLog,
    sniff,
    read,
};

const INPUT: &[&str] = &["input_tokens", "prompt_tokens"];
const OUTPUT: &[&str] = &["max_tokens", "max_output_tokens", "max_completion_tokens"];
const WINDOW: &[&str] = &["window", "context_window"];
const TEXT: &[&str] = &["messages", "input", "contents", "request", "request_body", "response", "usage"];

fn sniff(frame: &Frame) -> bool {
    let has = |members: &[&str]| members.iter().any(|member| frame.value.get(member).is_some());
    has(INPUT) && (has(OUTPUT) || has(WINDOW)) && !has(TEXT)
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Call(Box::new(call(frame)?)));
        Ok(())
    })
}

fn call(frame: Frame) -> Result<Call, String> {
    let line = &frame.value;
    let api = match super::name(line, &["api"]) {
        Some(id) => Api::from_id(&id).ok_or_else(|| format!("`api` is `{id}`, which is no API of ours"))?,
        None => Api::OpenaiChat,
    };
    // Chat's body can be empty in every API's terms; only its size is looked at.
    let mut request = (dialects::for_api(Api::OpenaiChat).parse)(json!({ "messages": [] }))?;
    request.api = api;
    request.model = super::name(line, &["model"]);
    request.max_output = count(line, OUTPUT)?;
    let input = count(line, INPUT)?.ok_or("the line has no `input_tokens`")?;
    request.counted = Some(Counted { input, window: count(line, WINDOW)? });
    Ok(Call {
        judged: None,
        id: super::name(line, &["id", "request_id", "line_id"]),
        server: None,
        session: super::name(line, &["session", "session_id"]),
        time: super::time(line.get("time").or_else(|| line.get("ts"))),
        request,
        response: Vec::new(),
        reply: Reply {
            status: super::status(line.get("status")),
            error: super::error_text(line.get("error")),
            usage: None,
        },
        place: frame.place,
    })
}

/// The first of these members that is there; one that is no number of tokens is an error.
fn count(line: &Value, members: &[&str]) -> Result<Option<Tokens>, String> {
    let found = members.iter().find_map(|member| Some((member, line.get(member).filter(|value| !value.is_null())?)));
    let Some((member, value)) = found else { return Ok(None) };
    let tokens = value.as_u64().and_then(|count| Tokens::try_from(count).ok());
    tokens.map(Some).ok_or_else(|| format!("`{member}` is no number of tokens: {value}"))
}
