//! # `reasoning_item_dangling`
//!
//! A reasoning item has lost the item it led to.
//!
//! ## Finds
//! A `reasoning` item behind which no item of the assistant stands: the list ends, or a user message or an output
//! follows.
//!
//! ## Provider answers
//! "Item 'rs_…' of type 'reasoning' was provided without its required following item."
//!
//! ## Applies to
//! OpenAI Responses; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "input": [
//!   {
//!    "type": "reasoning",
//!    "id": "rs_1",
//!    "summary": []
//!   },
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Drop the reasoning item together with the item it led to.
//!
//! ## Sources
//! The API reference of the vendor; public reports collected in the catalogue of rules

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "reasoning_item_dangling",
    about: "a reasoning item has lost the item it led to",
    docs: include_str!("reasoning_item_dangling.rs"),
    texts: &["was provided without its required following item"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let is_followed = position + 1 < prompt.len() && prompt.entry(position + 1).message.marks.has(Marks::MADE);
        if entry.message.marks.has(Marks::REASONING) && !is_followed {
            let say = format!("reasoning item {position} is not followed by the item it led to: drop it as well");
            findings.report(Place::message(position), vec![entry.message.item], say);
        }
    }
}
