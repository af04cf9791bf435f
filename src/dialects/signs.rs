//! What tells Anthropic Messages, OpenAI Chat and Mistral Chat apart: all are a `messages` list. A model of Mistral's
//! tells its own; else members that only one of the others has speak for it, and a body with no sign at all is Chat.

use serde_json::Value;

use super::{bedrock_converse, messages};

const BLOCKS: &[&str] = &["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "image"];

/// Members that no other API of ours has at the top.
const MEMBERS: &[&str] = &[
    "functions",
    "function_call",
    "max_completion_tokens",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "stop",
    "parallel_tool_calls",
    "stream_options",
    "logprobs",
    "n",
    "seed",
];

/// How the vendor's models are named on its own platform.
const MISTRAL: &[&str] = &[
    "mistral-",
    "ministral-",
    "magistral-",
    "codestral-",
    "devstral-",
    "pixtral-",
    "voxtral-",
    "open-mistral-",
    "open-mixtral-",
];

/// Whether a body is of Anthropic Messages.
pub(super) fn are_anthropic(body: &Value) -> bool {
    is_open(body) && of_anthropic(body) > of_chat(body)
}

/// Whether a body is of OpenAI Chat.
pub(super) fn are_chat(body: &Value) -> bool {
    is_open(body) && of_chat(body) >= of_anthropic(body)
}

/// Whether a body is of Mistral Chat: the model tells, nothing else does.
pub(super) fn are_mistral(body: &Value) -> bool {
    messages(body).is_some() && model_starts_with(body, MISTRAL) && !bedrock_converse::sniff(body)
}

/// Whether a body has a `messages` list and is of no dialect with surer signs.
fn is_open(body: &Value) -> bool {
    messages(body).is_some() && !bedrock_converse::sniff(body) && !are_mistral(body)
}

/// How much speaks for Anthropic Messages.
fn of_anthropic(body: &Value) -> u32 {
    let has = |name: &str| body.get(name).is_some();
    weigh(&[
        (has("system"), 3),
        (has("anthropic_version") || has("stop_sequences") || has("thinking") || has("top_k"), 2),
        (has_tool_member(body, "input_schema"), 4),
        (has_block(messages(body).unwrap_or_default(), BLOCKS), 4),
        (model_starts_with(body, &["claude", "anthropic."]), 1),
    ])
}

/// How much speaks for OpenAI Chat.
fn of_chat(body: &Value) -> u32 {
    let messages = messages(body).unwrap_or_default();
    let has_role = |roles: &[&str]| {
        messages.iter().filter_map(|message| message.get("role")?.as_str()).any(|role| roles.contains(&role))
    };
    let asks = |message: &Value| message.get("tool_calls").is_some() || message.get("function_call").is_some();
    weigh(&[
        (has_role(&["tool", "function"]), 3),
        (has_role(&["system", "developer"]), 2),
        (messages.iter().any(asks), 4),
        (has_tool_member(body, "function"), 4),
        (has_block(messages, &["image_url", "input_audio", "refusal"]), 4),
        (MEMBERS.iter().any(|name| body.get(name).is_some()), 2),
        (model_starts_with(body, &["gpt", "o1", "o3", "o4", "chatgpt"]), 1),
    ])
}

/// Adds up what of a list of signs holds, each with its weight.
fn weigh(signs: &[(bool, u32)]) -> u32 {
    signs.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
}

/// Whether some content block of some message has one of these types.
fn has_block(messages: &[Value], types: &[&str]) -> bool {
    let blocks = messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
    blocks.filter_map(|block| block.get("type")?.as_str()).any(|kind| types.contains(&kind))
}

/// Whether some tool definition has this member.
fn has_tool_member(body: &Value, name: &str) -> bool {
    let tools = body.get("tools").and_then(Value::as_array);
    tools.is_some_and(|tools| tools.iter().any(|tool| tool.get(name).is_some()))
}

fn model_starts_with(body: &Value, names: &[&str]) -> bool {
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default();
    names.iter().any(|name| model.starts_with(name))
}
