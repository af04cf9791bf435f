//! # `duplicate_item_id`
//!
//! An item id stands twice in the list.
//!
//! ## Finds
//! An item whose own `id` an earlier item has.
//!
//! ## Provider answers
//! "Duplicate item found with id ID. Remove duplicate items from your input and try again."
//!
//! ## Applies to
//! OpenAI Responses; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "input": [
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   },
//!   {
//!    "type": "reasoning",
//!    "id": "rs_1",
//!    "summary": []
//!   },
//!   {
//!    "type": "function_call",
//!    "id": "fc_1",
//!    "call_id": "k1",
//!    "name": "kiln",
//!    "arguments": "{}"
//!   },
//!   {
//!    "type": "reasoning",
//!    "id": "rs_1",
//!    "summary": []
//!   },
//!   {
//!    "type": "function_call_output",
//!    "call_id": "k1",
//!    "output": "hot"
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Send each item once.
//!
//! ## Sources
//! vercel/ai#7883; earendil-works/pi#5147; NousResearch/hermes-agent#7939

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{IdNo, Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "duplicate_item_id",
    about: "an item id stands twice in the list",
    docs: include_str!("duplicate_item_id.rs"),
    texts: &["Duplicate item found with id"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let mut seen = vec![false; prompt.n_ids()];
    for (position, entry) in prompt.entries().enumerate() {
        let item = entry.message.item;
        if item == IdNo::NONE || entry.message.marks.has(Marks::REFERENCE) {
            continue;
        }
        if std::mem::replace(&mut seen[item.0 as usize], true) {
            let say = format!("item {position} has an id that an earlier item has: send each item once");
            findings.report(Place::message(position), vec![item], say);
        }
    }
}
