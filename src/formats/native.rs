//! Cutpoint's own log: one call a line, with its whole request.
//!
//! ```json
//! {"time": "2026-03-02T09:00:00Z", "session": "s-1", "id": "c-1", "api": "openai.chat", "model": "gpt-4.1",
//!  "request": {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hello"}]},
//!  "response": {"role": "assistant", "content": "Good morning."},
//!  "status": 200, "error": null,
//!  "usage": {"input": 12, "output": 5, "cache_read": 0, "cache_write": 0}}
//! ```
//!
//! Only `request` is needed: the body as it was sent. `time` (or `ts`) is ISO 8601, or seconds or milliseconds since 1970.
//! `session` (or `session_id`) names the conversation; without it calls are joined by their growing message lists. `id`
//! (or `request_id`) names the call, and the same id twice is one call, unless `attempt` tells them apart. `server` is the URL or the host that it was sent to. `api` is
//! one of [`Api`]'s ids; without it the body decides. `response` is a message, or the body that the
//! provider answered; the response may also carry `status`, `error` and `usage`. `usage` counts tokens in our own words (`input` counts cached tokens
//! in) or in those of either provider. A broken stream (`stream_complete: false`) has no response. Compactions are not
//! marked: they show where a request stops extending the one before it.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects::{self, Dialect};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Message, Record, Reply};

/// The format `native`.
pub const FORMAT: Format = Format {
    id: "native",
    about: "Cutpoint's own log: one call a line with request, response, status and usage",
    shape: Shape::RequestLog,
    sniff,
    read: |frames, emit| read_in(frames, emit, None),
};

fn sniff(frame: &Frame) -> bool {
    let lists = ["messages", "input", "contents"];
    let portkey = frame.value.get("response_status_code").is_some();
    !portkey && frame.value.get("request").is_some_and(|request| lists.iter().any(|list| request.get(*list).is_some()))
}

/// Reads the log; its requests are in `api`, where the user states one, whatever a line says.
pub(super) fn read_in(frames: &mut Frames, emit: &mut dyn FnMut(Record), api: Option<Api>) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Call(Box::new(call(frame, api)?)));
        Ok(())
    })
}

fn call(mut frame: Frame, stated: Option<Api>) -> Result<Call, String> {
    let line = &mut frame.value;
    let body = line.get_mut("request").map(Value::take).ok_or("the line has no `request` member")?;
    let dialect = match stated {
        Some(api) => dialects::for_api(api),
        None => dialect(line, &body)?,
    };
    let mut request = (dialect.parse)(body)?;
    if request.model.is_none() {
        request.model = super::name(line, &["model"]);
    }
    let response = line.get("response");
    Ok(Call {
        judged: None,
        id: super::name(line, &["id", "request_id"]).map(|id| with_attempt(id, line)),
        session: super::name(line, &["session", "session_id"]),
        server: super::name(line, &["server"]).and_then(|url| super::host(&url)),
        time: super::time(line.get("time").or_else(|| line.get("ts"))),
        reply: reply(line),
        response: response.map(|response| answer(response, dialect)).unwrap_or_default(),
        request,
        place: frame.place,
    })
}

fn dialect(line: &Value, body: &Value) -> Result<&'static Dialect, String> {
    match line.get("api").and_then(Value::as_str) {
        Some(id) => match Api::from_id(id) {
            Some(api) => Ok(dialects::for_api(api)),
            None => Err(format!("`api` is `{id}`, which is none of {}", apis())),
        },
        None => dialects::detect(body).ok_or_else(|| "`request` is no body of a known API".to_owned()),
    }
}

fn apis() -> String {
    Api::ALL.iter().map(|api| api.id()).collect::<Vec<_>>().join(", ")
}

/// The id of one attempt, where a log numbers the attempts of a request.
fn with_attempt(id: String, line: &Value) -> String {
    match line.get("attempt").and_then(Value::as_u64) {
        Some(attempt) => format!("{id}#{attempt}"),
        None => id,
    }
}

fn reply(line: &Value) -> Reply {
    let response = line.get("response").unwrap_or(&Value::Null);
    let of = |member: &str| line.get(member).filter(|value| !value.is_null()).or_else(|| response.get(member));
    Reply {
        status: super::status(of("status")),
        error: super::error_text(of("error")),
        usage: super::usage(of("usage")),
    }
}

/// What the model answered, whether the message stands bare, as a provider's body, or under `message` or `body`.
fn answer(response: &Value, dialect: &Dialect) -> Vec<Message> {
    if response.get("stream_complete") == Some(&Value::Bool(false)) {
        return Vec::new();
    }
    let bodies = ["body", "message"].into_iter().filter_map(|name| response.get(name));
    let said = bodies.chain([response]).map(|body| (dialect.answer)(body));
    said.into_iter().find(|said| !said.is_empty()).unwrap_or_default()
}
