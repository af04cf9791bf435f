//! # `invalid_tool_call_id`
//!
//! An id holds characters that the provider refuses.
//!
//! ## Finds
//! A `tool_use` or `tool_result` whose id is empty or holds anything but letters, digits, `_` and `-`.
//!
//! ## Provider answers
//! "String should match pattern".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k:0", "name": "kiln", "input": {}}]},
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k:0", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Rename the id in the call and in its result alike.
//!
//! ## Sources
//! QwenLM/qwen-code#8160

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::prompt::Entry;
use crate::transcript::{PartFacts, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "invalid_tool_call_id",
    about: "an id holds characters that the provider refuses",
    docs: include_str!("invalid_tool_call_id.rs"),
    texts: &["String should match pattern"],
    hides: false,
    scope: Scope::Neighbours,
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in (0..).zip(entry.parts) {
            if is_wrong(&entry, part, prompt) {
                let say = format!(
                    "message {} has a tool id with characters that are refused: rename it in call and result",
                    position
                );
                findings.report(Place::block(position, block), vec![part.id], say);
            }
        }
    }
}

fn is_wrong(_: &Entry, part: &PartFacts, prompt: &Prompt) -> bool {
    let is_fine = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'-';
    prompt.id(part.id).is_some_and(|id| id.is_empty() || !id.bytes().all(is_fine))
}
