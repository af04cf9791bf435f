//! Bare request bodies as an API takes them: one document, an array of bodies, or one a line.
//!
//! Nothing but the request is there: no session (bodies are joined by their growing message lists), no id, time, status,
//! response or usage, and compactions are not marked. The model is the body's own. A body is told from other objects
//! with a `messages` list by its members: it states a `model`, or has none that a request does not have.

use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::dialects;
use crate::frame::{Frame, Frames};
use crate::model::{Api, Call, Fields, Record, Reply};

/// The format `anthropic-body`.
pub const ANTHROPIC: Format = Format {
    id: "anthropic-body",
    about: "bare request bodies of Anthropic Messages",
    shape: Shape::RequestLog,
    sniff: |frame| is_body(&frame.value, Api::AnthropicMessages),
    read: |frames, emit| read(frames, emit, Api::AnthropicMessages),
};

/// The format `openai-body`.
pub const OPENAI: Format = Format {
    id: "openai-body",
    about: "bare request bodies of OpenAI Chat Completions",
    shape: Shape::RequestLog,
    sniff: |frame| is_body(&frame.value, Api::OpenaiChat),
    read: |frames, emit| read(frames, emit, Api::OpenaiChat),
};

/// The format `openai-responses-body`.
pub const RESPONSES: Format = Format {
    id: "openai-responses-body",
    about: "bare request bodies of OpenAI Responses",
    shape: Shape::RequestLog,
    sniff: |frame| is_body(&frame.value, Api::OpenaiResponses),
    read: |frames, emit| read(frames, emit, Api::OpenaiResponses),
};

/// The format `gemini-body`.
pub const GEMINI: Format = Format {
    id: "gemini-body",
    about: "bare request bodies of Gemini generateContent",
    shape: Shape::RequestLog,
    sniff: |frame| is_body(&frame.value, Api::GeminiGenerateContent),
    read: |frames, emit| read(frames, emit, Api::GeminiGenerateContent),
};

/// The format `bedrock-body`.
pub const BEDROCK: Format = Format {
    id: "bedrock-body",
    about: "bare request bodies of Bedrock Converse",
    shape: Shape::RequestLog,
    sniff: |frame| is_body(&frame.value, Api::BedrockConverse),
    read: |frames, emit| read(frames, emit, Api::BedrockConverse),
};

/// The format `mistral-body`.
pub const MISTRAL: Format = Format {
    id: "mistral-body",
    about: "bare request bodies of Mistral Chat",
    shape: Shape::RequestLog,
    sniff: |frame| is_body(&frame.value, Api::MistralChat),
    read: |frames, emit| read(frames, emit, Api::MistralChat),
};

/// The id of the format of an API's bodies.
pub(super) fn id(api: Api) -> &'static str {
    match api {
        Api::AnthropicMessages => ANTHROPIC.id,
        Api::OpenaiChat => OPENAI.id,
        Api::OpenaiResponses => RESPONSES.id,
        Api::GeminiGenerateContent => GEMINI.id,
        Api::BedrockConverse => BEDROCK.id,
        Api::MistralChat => MISTRAL.id,
    }
}

/// Whether a format is one of those here.
pub(super) fn are_read_by(format: &Format) -> bool {
    Api::ALL.iter().any(|api| id(*api) == format.id)
}

/// Members that bodies have, whatever the API.
const MEMBERS: &[&str] = &[
    "messages",
    "model",
    "system",
    "tools",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "top_k",
    "stream",
    "stream_options",
    "stop",
    "stop_sequences",
    "metadata",
    "thinking",
    "parallel_tool_calls",
    "user",
    "seed",
    "n",
    "response_format",
    "functions",
    "function_call",
    "store",
    "reasoning_effort",
    "anthropic_version",
    "service_tier",
    "context_management",
    "betas",
    "logprobs",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "toolConfig",
    "inferenceConfig",
    "additionalModelRequestFields",
    "guardrailConfig",
];

/// Members of other logs that carry a `messages` list too.
const FOREIGN: &[&str] = &[
    "traceId",
    "run_type",
    "session",
    "sessionId",
    "session_id",
    "request",
    "response",
    "call_type",
    "traj",
    "trajectory",
    "trajectory_format",
];

fn is_body(value: &Value, api: Api) -> bool {
    let Some(fields) = value.as_object() else {
        return false;
    };
    !is_foreign(fields) && is_own(fields) && dialects::detect(value).is_some_and(|dialect| dialect.api == api)
}

fn is_foreign(fields: &Fields) -> bool {
    FOREIGN.iter().any(|member| fields.contains_key(*member))
}

fn is_own(fields: &Fields) -> bool {
    fields.get("model").is_some_and(Value::is_string)
        || !fields.contains_key("messages")
        || fields.contains_key("modelId")
        || fields.keys().all(|member| MEMBERS.contains(&member.as_str()))
}

/// Whether an object with a `messages` list is a request, or a line of another log.
pub(super) fn is_known(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| is_foreign(fields) || is_own(fields))
}

/// Reads bodies of an API, whatever they look like.
pub(super) fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record), api: Api) -> io::Result<()> {
    super::each(frames, emit, |frame, emit| {
        emit(Record::Call(Box::new(call(frame, api)?)));
        Ok(())
    })
}

/// The call of a body.
fn call(frame: Frame, api: Api) -> Result<Call, String> {
    let dialect = dialects::for_api(api);
    let request = (dialect.parse)(frame.value)?;
    Ok(Call {
        judged: None,
        place: frame.place,
        id: None,
        server: None,
        session: None,
        time: None,
        request,
        response: Vec::new(),
        reply: Reply::default(),
    })
}
