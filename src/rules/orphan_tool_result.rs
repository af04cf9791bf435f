//! # `orphan_tool_result`
//!
//! A tool result has no call right before it.
//!
//! ## Finds
//! A result whose id no call of the turn before it has: the call was cut off at the head, lost in the middle, or
//! belongs to another conversation. A result that only stands too far behind its open call is
//! `tool_result_not_adjacent`.
//!
//! ## Provider answers
//! Anthropic: "unexpected `tool_use_id` found in `tool_result` blocks: ID. Each `tool_result` block must have a
//! corresponding `tool_use` block in the previous message". OpenAI: "messages with role 'tool' must be a response to a
//! preceeding message with 'tool_calls'".
//!
//! ## Applies to
//! Anthropic Messages (documented, and seen in public reports) and OpenAI Chat (documented, and seen in public
//! reports).
//!
//! ## Example
//! ```json
//! {
//!   "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "kiln_1", "content": "1100 degrees"}]}]
//! }
//! ```
//!
//! ## Remedy
//! Cut before the assistant message that calls, never between it and its results; or drop the result as well.
//!
//! ## Sources
//! datakurre/graph-agent#85; n8n-io/n8n#34166; BerriAI/litellm#4931; microsoft/autogen#7955

use super::{Findings, Rule, Scope, identified_error, names};
use crate::transcript::pairs::{Answer, Fit};
use crate::transcript::{IdNo, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "orphan_tool_result",
    about: "a tool result has no call right before it",
    docs: include_str!("orphan_tool_result.rs"),
    texts: &[
        "unexpected `tool_use_id` found in `tool_result` blocks",
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    ],
    hides: false,
    scope: Scope::List,
    severity: identified_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    // A result without id is `missing_tool_call_id`, wherever it stands; only the legacy role has none to give.
    let is_silent = |answer: &Answer| {
        answer.id == IdNo::NONE && prompt.entry(answer.site.message as usize).message.speaker != Speaker::Function
    };
    for answer in pairs.answers.iter().filter(|answer| answer.fit == Fit::Orphan && !is_silent(answer)) {
        let name = names(prompt, &[answer.id]);
        let say = format!(
            "tool result {name} has no call right before it: drop the result, or keep the message with its call"
        );
        findings.report(answer.site.into(), vec![answer.id], say);
    }
}
