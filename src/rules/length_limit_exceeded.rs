//! # `length_limit_exceeded`
//!
//! A list or a text of the messages is longer than the API takes.
//!
//! ## Finds
//! Nothing yet: it names the refusal where a log holds one. The limits are of the API and not of the model: 128 calls
//! in an assistant message, say, however large the window is.
//!
//! ## Provider answers
//! "Invalid 'messages[N].tool_calls': array too long. Expected an array with maximum length 128, but got an array with
//! length 200 instead." "Invalid 'messages[N].content': string too long."
//!
//! ## Applies to
//! OpenAI Chat and Responses, and templates that take one call at a time; only observed, never predicted. Seen in
//! public reports.
//!
//! ## Example
//! ```json
//! {
//!   "model": "gpt-4.1",
//!   "messages": [
//!     {"role": "user", "content": "Measure every kiln."},
//!     {"role": "assistant", "content": null, "tool_calls": [
//!       {"id": "call_1", "type": "function", "function": {"name": "measure", "arguments": "{\"kiln\": 1}"}}
//!     ]},
//!     {"role": "tool", "tool_call_id": "call_1", "content": "1100 degrees"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Split the message, or shorten the text; results of calls that are split off go with their calls.
//!
//! ## Sources
//! openai/openai-dotnet#317

use super::{Rule, Scope};

pub(super) const RULE: Rule = Rule {
    id: "length_limit_exceeded",
    about: "a list or a text of the messages is longer than the API takes",
    docs: include_str!("length_limit_exceeded.rs"),
    texts: &[
        "Invalid 'messages[N].tool_calls': array too long",
        "Invalid 'messages[N].content': array too long",
        "Invalid 'messages': array too long",
        "Invalid 'input': array too long",
        "Invalid 'input[N].content': array too long",
        "Invalid 'input[N].output': array too long",
        "Invalid 'input[N].summary': array too long",
        "Invalid 'messages[N].content': string too long",
        "Invalid 'messages[N].content[K].text': string too long",
        "Invalid 'input[N].content': string too long",
        "Invalid 'input[N].content[K].text': string too long",
        "Invalid 'input[N].output': string too long",
        "Invalid 'input[N].arguments': string too long",
        "is too long - 'messages",
        "messages: List should have at most",
        "This model only supports single tool-calls at once",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |_| None,
    check: |_, _| {},
};
