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

use super::{Findings, Rule, Scope, anthropic_error};
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "thinking_signature_invalid",
    about: "a thinking block has no signature, or none of its own",
    docs: include_str!("thinking_signature_invalid.rs"),
    texts: &[
        "Invalid `signature` in `thinking` block",
        "Invalid `data` in `redacted_thinking` block",
        "thinking.signature: Field required",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    // A transcript that is no request may have lost the signatures on its way to the disk.
    let is_sent = prompt.envelope().is_lone;
    let mut latest = None;
    for (site, part) in prompt.marked(Marks::UNSIGNED.and(Marks::OTHER_MODEL).and(Marks::EDITED)) {
        let message = site.message;
        let mut is_old = || message < *latest.get_or_insert_with(|| prompt.latest_turn() as u32);
        let why = match part.marks {
            marks if marks.has(Marks::UNSIGNED) && is_sent => "has no signature",
            marks if marks.has(Marks::OTHER_MODEL) => "was written by a model of another family",
            marks if marks.has(Marks::EDITED) && is_old() => "is not what the model signed",
            _ => continue,
        };
        let say = format!("the thinking of message {message} {why}: send the block it came with, or drop it");
        findings.report(site.into(), Vec::new(), say);
    }
}
