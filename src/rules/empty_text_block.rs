//! # `empty_text_block`
//!
//! An empty text block stands in the system text, or carries a cache mark.
//!
//! ## Finds
//! A text block without a character in `system`, or one anywhere with `cache_control`. An empty block of a message
//! without a mark is `empty_content`.
//!
//! ## Provider answers
//! "system: text content blocks must be non-empty"; with a mark: "cache_control cannot be set for empty text blocks".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {"system": [{"type": "text", "text": ""}], "messages": [{"role": "user", "content": "Fire."}]}
//! ```
//!
//! ## Remedy
//! Drop the block, and set the mark on the one before it.
//!
//! ## Sources
//! BerriAI/litellm#22979; HKUDS/nanobot#949

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::{Marks, PartKind, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "empty_text_block",
    about: "an empty text block stands in the system text, or carries a cache mark",
    docs: include_str!("empty_text_block.rs"),
    texts: &["system: text content blocks must be non-empty", "cache_control cannot be set for empty text blocks"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.envelope().blank_system {
        let say = "the system text has an empty block: drop it".to_owned();
        findings.report(Place::REQUEST, Vec::new(), say);
    }
    for (site, part) in prompt.marked(Marks::CACHED) {
        if part.kind == PartKind::Text && part.empty {
            let (message, block) = (site.message, site.block);
            let say = format!("block {block} of message {message} is empty and has a cache mark: drop it");
            findings.report(site.into(), Vec::new(), say);
        }
    }
}
