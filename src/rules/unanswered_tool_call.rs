//! # `unanswered_tool_call`
//!
//! An assistant message calls tools, and nothing answers.
//!
//! ## Finds
//! An assistant message none of whose calls has a result right behind it, though the conversation goes on: the user
//! cancelled, or the results were cut.
//!
//! ## Provider answers
//! Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after: ID" (`messages.N`); up to the
//! spring of 2025, at the message behind: "Did not find 1 `tool_result` block(s) at the beginning of this message.
//! Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks." OpenAI: "An
//! assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The
//! following tool_call_ids did not have response messages: ID".
//!
//! ## Applies to
//! Anthropic Messages (documented, and seen in public reports) and OpenAI Chat (documented, and seen in public
//! reports).
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Fire it."},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "kiln_2", "name": "kiln", "input": {}}]},
//!     {"role": "user", "content": "No, wait."}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Answer each open call with a result that says it failed or was cancelled, before anything else is said; or drop the
//! call.
//!
//! ## Sources
//! anthropics/claude-code#2039; anthropics/claude-code#1956; zed-industries/zed#29401; anthropics/claude-code#37;
//! anthropics/anthropic-sdk-typescript#653

use super::{Findings, LOST_RESULT, Missing, Rule, Scope, identified_error, report_open};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "unanswered_tool_call",
    about: "an assistant message calls tools, and nothing answers",
    docs: include_str!("unanswered_tool_call.rs"),
    texts: LOST_RESULT,
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: identified_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    report_open(prompt, findings, Missing::All, |names| {
        format!("tool call {names} has no result: answer it right behind this message, or drop the call")
    });
}
