//! # `whitespace_only_text`
//!
//! A text block holds white space only.
//!
//! ## Finds
//! A text block that is not empty and holds only white space.
//!
//! ## Provider answers
//! "text content blocks must contain non-whitespace text".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "text", "text": "  \n"}]},
//!     {"role": "user", "content": "Well?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Drop the block.
//!
//! ## Sources
//! anthropics/claude-code#23440; anomalyco/opencode#31259; continuedev/continue#9605

use super::{Findings, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "whitespace_only_text",
    about: "a text block holds white space only",
    docs: include_str!("whitespace_only_text.rs"),
    texts: &["text content blocks must contain non-whitespace text"],
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
    for (site, part) in prompt.marked(Marks::BLANK).filter(|(_, part)| !part.empty) {
        let message = site.message;
        let say = format!("message {message} has text of white space only: drop it");
        findings.report(site.into(), vec![part.id], say);
    }
}
