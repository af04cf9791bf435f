//! Texts that say that a request does not fit into the model's context window.

use std::sync::LazyLock;

use super::template::{Numbers, Template};
use super::unwrap::Said;

/// Names of the error.
const NAMES: &[&str] = &[
    "context_length_exceeded",
    "model_max_prompt_tokens_exceeded",
    "exceed_context_size_error",
    "context_window_exceeded",
    "litellm.ContextWindowExceededError",
];

/// Texts of providers and servers; where several are found, the first that states most numbers counts.
const TEXTS: &[&str] = &[
    // Anthropic
    "prompt is too long: ASKED tokens > LIMIT maximum",
    "prompt is too long",
    "input length and `max_tokens` exceed context limit: ASKED + ASKED > LIMIT",
    "input length and `max_tokens` exceed context limit",
    // OpenAI, and the many servers that speak as it does
    "maximum context length is LIMIT tokens. However, your messages resulted in ASKED tokens",
    "maximum context length is LIMIT tokens. However, you requested ASKED tokens",
    "maximum context length is LIMIT tokens. However, you requested about ASKED tokens",
    "maximum context length is LIMIT tokens. However, your request has ASKED input tokens",
    "maximum context length is LIMIT tokens, however you requested ASKED tokens",
    "maximum context length is LIMIT tokens",
    "Your input exceeds the context window of this model",
    // Gemini
    "input token count (ASKED) exceeds the maximum number of tokens allowed (LIMIT)",
    "input token count is ASKED but model only supports up to LIMIT",
    "exceeds the maximum number of tokens allowed (LIMIT)",
    "exceeds the maximum number of tokens allowed",
    // Bedrock
    "Input is too long for requested model",
    "Too many input tokens. Max input tokens: LIMIT, request input token count: ASKED",
    // Mistral
    "Prompt contains ASKED tokens and N draft tokens, too large for model with LIMIT maximum context length",
    "Prompt contains ASKED tokens, too large for model with LIMIT maximum context length",
    "too large for model with LIMIT maximum context length",
    // vLLM
    "decoder prompt (length ASKED) is longer than the maximum model length of LIMIT",
    "prompt (length ASKED) is longer than the maximum model length of LIMIT",
    "Input length (ASKED) exceeds model's maximum context length (LIMIT)",
    // xAI
    "maximum prompt length is LIMIT but the request contains ASKED tokens",
    // Moonshot
    "exceeded model token limit: LIMIT (requested: ASKED)",
    "exceeded model token limit",
    // Copilot
    "prompt token count of ASKED exceeds the limit of LIMIT",
    // llama.cpp
    "request (ASKED tokens) exceeds the available context size (LIMIT tokens)",
    "request exceeds the available context size",
    // Cohere, Qwen, GLM, MiniMax, Groq
    "too many tokens: total number of tokens in the prompt cannot exceed LIMIT",
    "too many tokens: size limit exceeded by N tokens",
    "Range of input length should be [1, LIMIT]",
    "Prompt exceeds max length",
    "context window exceeds limit",
    "Please reduce the length of the messages or completion",
];

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| TEXTS.iter().map(|text| Template::new(text)).collect());

/// The sizes that a text states, if it says that the request does not fit.
pub fn overflow(said: &Said, plain: &str) -> Option<Numbers> {
    let found = TEMPLATES.iter().filter_map(|template| template.find(plain));
    // Of equals the last is the maximum, so the list is walked from its end.
    let found: Vec<Numbers> = found.collect();
    let stated = |numbers: &&Numbers| u8::from(numbers.limit.is_some()) + u8::from(numbers.asked.is_some());
    let best = found.iter().rev().max_by_key(stated).copied();
    best.or_else(|| said.names.iter().any(|name| NAMES.contains(&name.as_str())).then(Numbers::default))
}
