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
    "model_context_window_exceeded",
];

/// The class that gateways raise where they believe that the window is full. It is weaker than anything the provider
/// says itself: some raise it for any text with "too long" in it.
const CLASS: &str = "ContextWindowExceededError";

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
    "Input tokens exceed the configured limit of LIMIT tokens. Your messages resulted in ASKED tokens",
    "Input tokens exceed the configured limit",
    // Gemini
    "input token count (ASKED) exceeds the maximum number of tokens allowed (LIMIT)",
    "input token count is ASKED but model only supports up to LIMIT",
    "exceeds the maximum number of tokens allowed (LIMIT)",
    "exceeds the maximum number of tokens allowed",
    // Bedrock
    "Input is too long for requested model",
    "Number of input tokens exceeds maximum length",
    "Too many input tokens. Max input tokens: LIMIT, request input token count: ASKED",
    // Mistral
    "Prompt contains ASKED tokens and N draft tokens, too large for model with LIMIT maximum context length",
    "Prompt contains ASKED tokens, too large for model with LIMIT maximum context length",
    "too large for model with LIMIT maximum context length",
    // vLLM
    "decoder prompt (length ASKED) is longer than the maximum model length of LIMIT",
    "prompt (length ASKED) is longer than the maximum model length of LIMIT",
    "Input length (ASKED) exceeds model's maximum context length (LIMIT)",
    "You passed ASKED input tokens and requested ASKED output tokens. However, the model's context length is only LIMIT tokens",
    "maximum context length is LIMIT tokens and your request has ASKED input tokens",
    // xAI
    "maximum prompt length is LIMIT but the request contains ASKED tokens",
    // Moonshot
    "exceeded model token limit: LIMIT (requested: ASKED)",
    "exceeded model token limit",
    "total message size ASKED exceeds limit LIMIT",
    // Copilot
    "prompt token count of ASKED exceeds the limit of LIMIT",
    // llama.cpp
    "request (ASKED tokens) exceeds the available context size (LIMIT tokens)",
    "request exceeds the available context size",
    "Prompt has ASKED tokens, but the configured context size is LIMIT tokens",
    "tokens to keep from the initial prompt is greater than the context length",
    // Ollama
    "prompt too long; exceeded max context length by N tokens",
    "prompt too long; exceeded max context length",
    "prompt too long; exceeded context length",
    "input length exceeds the context length",
    "input length exceeds maximum context length",
    // Together, SGLang, TGI, Fireworks, oMLX
    "input (ASKED tokens) is longer than the model's context length (LIMIT tokens)",
    "exceeds the model's maximum context length of LIMIT tokens. You requested a total of ASKED tokens",
    "exceeds the model's maximum context length",
    "Input length ASKED exceeds the maximum allowed input length of LIMIT tokens",
    "`inputs` tokens + `max_new_tokens` must be",
    "`inputs` must have less than LIMIT tokens. Given: ASKED",
    "Requested tokens (ASKED) exceed context window of LIMIT",
    "number of input tokens ASKED cannot exceed the total tokens limit LIMIT",
    "Prompt too long: ASKED tokens exceeds max context window of LIMIT tokens",
    "Prompt exceeds maximum context length",
    // Cohere, Qwen, GLM, MiniMax, Groq
    "too many tokens: total number of tokens in the prompt cannot exceed LIMIT",
    "too many tokens: size limit exceeded by N tokens",
    "Range of input length should be [1, LIMIT]",
    "too many tokens: total number of tokens in the prompt cannot exceed LIMIT - received ASKED",
    "Prompt exceeds max length",
    "Prompt too long",
    "Prompt 超长",
    "context window exceeds limit",
    "context length exceeded",
    "Please reduce the length of the messages or completion",
    "Please reduce the length of the messages or completion. Current length is ASKED while limit is LIMIT",
    "Total tokens of image and text exceed max message tokens",
    "prompt tokens too long",
    "超过模型最大上下文",
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

/// How many bytes of one of the texts end plain words that a log cut off.
pub fn begun(plain: &str) -> usize {
    TEMPLATES.iter().map(|template| template.begun(plain)).max().unwrap_or(0)
}

/// Whether nothing but a gateway's class says that the window is full, and what it wraps is about no member of the
/// request that is too long.
pub fn is_classed(said: &Said, plain: &str) -> bool {
    let is_of_member = ["string too long", "array too long", "maxlength"].iter().any(|words| plain.contains(words));
    said.names.iter().any(|name| name.ends_with(CLASS)) && !is_of_member
}
