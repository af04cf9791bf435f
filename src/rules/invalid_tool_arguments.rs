//! # `invalid_tool_arguments`
//!
//! The input of a call is no object.
//!
//! ## Finds
//! A `tool_use` whose `input` is a list, a string, a number or null.
//!
//! ## Provider answers
//! "Input should be a valid dictionary".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "kiln", "input": []}]},
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send the arguments as an object, `{}` where there are none.
//!
//! ## Sources
//! prism-php/prism#659

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "invalid_tool_arguments",
    about: "the input of a call is no object",
    docs: include_str!("invalid_tool_arguments.rs"),
    texts: &["Input should be a valid dictionary"],
    hides: false,
    scope: Scope::Neighbours,
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in (0..).zip(entry.parts) {
            if part.marks.has(Marks::BAD_INPUT) {
                let say = format!("a call in message {} has an input that is no object: send an object", position);
                findings.report(Place::block(position, block), vec![part.id], say);
            }
        }
    }
}
