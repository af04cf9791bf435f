//! # `tool_result_not_adjacent`
//!
//! A tool result stands too far behind its call.
//!
//! ## Finds
//! A call whose result exists, but not right behind it: a summary, a reminder or a user's message came in between. One
//! finding at the call names both halves. In DeepSeek's Responses also a message between the calls of one turn.
//!
//! ## Provider answers
//! The provider sees two faults and names one. Anthropic: "`tool_use` ids were found without `tool_result` blocks
//! immediately after: ID" (`messages.N`). OpenAI: "An assistant message with 'tool_calls' must be followed by tool
//! messages responding to each 'tool_call_id'". DeepSeek: "No tool output found for tool call ID".
//!
//! ## Applies to
//! Anthropic Messages (documented, and seen in public reports), OpenAI Chat (documented, and seen in public reports) and
//! DeepSeek's Responses endpoint (seen in public reports and in recorded traffic).
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
//! deepseek-ai/awesome-deepseek-integration#740; deepseek-ai/DeepSeek-V3#1588; kolega-ai/kolega-code#403; traffic that
//! pydantic/pydantic-ai recorded

use super::{Findings, LOST_RESULT, Place, Rule, Scope, Severity, Shape, Target, error, names};
use crate::model::Api;
use crate::transcript::pairs::{Ask, Fate};
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

/// Calls of Responses that something parts from their outputs, or from the calls behind them; each gap is told at the last
/// call before it. Whether reasoning may stand there is disputed.
fn interrupted(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    let mut open: Option<&Ask> = None;
    let mut is_parted = false;
    let mut asks = pairs.asks.iter();
    for (position, entry) in prompt.entries().enumerate() {
        let kind = entry.parts.first().map(|part| part.kind);
        let is_call = kind == Some(PartKind::ToolUse);
        if is_call || kind == Some(PartKind::ToolResult) {
            if let Some(ask) = open.take().filter(|ask| is_parted && ask.fate == Fate::Answered) {
                let name = names(prompt, &[ask.id]);
                let say =
                    format!("something stands between tool call {name} and its output: move that before the calls");
                findings.report_lost(Shape::Split, Place::message(ask.site.message as usize), vec![ask.id], say);
            }
        } else {
            is_parted |= !entry.message.marks.has(Marks::REASONING) && !entry.message.marks.has(Marks::REFERENCE);
        }
        if is_call {
            (open, is_parted) = (asks.find(|ask| ask.site.message as usize == position), false);
        }
    }
}
