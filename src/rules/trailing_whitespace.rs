//! # `trailing_whitespace`
//!
//! The assistant text at the end of the request ends with white space.
//!
//! ## Finds
//! A last message of the assistant whose last block is text that ends with a space or a line break, and says something
//! before it.
//!
//! ## Provider answers
//! "messages: final assistant content cannot end with trailing whitespace"
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {"messages": [{"role": "user", "content": "How hot?"}, {"role": "assistant", "content": "It is "}]}
//! ```
//!
//! ## Remedy
//! Trim the text.
//!
//! ## Sources
//! tailcallhq/forgecode#1872; anomalyco/opencode#1295; crewAIInc/crewAI#4538

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::{Marks, PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "trailing_whitespace",
    about: "the assistant text at the end of the request ends with white space",
    docs: include_str!("trailing_whitespace.rs"),
    texts: &["final assistant content cannot end with trailing whitespace"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let Some(last) = prompt.len().checked_sub(1) else { return };
    let entry = prompt.entry(last);
    let Some(text) = entry.parts.last().filter(|_| entry.message.speaker == Speaker::Assistant) else { return };
    let is_ragged = text.kind == PartKind::Text && text.marks.has(Marks::TRAILING_SPACE);
    if is_ragged && !text.marks.has(Marks::BLANK) {
        let say = "the final assistant text ends with white space: trim it".to_owned();
        findings.report(Place::block(last, entry.parts.len() as u32 - 1), Vec::new(), say);
    }
}
