//! # `partial_parallel_results`
//!
//! Only some of the calls of a message are answered.
//!
//! ## Finds
//! An assistant message with several calls, of which some have a result right behind it and others have none.
//!
//! ## Provider answers
//! As for `unanswered_tool_call`, listing the ids that are missing. Anthropic: "`tool_use` ids were found without
//! `tool_result` blocks immediately after: ID" (`messages.N`). OpenAI: "An assistant message with 'tool_calls' must be
//! followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response
//! messages: ID".
//!
//! ## Applies to
//! Anthropic Messages (documented, and seen in public reports) and OpenAI Chat (documented, and seen in public
//! reports).
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Both kilns?"},
//!     {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "tool_use", "id": "a", "name": "kiln", "input": {}},
//!         {"type": "tool_use", "id": "b", "name": "kiln", "input": {}}
//!       ]
//!     },
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Answer every call of the message, with an error result where there is none; send only when all have finished.
//!
//! ## Sources
//! The API references of both vendors; anthropics/claude-code#2039

use super::{Findings, LOST_RESULT, Missing, Rule, Scope, paired_error, report_open};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "partial_parallel_results",
    about: "only some of the calls of a message are answered",
    docs: include_str!("partial_parallel_results.rs"),
    texts: LOST_RESULT,
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: paired_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    report_open(prompt, findings, Missing::Some, |names| {
        format!("tool call {names} has no result though its siblings have: answer it in the same place")
    });
}
