//! # `blank_text`
//!
//! A text block is blank.
//!
//! ## Finds
//! A text block of a message that holds nothing or white space alone. Inside a result blank text is taken.
//!
//! ## Provider answers
//! "The text field in the ContentBlock object at messages.N.content.K is blank"
//!
//! ## Applies to
//! Bedrock Converse; seen in public reports.
//!
//! ## Example
//! ```json
//! {"messages": [{"role": "user", "content": [{"text": " "}]}]}
//! ```
//!
//! ## Remedy
//! Drop the block.
//!
//! ## Sources
//! NousResearch/hermes-agent#55092

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "blank_text",
    about: "a text block is blank",
    docs: include_str!("blank_text.rs"),
    texts: &["is blank"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::BedrockConverse], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in entry.parts.iter().enumerate() {
            if part.marks.has(Marks::BLANK) {
                let place = Place { block: Some(block as u32), ..Place::message(position) };
                let say = format!("text block {block} of message {position} is blank: drop it");
                findings.report(place, Vec::new(), say);
            }
        }
    }
}
