//! # `invalid_json_body`
//!
//! The body is no JSON.
//!
//! ## Finds
//! Nothing: such a body cannot be read here either, and a log keeps what was parsed. It names the refusal where a log
//! holds one. What leads to it: a text that was cut between the two halves of a character outside the basic plane (an
//! emoji, say), which leaves a lone surrogate; or a body that was cut off.
//!
//! ## Provider answers
//! Anthropic: "The request body is not valid JSON: no low surrogate in string". OpenAI: "We could not parse the JSON
//! body of your request". DeepSeek: "lone leading surrogate in hex escape".
//!
//! ## Applies to
//! Every API; only observed, never predicted. Many public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [{"role": "user", "content": "Cut inside a character, this ends with half of it: \\ud83d"}]
//! }
//! ```
//!
//! ## Remedy
//! Cut texts between characters and not between code units, and replace lone surrogates before sending.
//!
//! ## Sources
//! anthropics/claude-code#3277; anthropics/claude-code#6199; link-assistant/hive-mind#1204;
//! JohnnyZ93/oai-compatible-copilot#206

use super::{Rule, Scope};

pub(super) const RULE: Rule = Rule {
    id: "invalid_json_body",
    about: "the body is no JSON",
    docs: include_str!("invalid_json_body.rs"),
    texts: &[
        "request body is not valid JSON",
        "The request body is not valid JSON: Unterminated string starting at: line N column K",
        "The request body is not valid JSON: Expecting ',' delimiter: line N column K",
        "The request body is not valid JSON: Expecting value: line N column K",
        "The request body is not valid JSON: Extra data: line N column K",
        "could not parse the JSON body of your request",
        "Failed to parse the request body as JSON",
        "JSON decode error",
        "no low surrogate in string",
        "invalid high surrogate in string",
        "lone leading surrogate in hex escape",
        "lone surrogate",
        "surrogates not allowed",
        "unexpected end of hex escape",
        "unpaired surrogate",
        "invalid json syntax",
        "Invalid JSON payload received. Unexpected",
        "Invalid JSON payload received. Expected",
        "Failed to deserialize the JSON body into the target type: EOF while parsing",
        "request body could not be parsed as JSON",
        "invalid_json",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |_| None,
    check: |_, _| {},
};
