//! # `thinking_signature_invalid`
//!
//! A thinking block has no signature, or none of its own.
//!
//! ## Finds
//! A `thinking` block whose `signature` is missing or empty. With the session's history also one outside the latest turn
//! whose text was edited under its signature, and one that a model of another family wrote: finished turns are not read
//! again, but their signatures are checked.
//!
//! ## Provider answers
//! "Invalid `signature` in `thinking` block"
//!
//! ## Applies to
//! Anthropic Messages, first party, Vertex and Bedrock; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Plan."},
//!     {
//!       "role": "assistant",
//!       "content": [{"type": "thinking", "thinking": "The large kiln first."}, {"type": "text", "text": "Large first."}]
//!     },
//!     {"role": "user", "content": "Go on."}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send the block with the signature that came with it; if that is lost, drop the block.
//!
//! ## Sources
//! code-yeongyu/oh-my-openagent#2775; kaitranntt/ccs#415; anthropics/anthropic-sdk-python#1598; openclaw/openclaw#99382

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "thinking_signature_invalid",
    about: "a thinking block has no signature, or none of its own",
    docs: include_str!("thinking_signature_invalid.rs"),
    texts: &["Invalid `signature` in `thinking` block"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let latest = prompt.latest_turn();
    // A transcript that is no request may have lost the signatures on its way to the disk.
    let is_sent = prompt.frame().is_lone;
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in (0..).zip(entry.parts) {
            let why = match part.marks {
                marks if marks.has(Marks::UNSIGNED) && is_sent => "has no signature",
                marks if marks.has(Marks::OTHER_MODEL) => "was written by a model of another family",
                marks if marks.has(Marks::EDITED) && position < latest => "is not what the model signed",
                _ => continue,
            };
            let say = format!("the thinking of message {position} {why}: send the block it came with, or drop it");
            findings.report(Place::block(position, block), Vec::new(), say);
        }
    }
}
