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

use super::{Findings, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::{Marks, Prompt, Speaker};

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
    for (site, part) in prompt.marked(Marks::THINKING) {
        let message = site.message;
        let entry = prompt.entry(message as usize);
        let is_last = site.block as usize + 1 == entry.parts.len();
        if is_last && entry.message.speaker == Speaker::Assistant {
            let say = format!("message {message} ends with thinking: keep what followed it, or drop it");
            findings.report(site.into(), vec![part.id], say);
        }
    }
}
