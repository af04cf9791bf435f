//! # `trailing_tool_call`
//!
//! The request ends with tool calls.
//!
//! ## Finds
//! The last message is an assistant message with calls: the request was sent before the tools had run, or its results
//! were cut.
//!
//! ## Provider answers
//! Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after: ID" (`messages.N`). OpenAI:
//! "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The
//! following tool_call_ids did not have response messages: ID".
//!
//! ## Applies to
//! Anthropic Messages and OpenAI Chat; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "kiln", "input": {}}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Run the tools and append their results, or end the request before the assistant message.
//!
//! ## Sources
//! The API references of both vendors; zed-industries/zed#29401

use super::{Findings, LOST_RESULT, Missing, Rule, Scope, paired_error, report_open};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "trailing_tool_call",
    about: "the request ends with tool calls",
    docs: include_str!("trailing_tool_call.rs"),
    texts: LOST_RESULT,
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: paired_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    report_open(prompt, findings, Missing::Tail, |names| {
        format!("the request ends with tool call {names}: append its result, or end before this message")
    });
}
