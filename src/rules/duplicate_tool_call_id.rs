//! # `duplicate_tool_call_id`
//!
//! Two tool calls of the request share an id.
//!
//! ## Finds
//! A call with the id of an earlier call, anywhere in the request: a gateway that restarts its counter, or a history
//! pasted twice. Each call may still be answered in its own place.
//!
//! ## Provider answers
//! Anthropic: "`tool_use` ids must be unique".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports. OpenAI Chat takes ids that repeat from turn to turn.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "tool_use", "id": "k", "name": "kiln", "input": {}},
//!         {"type": "tool_use", "id": "k", "name": "kiln", "input": {}}
//!       ]
//!     }
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Give the later call, and its result, an id of their own.
//!
//! ## Sources
//! anthropics/claude-code#29779; QwenLM/qwen-code#8382; ducks/claux#40

use super::{Findings, Rule, Scope, anthropic_error, names};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "duplicate_tool_call_id",
    about: "two tool calls of the request share an id",
    docs: include_str!("duplicate_tool_call_id.rs"),
    texts: &[
        "`tool_use` ids must be unique",
        "toolUse blocks at messages.N.content contain duplicate Ids",
        "cannot have duplicate tool ids",
        "tool call id ID is duplicated",
        "Duplicate tool call id in assistant message",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    for ask in &pairs.asks {
        if let Some(first) = ask.first {
            let (name, at) = (names(prompt, &[ask.id]), pairs.asks[first as usize].site.message);
            let say = format!("tool call id {name} was used before, in message {at}: rename this call and its result");
            findings.report(ask.site.into(), vec![ask.id], say);
        }
    }
}
