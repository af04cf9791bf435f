//! Rows that the gateways Helicone and Portkey export, as JSON: one call each, with both bodies.
//!
//! | what | Helicone | Portkey |
//! |---|---|---|
//! | id | `request_id` | `id` |
//! | session | `request_properties["Helicone-Session-Id"]` | `trace_id` |
//! | time (ISO 8601, UTC without a zone) | `request_created_at` | `created_at` |
//! | request, response (JSON, or JSON in a string) | `request_body`, `response_body` | `request`, `response` |
//! | status | `response_status`, negative ones being none | `response_status_code` |
//! | API | `request_path`, else the body | `request_url`, else the body |
//! | model | the body's own, else `request_model` | the body's own, else `ai_model` |
//!
//! Usage is the response's own, else Helicone's `prompt_tokens`; the error is the response of a status from 400 on. A row
//! whose bodies were left out of the export is a defect. Compactions are not marked, and a streamed answer is not told.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects::{self, Dialect};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Record, Reply};

/// The format `helicone`.
pub const HELICONE: Format = Format {
    id: "helicone",
    about: "requests exported from Helicone, with their bodies",
    shape: Shape::RequestLog,
    sniff: |frame| has(frame, &["request_id", "request_created_at", "response_status"]),
    read: |frames, emit| read(frames, emit, &HELICONE_ROW),
};

/// The format `portkey`.
pub const PORTKEY: Format = Format {
    id: "portkey",
    about: "log exports of Portkey, with request and response",
    shape: Shape::RequestLog,
    sniff: |frame| has(frame, &["trace_id", "request", "response_status_code"]),
    read: |frames, emit| read(frames, emit, &PORTKEY_ROW),
};

/// Where a gateway's rows say what.
struct Row {
    id: &'static str,
    session: &'static str,
    time: &'static str,
    request: &'static str,
    response: &'static str,
    status: &'static str,
    path: &'static str,
    model: &'static str,
    /// What to do where the bodies are missing.
    remedy: &'static str,
}

const HELICONE_ROW: Row = Row {
    id: "request_id",
    session: "/request_properties/Helicone-Session-Id",
    time: "request_created_at",
    request: "request_body",
    response: "response_body",
    status: "response_status",
    path: "request_path",
    model: "request_model",
    remedy: "export with `--include-body`",
};

const PORTKEY_ROW: Row = Row {
    id: "id",
    session: "/trace_id",
    time: "created_at",
    request: "request",
    response: "response",
    status: "response_status_code",
    path: "request_url",
    model: "ai_model",
    remedy: "ask for `request` and `response` in the export",
};

fn has(frame: &Frame, members: &[&str]) -> bool {
    members.iter().all(|member| frame.value.get(member).is_some())
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record), row: &Row) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Call(Box::new(call(frame, row)?)));
        Ok(())
    })
}

fn call(frame: Frame, row: &Row) -> Result<Call, String> {
    let line = &frame.value;
    let body = member(line, row.request);
    if body.as_object().is_none_or(|body| body.is_empty()) {
        return Err(format!("the row has no `{}` body: {}", row.request, row.remedy));
    }
    let dialect = dialect(line, &body, row)?;
    let mut request = (dialect.parse)(body)?;
    request.model = request.model.or_else(|| super::name(line, &[row.model]));
    let response = member(line, row.response);
    let session = line.pointer(row.session).and_then(Value::as_str).filter(|id| !id.is_empty());
    Ok(Call {
        judged: None,
        id: super::name(line, &[row.id]),
        server: super::name(line, &[row.path]).and_then(|url| super::host(&url)),
        session: session.map(str::to_owned),
        time: super::time(line.get(row.time)),
        reply: reply(line, &response, row),
        response: super::litellm::response(&response, dialect),
        request,
        place: frame.place,
    })
}

/// A member, read once more where it is JSON in a string.
fn member(line: &Value, name: &str) -> Value {
    let found = line.get(name).cloned().unwrap_or_default();
    found.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(found)
}

fn dialect(line: &Value, body: &Value, row: &Row) -> Result<&'static Dialect, String> {
    let path = line.get(row.path).and_then(Value::as_str).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    if path.ends_with("/chat/completions") {
        return Ok(dialects::for_api(Api::OpenaiChat));
    }
    if path.ends_with("/v1/messages") {
        return Ok(dialects::for_api(Api::AnthropicMessages));
    }
    dialects::detect(body).ok_or_else(|| format!("a request to `{path}` of no known API"))
}

fn reply(line: &Value, response: &Value, row: &Row) -> Reply {
    let status = super::status(line.get(row.status));
    let failed = status.is_some_and(|status| status >= 400);
    Reply {
        status,
        error: if failed { super::error_text(Some(response)) } else { None },
        usage: super::usage(response.get("usage")).or_else(|| super::usage(Some(line)).filter(|usage| usage.input > 0)),
    }
}
