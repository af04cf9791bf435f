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

use super::{Findings, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "blank_text",
    about: "a text block is blank",
    docs: include_str!("blank_text.rs"),
    texts: &["text field in the ContentBlock object at ID is blank"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::BedrockConverse], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (site, _) in prompt.marked(Marks::BLANK) {
        let (message, block) = (site.message, site.block);
        let say = format!("text block {block} of message {message} is blank: drop it");
        findings.report(site.into(), Vec::new(), say);
    }
}
