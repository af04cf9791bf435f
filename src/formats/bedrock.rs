//! Invocation logs of AWS Bedrock: one `ModelInvocationLog` object a line, gzipped or not.
//!
//! The call's id is `requestId`; there is no session (calls are joined by their growing lists). `timestamp` is ISO 8601
//! in UTC. `modelId` is an id, a profile or an ARN; the vendor's name is taken out of it. The request is
//! `input.inputBodyJson` in the language of its model. Usage is the log's own (`inputTokenCount` leaves cached tokens
//! out, so they are added). `errorCode` is the name of the exception, which has one HTTP status; messages of errors and
//! compactions are never told, nor the answer of a stream. A body that went to S3 is a defect that says where, and so are
//! Converse calls and models other than Anthropic's.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Record, Reply, Usage};

/// The format `bedrock`.
pub const FORMAT: Format = Format {
    id: "bedrock",
    about: "model invocation logs of AWS Bedrock, for Anthropic's models",
    shape: Shape::RequestLog,
    sniff: |frame| frame.value.get("schemaType").and_then(Value::as_str) == Some("ModelInvocationLog"),
    read,
};

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Call(Box::new(call(frame)?)));
        Ok(())
    })
}

fn call(mut frame: Frame) -> Result<Call, String> {
    let line = &mut frame.value;
    let body = body(line)?;
    let dialect = dialects::for_api(Api::AnthropicMessages);
    let mut request = (dialect.parse)(body)?;
    request.model = super::name(line, &["modelId"]).map(|id| model(&id)).or(request.model);
    let answer = line.pointer("/output/outputBodyJson").unwrap_or(&Value::Null);
    Ok(Call {
        judged: None,
        server: None,
        id: super::name(line, &["requestId"]),
        session: None,
        time: super::time(line.get("timestamp")),
        reply: reply(line),
        response: super::litellm::response(answer, dialect),
        request,
        place: frame.place,
    })
}

fn body(line: &mut Value) -> Result<Value, String> {
    let operation = super::name(line, &["operation"]).unwrap_or_default();
    if !operation.starts_with("InvokeModel") {
        return Err(format!("a `{operation}` call: only InvokeModel is read of Bedrock's operations"));
    }
    if let Some(path) = line.pointer("/input/inputBodyS3Path").and_then(Value::as_str) {
        return Err(format!("the request went to `{path}` of the log's bucket: it was too large for the log"));
    }
    let body = line.pointer_mut("/input/inputBodyJson").map(Value::take).unwrap_or_default();
    let anthropic = body.get("anthropic_version").is_some();
    if anthropic { Ok(body) } else { Err("the request is none of Anthropic Messages, or was not logged".to_owned()) }
}

/// The vendor's name of a model, out of an id, a profile or an ARN.
fn model(id: &str) -> String {
    let id = id.rsplit('/').next().unwrap_or(id);
    let name = id.split_once("anthropic.").map_or(id, |(_, name)| name);
    name.strip_suffix("-v1:0").or_else(|| name.strip_suffix("-v2:0")).unwrap_or(name).to_owned()
}

fn reply(line: &Value) -> Reply {
    let count = |path: &str| line.pointer(path).and_then(Value::as_u64);
    let cache_read = count("/input/cacheReadInputTokenCount").unwrap_or(0);
    let cache_write = count("/input/cacheWriteInputTokenCount").unwrap_or(0);
    let usage = count("/input/inputTokenCount").map(|input| Usage {
        input: input.saturating_add(cache_read).saturating_add(cache_write),
        output: count("/output/outputTokenCount").unwrap_or(0),
        cache_read,
        cache_write,
    });
    let error = super::name(line, &["errorCode"]);
    Reply { status: error.as_deref().map_or(Some(200), status), error, usage }
}

/// The HTTP status of an exception of Bedrock's runtime.
fn status(exception: &str) -> Option<u16> {
    match exception {
        "ValidationException" => Some(400),
        "AccessDeniedException" => Some(403),
        "ResourceNotFoundException" => Some(404),
        "ModelTimeoutException" => Some(408),
        "ModelErrorException" => Some(424),
        "ThrottlingException" | "ModelNotReadyException" => Some(429),
        "InternalServerException" => Some(500),
        "ServiceUnavailableException" => Some(503),
        _ => None,
    }
}
