//! # `cache_control_not_allowed`
//!
//! A cache mark stands on thinking.
//!
//! ## Finds
//! A `thinking` or `redacted_thinking` block with `cache_control`.
//!
//! ## Provider answers
//! "messages.N.content.K.thinking.cache_control: Extra inputs are not permitted", or `redacted_thinking` in place of
//! `thinking`.
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {
//!      "role": "assistant",
//!      "content": [
//!       {
//!        "type": "thinking",
//!        "thinking": "Warm?",
//!        "signature": "c2ln",
//!        "cache_control": {
//!         "type": "ephemeral"
//!        }
//!       },
//!       {
//!        "type": "text",
//!        "text": "Hot."
//!       }
//!      ]
//!     },
//!     {"role": "user", "content": "Well?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Put the mark on the block before or behind it.
//!
//! ## Sources
//! Wei-Shaw/sub2api#225; LeenHawk/gproxy#67

use super::{Findings, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "cache_control_not_allowed",
    about: "a cache mark stands on thinking",
    docs: include_str!("cache_control_not_allowed.rs"),
    texts: &[
        "thinking.cache_control: Extra inputs are not permitted",
        "redacted_thinking.cache_control: Extra inputs are not permitted",
    ],
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
    for (site, part) in prompt.marked(Marks::MARKED_THINKING) {
        let message = site.message;
        let say = format!("thinking in message {message} carries a cache mark: put it on another block");
        findings.report(site.into(), vec![part.id], say);
    }
}
