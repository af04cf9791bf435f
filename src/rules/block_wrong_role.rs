//! # `block_wrong_role`
//!
//! A block stands under a role that may not hold it.
//!
//! ## Finds
//! A `tool_result` in an assistant message, or a `tool_use` in a user message.
//!
//! ## Provider answers
//! Anthropic: "`tool_result` blocks can only be in `user` messages".
//!
//! ## Applies to
//! Anthropic Messages and Gemini; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [{"role": "assistant", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "hot"}]}]
//! }
//! ```
//!
//! ## Remedy
//! Move results into a user message right behind the call, and calls into an assistant message.
//!
//! ## Sources
//! tghamm/Anthropic.SDK#128

use super::{Findings, Place, Rule, Scope, error_for, names};
use crate::model::Api;
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "block_wrong_role",
    about: "a block stands under a role that may not hold it",
    docs: include_str!("block_wrong_role.rs"),
    texts: &[
        "`tool_result` blocks can only be in `user` messages",
        "`tool_use` blocks can only be in `assistant` messages",
        "role 'assistant' can have",
        "User messages cannot contain reasoning content",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::AnthropicMessages, Api::GeminiGenerateContent], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let (banned, what) = match entry.message.speaker {
            Speaker::Assistant if entry.message.has_results => (PartKind::ToolResult, "tool result"),
            Speaker::User if entry.message.has_calls => (PartKind::ToolUse, "tool call"),
            _ => continue,
        };
        for (block, part) in entry.parts.iter().enumerate().filter(|(_, part)| part.kind == banned) {
            let place = Place { block: Some(block as u32), ..Place::message(position) };
            let name = names(prompt, &[part.id]);
            let say = format!(
                "{what} {name} stands in message {position}, whose role may not hold it: move it to the other role"
            );
            findings.report(place, vec![part.id], say);
        }
    }
}
