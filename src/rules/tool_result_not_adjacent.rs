//! # `tool_result_not_adjacent`
//!
//! A tool result stands too far behind its call.
//!
//! ## Finds
//! A call whose result exists, but not right behind it: a summary, a reminder or a user's message came in between. One
//! finding at the call names both halves.
//!
//! ## Provider answers
//! The provider sees two faults and names one. Anthropic: "`tool_use` ids were found without `tool_result` blocks
//! immediately after: ID" (`messages.N`). OpenAI: "An assistant message with 'tool_calls' must be followed by tool
//! messages responding to each 'tool_call_id'".
//!
//! ## Applies to
//! Anthropic Messages (documented, and seen in public reports) and OpenAI Chat (documented, and seen in public
//! reports).
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {
//!       "role": "assistant",
//!       "tool_calls": [{"id": "k", "type": "function", "function": {"name": "kiln", "arguments": "{}"}}]
//!     },
//!     {"role": "user", "content": "Well?"},
//!     {"role": "tool", "tool_call_id": "k", "content": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Move the result right behind its call, and whatever stands between behind the result.
//!
//! ## Sources
//! OpenHands/software-agent-sdk#1450; ogx-ai/ogx#6367; langchain-ai/langchain#34195;
//! deepseek-ai/awesome-deepseek-integration#740; kolega-ai/kolega-code#403

use super::{Findings, LOST_RESULT, Rule, Scope, Severity, Shape, Target, error, names};
use crate::model::Api;
use crate::transcript::pairs::Fate;
use crate::transcript::{Marks, PartKind, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "tool_result_not_adjacent",
    about: "a tool result stands too far behind its call",
    docs: include_str!("tool_result_not_adjacent.rs"),
    texts: LOST_RESULT,
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::OpenaiResponses => target.has(|profile| profile.adjacent_outputs).then_some(Severity::Error),
        _ => error(target),
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.api() == Api::OpenaiResponses {
        return interrupted(prompt, findings);
    }
    let pairs = findings.pairs;
    for ask in &pairs.asks {
        if let Fate::Late(result) = ask.fate {
            let (name, at) = (names(prompt, &[ask.id]), result.message);
            let say = format!(
                "something stands between tool call {name} and its result in message {at}: move the result right behind \
                 the call"
            );
            findings.report_lost(Shape::Split, ask.site.into(), vec![ask.id], say);
        }
    }
}

/// Calls of Responses that the assistant's words part from their outputs; each such gap is told at its last call.
fn interrupted(prompt: &Prompt, findings: &mut Findings) {
    let mut open: Option<(usize, crate::transcript::IdNo)> = None;
    let mut is_parted = false;
    for (position, entry) in prompt.entries().enumerate() {
        let marks = entry.message.marks;
        match entry.parts.first().map(|part| part.kind) {
            Some(PartKind::ToolUse) => (open, is_parted) = (Some((position, entry.parts[0].id)), false),
            Some(PartKind::ToolResult) => {
                if let Some((at, id)) = open.take().filter(|_| is_parted) {
                    let say = format!(
                        "the assistant speaks between tool call {} and the outputs: move that before the calls",
                        names(prompt, &[id])
                    );
                    findings.report_lost(Shape::Split, super::Place::message(at), vec![id], say);
                }
            }
            _ => is_parted |= marks.has(Marks::MADE) && !marks.has(Marks::REASONING),
        }
    }
}
