//! # `duplicate_tool_result`
//!
//! A tool call is answered twice.
//!
//! ## Finds
//! A second result with the id of a call that a result in the same place has answered already, as retries and merged
//! histories leave it.
//!
//! ## Provider answers
//! Anthropic: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID". OpenAI: no
//! clear evidence that it refuses.
//!
//! ## Applies to
//! Anthropic Messages: refused, seen in public reports. OpenAI Chat: a warning (inferred); refused once the history is
//! converted.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "kiln", "input": {}}]},
//!     {
//!       "role": "user",
//!       "content": [
//!         {"type": "tool_result", "tool_use_id": "k", "content": "hot"},
//!         {"type": "tool_result", "tool_use_id": "k", "content": "hot"}
//!       ]
//!     }
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Keep one of the results, by rule the later one if they differ.
//!
//! ## Sources
//! charmbracelet/crush#3121; QwenLM/qwen-code#5099

use super::{Findings, Rule, Scope, Severity, Side, Target, Verdict, names};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::pairs::Fit;

pub(super) const RULE: Rule = Rule {
    id: "duplicate_tool_result",
    about: "a tool call is answered twice",
    docs: include_str!("duplicate_tool_result.rs"),
    texts: &[
        "each tool_use must have a single result",
        "toolResult blocks at messages.N.content contain duplicate Ids",
        "Duplicate value for 'tool_call_id'",
        "Duplicate tool call id in tool results",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "OpenAI's own API, of which no refusal is known", verdict: Verdict::Accept },
        Side { target: "Anthropic, if a gateway turns the request into its form", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::AnthropicMessages | Api::BedrockConverse => Some(Severity::Error),
        Api::OpenaiChat => Some(Severity::Warning),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    for answer in &pairs.answers {
        if let Fit::Second(first) = answer.fit {
            let (name, at) = (names(prompt, &[answer.id]), first.message);
            let say = format!("tool call {name} was answered before, in message {at}: keep one of the two results");
            findings.report(answer.site.into(), vec![answer.id], say);
        }
    }
}
