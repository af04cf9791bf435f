//! # `tool_result_count_mismatch`
//!
//! An assistant message gets another number of results than it has calls.
//!
//! ## Finds
//! The `tool` messages right behind an assistant message are more or fewer than its calls.
//!
//! ## Provider answers
//! "Not the same number of function calls and responses"
//!
//! ## Applies to
//! Mistral Chat; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "model": "mistral-large-latest",
//!  "messages": [
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   },
//!   {
//!    "role": "assistant",
//!    "content": "",
//!    "tool_calls": [
//!     {
//!      "id": "aB3dE5fG8",
//!      "type": "function",
//!      "function": {
//!       "name": "kiln",
//!       "arguments": "{}"
//!      }
//!     }
//!    ]
//!   },
//!   {
//!    "role": "assistant",
//!    "content": "Hot."
//!   },
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Answer each call once.
//!
//! ## Sources
//! mistralai/client-ts#106; camel-ai/camel#1467; partITech/php-mistral#57

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "tool_result_count_mismatch",
    about: "an assistant message gets another number of results than it has calls",
    docs: include_str!("tool_result_count_mismatch.rs"),
    texts: &[
        "Not the same number of function calls and responses",
        "tool call and result not match",
        "Too many function calls and too few responses",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::MistralChat], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let begins = || position.checked_sub(1).is_none_or(|before| is_apart(prompt.entry(before).message.speaker));
        match entry.message.speaker {
            Speaker::Assistant => {}
            Speaker::Tool if begins() => {
                let say = format!("message {position} is a result behind no calls: drop it, or keep its call");
                findings.report(Place::message(position), Vec::new(), say);
                continue;
            }
            _ => continue,
        }
        let called = entry.parts.iter().filter(|part| part.kind == PartKind::ToolUse).count();
        let behind = (position + 1..prompt.len()).map(|next| prompt.entry(next).message.speaker);
        let answered = behind.take_while(|speaker| *speaker == Speaker::Tool).count();
        if called != answered {
            let say = format!("message {position} has {called} calls, and {answered} results follow: answer each once");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}

/// Whether results behind that speaker answer nobody, and `user_after_tool` does not say so.
fn is_apart(speaker: Speaker) -> bool {
    !matches!(speaker, Speaker::Assistant | Speaker::Tool | Speaker::User)
}
