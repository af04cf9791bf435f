//! HTTP traffic as it was recorded: VCR cassettes (YAML or JSON) and HAR files, one call for each request to a model.
//!
//! | what | VCR | HAR |
//! |---|---|---|
//! | entries | `interactions`, of Ruby's `http_interactions` | `log.entries` |
//! | request | `request.parsed_body`, else `body` | `request.postData.text` |
//! | response | `response.parsed_body`, else `body.string` | `response.content.text` |
//! | status | `response.status.code` | `response.status`, 0 being none |
//! | time | `recorded_at`, else the response's `date` | `startedDateTime` |
//!
//! The API is told by the path of the URL; requests to other paths (files, token counts, pages) are no calls and are
//! counted as bookkeeping. The model is the body's own, else that of the URL. Bodies may be packed (gzip, zstd) or base64,
//! and a stream of server-sent events is put together to the body that it stands for. Usage is the response's own. The
//! error is the response of a status from 400 on, or the error event that broke a stream. A place names the entry,
//! counted from 1.
//!
//! Never told: a session (calls are joined by their growing lists), an id of the call, compactions, the answer of
//! Bedrock's binary streams, and a body that Brotli packed.

use std::cell::Cell;
use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Place, Record, Reply, Time};
use endpoint::{Endpoint, endpoint};
use payload::Payload;

mod endpoint;
mod events;
mod payload;

/// The format `vcr`.
pub const VCR: Format = Format {
    id: "vcr",
    about: "VCR cassettes: recorded HTTP requests with their responses",
    shape: Shape::RequestLog,
    sniff: |frame| {
        let entries = vcr_entries(&frame.value).and_then(Value::as_array);
        entries.is_some_and(|entries| entries.iter().all(|entry| entry.get("request").is_some()))
    },
    read: |frames, emit| read(frames, emit, vcr_entries, vcr_exchange),
};

/// The format `har`.
pub const HAR: Format = Format {
    id: "har",
    about: "HAR files: HTTP traffic saved by a browser or a proxy",
    shape: Shape::RequestLog,
    sniff: |frame| har_entries(&frame.value).is_some_and(Value::is_array),
    read: |frames, emit| read(frames, emit, har_entries, har_exchange),
};

/// A request with what came back.
struct Exchange<'e> {
    method: &'e str,
    uri: &'e str,
    request: Option<Payload>,
    response: Option<Payload>,
    status: Option<u16>,
    time: Option<Time>,
}

fn read(
    frames: &mut Frames,
    emit: &mut dyn FnMut(Record),
    entries: fn(&Value) -> Option<&Value>,
    exchange: fn(&Value) -> Exchange,
) -> io::Result<()> {
    let n_others = Cell::new(0);
    super::each(frames, emit, |frame: Frame, emit| {
        let entries = entries(&frame.value).and_then(Value::as_array).ok_or("the file has no list of requests")?;
        for (line, entry) in (1..).zip(entries) {
            let place = Place { source: frame.place.source.clone(), line };
            let exchange = exchange(entry);
            match endpoint(exchange.method, exchange.uri) {
                Some(endpoint) => emit(record(exchange, endpoint, place)),
                None => n_others.set(n_others.get() + 1),
            }
        }
        Ok(())
    })?;
    frames.bookkeeping(n_others.get());
    Ok(())
}

fn vcr_entries(document: &Value) -> Option<&Value> {
    document.get("interactions").or_else(|| document.get("http_interactions"))
}

fn vcr_exchange(entry: &Value) -> Exchange<'_> {
    let side = |name: &str| entry.get(name).unwrap_or(&Value::Null);
    let (request, response) = (side("request"), side("response"));
    let recorded = entry.get("recorded_at").or_else(|| header(response.get("headers")?, "date"));
    Exchange {
        method: text(request, "method"),
        uri: text(request, "uri"),
        request: payload::of_vcr(request),
        response: payload::of_vcr(response),
        status: super::status(response.pointer("/status/code").or_else(|| response.get("status_code"))),
        time: recorded.and_then(Value::as_str).and_then(time),
    }
}

fn har_entries(document: &Value) -> Option<&Value> {
    document.pointer("/log/entries")
}

fn har_exchange(entry: &Value) -> Exchange<'_> {
    let side = |name: &str| entry.get(name).unwrap_or(&Value::Null);
    let (request, response) = (side("request"), side("response"));
    Exchange {
        method: text(request, "method"),
        uri: text(request, "url"),
        request: request.get("postData").and_then(payload::of_har),
        response: response.get("content").and_then(payload::of_har),
        status: super::status(response.get("status")).filter(|status| *status > 0),
        time: entry.get("startedDateTime").and_then(Value::as_str).and_then(time),
    }
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The first value of a header, whose name may be written in any case.
fn header<'v>(headers: &'v Value, name: &str) -> Option<&'v Value> {
    let (_, value) = headers.as_object()?.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    value.get(0).or(Some(value))
}

fn time(text: &str) -> Option<Time> {
    super::iso_time(text).or_else(|| Time::parse(text, &time::format_description::well_known::Rfc2822).ok())
}

fn record(exchange: Exchange, endpoint: Endpoint, place: Place) -> Record {
    match call(exchange, endpoint, place.clone()) {
        Ok(call) => Record::Call(Box::new(call)),
        Err(reason) => super::defect(place, reason),
    }
}

fn call(exchange: Exchange, endpoint: Endpoint, place: Place) -> Result<Call, String> {
    let body = exchange.request.and_then(Payload::json).ok_or_else(|| {
        format!("the body of the request to `{}` is no JSON: record bodies without masking them", exchange.uri)
    })?;
    let dialect = dialects::for_api(endpoint.api);
    let mut request = (dialect.parse)(body)?;
    request.model = request.model.or(endpoint.model);
    let failed = exchange.status.is_some_and(|status| status >= 400);
    let (answer, error) = match exchange.response {
        Some(said) if failed => (Value::Null, said.into_text()),
        Some(said) => answer(said, endpoint.api),
        None => (Value::Null, None),
    };
    let usage = super::usage(answer.get("usage").or_else(|| answer.get("usageMetadata")));
    Ok(Call {
        judged: None,
        server: crate::formats::host(exchange.uri),
        place,
        id: None,
        session: None,
        time: exchange.time,
        request,
        response: (dialect.answer)(&answer),
        reply: Reply { status: exchange.status, error, usage },
    })
}

/// The body of a response that was not refused, and the error that broke its stream.
fn answer(said: Payload, api: Api) -> (Value, Option<String>) {
    let joined = match said {
        // Gemini's other way to stream: a list of what would be events.
        Payload::Json(Value::Array(events)) => events::joined(&events, api),
        Payload::Json(body) => return (body, None),
        Payload::Text(text) => events::joined(&events::of(&text), api),
    };
    (joined.body, joined.error.map(|error| error.to_string()))
}
