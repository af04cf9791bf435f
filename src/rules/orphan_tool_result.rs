//! # `orphan_tool_result`
//!
//! A tool result has no call right before it.
//!
//! ## Finds
//! A result whose id no call of the turn before it has. Three shapes: at the head of the list (what stood before was cut
//! off, the call with it), in the middle (the call was taken out from between), and mixed parents (the run of results
//! answers the message before it, but for this one, whose own message is gone). A result that only stands too far behind
//! its open call is `tool_result_not_adjacent`; a call at the tail is `trailing_tool_call`.
//!
//! ## Provider answers
//! Anthropic: "unexpected `tool_use_id` found in `tool_result` blocks: ID. Each `tool_result` block must have a
//! corresponding `tool_use` block in the previous message". OpenAI: "messages with role 'tool' must be a response to a
//! preceeding message with 'tool_calls'".
//!
//! ## Applies to
//! Anthropic Messages and OpenAI Chat (documented, and seen in public reports), OpenAI Responses and Bedrock Converse
//! (seen in public reports).
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

use super::{Findings, Rule, Scope, Shape, identified_error, names};
use crate::transcript::pairs::{Answer, Fit};
use crate::transcript::{IdNo, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "orphan_tool_result",
    about: "a tool result has no call right before it",
    docs: include_str!("orphan_tool_result.rs"),
    texts: &[
        "unexpected `tool_use_id` found in `tool_result` blocks",
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
        "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        "No tool call found for function call output",
        "toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn",
        "messages with role 'tool' must follow a preceding message with 'tool_calls'",
        "not found in 'tool_calls' of previous message",
        "No tool call found for custom tool call output",
        "No tool call found for local shell call output",
        "No tool call found for computer call output",
        "No tool call found for tool output",
        "tool result's tool id(ID) not found",
        "tool call result does not follow tool call",
        "tool call id not found in previous tool calls",
        "tool_call_id is not found",
        "tool_call_id ID is not found",
        "Unexpected tool call id",
        "Unexpected role 'tool' after role 'ID'",
        "Unexpected role RoleEnum.tool",
        "Message has tool role, but there was no previous assistant message with a tool call",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: identified_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    let mut groups = pairs.groups.iter().peekable();
    let said = prompt.entries().position(|entry| entry.message.speaker == Speaker::Assistant);
    for (index, answer) in (0..).zip(&pairs.answers) {
        while groups.next_if(|group| group.answers.end <= index).is_some() {}
        if answer.fit != Fit::Orphan || is_silent(prompt, answer) {
            continue;
        }
        let run = groups.peek().filter(|group| group.answers.contains(&index));
        let is_mixed = run.is_some_and(|run| pairs.answers_of(run).iter().any(|answer| answer.fit == Fit::Fits));
        let is_head = said.is_none_or(|first| first > answer.site.message as usize);
        let name = names(prompt, &[answer.id]);
        let (shape, why) = match () {
            () if is_mixed => (Shape::MixedParents, "answers no call of the message before it, as its neighbours do"),
            () if is_head => {
                (Shape::Head, "begins the list without its call, which was cut off with what stood before")
            }
            () => (Shape::Middle, "has no call right before it: that was taken out of the middle"),
        };
        let say = format!("tool result {name} {why}: drop the result, or keep the message with its call");
        findings.report_lost(shape, answer.site.into(), vec![answer.id], say);
    }
}

/// A result without id is `missing_tool_call_id`, wherever it stands; only the legacy role has none to give.
fn is_silent(prompt: &Prompt, answer: &Answer) -> bool {
    answer.id == IdNo::NONE && prompt.entry(answer.site.message as usize).message.speaker != Speaker::Function
}
