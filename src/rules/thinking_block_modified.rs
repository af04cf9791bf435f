//! # `thinking_block_modified`
//!
//! A thinking block of the latest assistant turn is not what the model returned.
//!
//! ## Finds
//! A thinking block whose text differs from the one that came with the same signature in an earlier call of the session.
//! Only the latest assistant turn is looked at, as the provider does. It needs the session's history; a lone request
//! never shows it.
//!
//! ## Provider answers
//! "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified"
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! [
//!   {
//!     "session": "s",
//!     "request": {"messages": [{"role": "user", "content": "Plan."}]},
//!     "response": {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "thinking", "thinking": "The large kiln first, then the small one.", "signature": "c2lnMQ=="},
//!         {"type": "tool_use", "id": "k", "name": "fire", "input": {}}
//!       ]
//!     }
//!   },
//!   {
//!     "session": "s",
//!     "request": {
//!       "messages": [
//!         {"role": "user", "content": "Plan."},
//!         {
//!           "role": "assistant",
//!           "content": [
//!             {"type": "thinking", "thinking": "The large kiln […]", "signature": "c2lnMQ=="},
//!             {"type": "tool_use", "id": "k", "name": "fire", "input": {}}
//!           ]
//!         },
//!         {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "hot"}]}
//!       ]
//!     }
//!   }
//! ]
//! ```
//!
//! ## Remedy
//! Send the block back byte by byte, or drop it where its turn is over.
//!
//! ## Sources
//! anthropics/claude-code#63309; anthropics/claude-code#12973; anomalyco/opencode#31188

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "thinking_block_modified",
    about: "a thinking block of the latest assistant turn is not what the model returned",
    docs: include_str!("thinking_block_modified.rs"),
    texts: &["blocks in the latest assistant message cannot be modified"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for position in prompt.latest_turn()..prompt.len() {
        for (block, part) in (0..).zip(prompt.entry(position).parts) {
            if part.marks.has(Marks::EDITED) {
                let say = format!(
                    "the thinking of message {position} is not what the model returned under that signature: send it back \
                     unchanged"
                );
                findings.report(Place::block(position, block), Vec::new(), say);
            }
        }
    }
}
