//! # `thinking_block_final`
//!
//! An assistant message ends with thinking.
//!
//! ## Finds
//! An assistant message whose last block is `thinking` or `redacted_thinking`, one that is only thinking included.
//!
//! ## Provider answers
//! "The final block in an assistant message cannot be `thinking`".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "thinking", "thinking": "Warm?", "signature": "c2ln"}]},
//!     {"role": "user", "content": "Well?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Drop the thinking, or keep the text or call that followed it.
//!
//! ## Sources
//! tailcallhq/forgecode#2107

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "thinking_block_final",
    about: "an assistant message ends with thinking",
    docs: include_str!("thinking_block_final.rs"),
    texts: &["The final block in an assistant message cannot be `thinking`"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let Some(last) = entry.parts.last().filter(|part| part.kind == PartKind::Thinking) else { continue };
        if entry.message.speaker == Speaker::Assistant {
            let say = format!("message {position} ends with thinking: keep what followed it, or drop it");
            let block = entry.parts.len() as u32 - 1;
            findings.report(Place::block(position, block), vec![last.id], say);
        }
    }
}
