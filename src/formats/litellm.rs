//! LiteLLM: `StandardLoggingPayload` objects (array, one a line, single) and rows of its `LiteLLM_SpendLogs` table as JSON.
//!
//! The call's id is `litellm_call_id` (`id` and `request_id` change their meaning on failure), so a batch that was sent
//! again counts once. The session is `session_id`, else `trace_id`, unless that is a UUID: LiteLLM invents one per call
//! where the client gave none, so such calls are joined by their growing lists. A payload's request is `messages` with
//! `model_parameters`, a row's is `proxy_server_request`. `model` is what went to the provider. Times are seconds since
//! 1970, or ISO 8601 in UTC. Usage is `response.usage` (input counts cached tokens in), else the top-level counts, 0/0 on
//! failure being none. `status` tells success; the HTTP status stands in `error_information.error_code` as a string, and
//! the provider's error inside LiteLLM's prose. Compactions are not marked.
//!
//! Never told: the body as the provider got it, list-form `system` of Anthropic requests, headers. A row without stored
//! prompts, a redacted call, and one whose texts LiteLLM cut (`litellm_truncated`) are defects: their sizes, and perhaps
//! their arguments, would be wrong.

use std::io;

use serde_json::{Map, Value, json};

use super::{Format, Shape};
use crate::dialects::{self, Dialect};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Message, Record, Reply, Usage};

/// The format `litellm`.
pub const FORMAT: Format = Format {
    id: "litellm",
    about: "LiteLLM's StandardLoggingPayload and rows of its SpendLogs table",
    shape: Shape::RequestLog,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    let has = |member: &str| frame.value.get(member).is_some();
    let call = has("call_type") && has("startTime") && has("endTime");
    call && (has("model_parameters") || has("proxy_server_request") || has("spend"))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Call(Box::new(call(frame)?)));
        Ok(())
    })
}

fn call(mut frame: Frame) -> Result<Call, String> {
    let line = &mut frame.value;
    let usage = usage(line);
    let body = body(line)?;
    if says(&body, "litellm_truncated") {
        let size = usage.map_or(String::new(), |usage| format!(" (the request had {} tokens)", usage.input));
        return Err(format!("LiteLLM cut long texts out of the call{size}: raise MAX_STRING_LENGTH_PROMPT_IN_DB"));
    }
    if body.pointer("/messages/0/content").and_then(Value::as_str) == Some("redacted-by-litellm") {
        return Err("LiteLLM redacted the call: set `turn_off_message_logging: false` to replay it".to_owned());
    }
    let dialect = dialect(line, &body)?;
    let mut request = (dialect.parse)(body)?;
    request.model = super::name(line, &["model"]).or(request.model);
    Ok(Call {
        judged: None,
        id: super::name(line, &["litellm_call_id", "request_id", "id"]),
        session: session(line),
        server: super::name(line, &["api_base"]).and_then(|url| super::host(&url)),
        time: super::time(line.get("startTime")),
        reply: reply(line, usage),
        response: response(&member(line, "response"), dialect),
        request,
        place: frame.place,
    })
}

/// A member, read once more where it is JSON in a string.
fn member(line: &Value, name: &str) -> Value {
    match line.get(name) {
        Some(Value::String(text)) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
        }
        found => found.cloned().unwrap_or_default(),
    }
}

/// The request: the client's own body where the row keeps it, else the payload's messages and parameters.
fn body(line: &Value) -> Result<Value, String> {
    let sent = member(line, "proxy_server_request");
    let sent = sent.get("body").cloned().unwrap_or(sent);
    if sent.get("messages").is_some_and(Value::is_array) {
        return Ok(sent);
    }
    let messages = member(line, "messages");
    if !messages.as_array().is_some_and(|list| list.iter().all(|message| message.get("role").is_some())) {
        let kind = super::name(line, &["call_type"]).unwrap_or_default();
        return Err(format!("`{kind}` without a message list: no chat call, or prompts were not stored"));
    }
    let mut fields = Map::new();
    fields.insert("messages".to_owned(), messages);
    if let Value::Object(parameters) = member(line, "model_parameters") {
        fields.extend(parameters.into_iter().filter(|(name, _)| name != "messages"));
    }
    Ok(Value::Object(fields))
}

/// Whether some text of a value holds `word`.
fn says(value: &Value, word: &str) -> bool {
    match value {
        Value::String(text) => text.contains(word),
        Value::Array(items) => items.iter().any(|item| says(item, word)),
        Value::Object(fields) => fields.values().any(|item| says(item, word)),
        _ => false,
    }
}

/// LiteLLM speaks Chat upstream of its own calls, and a client's language where it passes a request through.
fn dialect(line: &Value, body: &Value) -> Result<&'static Dialect, String> {
    match line.get("call_type").and_then(Value::as_str).unwrap_or_default() {
        "anthropic_messages" => Ok(dialects::for_api(Api::AnthropicMessages)),
        "completion" | "acompletion" => Ok(dialects::for_api(Api::OpenaiChat)),
        kind => dialects::detect(body).ok_or_else(|| format!("`{kind}` is a call of no known API")),
    }
}

fn session(line: &Value) -> Option<String> {
    super::name(line, &["session_id"]).or_else(|| super::name(line, &["trace_id"])).filter(|id| !is_uuid(id))
}

fn is_uuid(id: &str) -> bool {
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn usage(line: &Value) -> Option<Usage> {
    let said = member(line, "response").get("usage").cloned();
    let mut usage = super::usage(said.as_ref()).or_else(|| super::usage(Some(line)))?;
    let count = |name: &str| said.as_ref()?.get(name)?.as_u64();
    usage.cache_read = usage.cache_read.max(count("cache_read_input_tokens").unwrap_or(0));
    usage.cache_write = usage.cache_write.max(count("cache_creation_input_tokens").unwrap_or(0));
    (usage.input > 0 || usage.output > 0).then_some(usage)
}

fn reply(line: &Value, usage: Option<Usage>) -> Reply {
    let metadata = member(line, "metadata");
    let status = super::name(line, &["status"]).or_else(|| super::name(&metadata, &["status"]));
    if status.as_deref() != Some("failure") {
        return Reply { status: status.map(|_| 200), error: None, usage };
    }
    let told = line.get("error_information").or_else(|| metadata.get("error_information"));
    let message = told.and_then(|told| told.get("error_message")).or_else(|| line.get("error_str"));
    Reply {
        status: super::status(told.and_then(|told| told.get("error_code"))),
        error: super::error_text(message).map(|text| provider_error(&text)),
        usage,
    }
}

/// What the provider said, out of LiteLLM's prose around it.
fn provider_error(text: &str) -> String {
    if let Some(at) = text.find('{')
        && let Some(Ok(body)) = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()
    {
        return body.to_string();
    }
    let mut rest = text;
    while let Some((wrapper, inner)) = rest.split_once(": ").filter(|(wrapper, _)| wrapper.ends_with("Error")) {
        rest = inner.strip_prefix(wrapper).unwrap_or(inner);
    }
    match rest.split_once(" - ") {
        Some((wrapper, inner)) if wrapper.ends_with("Exception") => inner.to_owned(),
        _ => rest.to_owned(),
    }
}

/// What the model answered, in the language of the request.
pub(super) fn response(response: &Value, dialect: &Dialect) -> Vec<Message> {
    match response.pointer("/choices/0/message").and_then(Value::as_object) {
        Some(message) if dialect.api == Api::AnthropicMessages => vec![(dialect.parse_message)(anthropic(message))],
        _ => (dialect.answer)(response),
    }
}

/// The Chat message that LiteLLM made of an Anthropic one, turned back.
fn anthropic(message: &Map<String, Value>) -> Value {
    let mut blocks = Vec::new();
    if let Some(Value::String(text)) = message.get("content")
        && !text.is_empty()
    {
        blocks.push(json!({"type": "text", "text": text}));
    }
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let arguments = call.pointer("/function/arguments").and_then(Value::as_str).unwrap_or("{}");
        let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
        let name = call.pointer("/function/name");
        blocks.push(json!({"type": "tool_use", "id": call.get("id"), "name": name, "input": input}));
    }
    json!({"role": "assistant", "content": blocks})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wrapped: &str, expected: &str) {
        assert_eq!(provider_error(wrapped), expected);
    }

    #[test]
    fn the_providers_error_comes_out_of_its_wrappers() {
        check(r#"litellm.BadRequestError: AcmeException - {"type":"error"} tail"#, r#"{"type":"error"}"#);
        check("litellm.BadRequestError: AcmeException - messages.2: bad", "messages.2: bad");
        check("litellm.ContextWindowExceededError: litellm.BadRequestError: too long: 9 > 8", "too long: 9 > 8");
        check("plain {not json", "plain {not json");
    }
}
