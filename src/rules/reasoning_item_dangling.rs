//! # `reasoning_item_dangling`
//!
//! A reasoning item has lost the item it led to.
//!
//! ## Finds
//! A `reasoning` item behind which no item of the assistant stands: the list ends, or a user message or an output
//! follows. Where the reasoning has its id, an assistant's message without one is not the item that it led to: it was
//! rewritten, or taken from elsewhere.
//!
//! ## Provider answers
//! "Item 'rs_…' of type 'reasoning' was provided without its required following item."
//!
//! ## Applies to
//! OpenAI Responses; seen in public reports and in recorded traffic. One report saw a model of September 2026 take
//! encrypted reasoning alone with `store: false` (jin-bo/agentao#321). DeepSeek's endpoint joins no items.
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
//! Drop the reasoning item together with the item it led to; where that is a message, send it with the id that it had.
//!
//! ## Sources
//! OpenHands/software-agent-sdk#1754; continuedev/continue#8933; traffic that pydantic/pydantic-ai recorded

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{IdNo, Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "reasoning_item_dangling",
    about: "a reasoning item has lost the item it led to",
    docs: include_str!("reasoning_item_dangling.rs"),
    texts: &["was provided without its required following item"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| {
        error_for(&[Api::OpenaiResponses], target).filter(|_| !target.has(|server| server.keeps_no_items))
    },
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        if !entry.message.marks.has(Marks::REASONING) {
            continue;
        }
        let next = (position + 1 < prompt.len()).then(|| prompt.entry(position + 1).message.marks);
        let is_known = entry.message.item != IdNo::NONE;
        if !next.is_some_and(|next| next.has(Marks::MADE) && !(is_known && next.has(Marks::RETOLD))) {
            let say = format!("reasoning item {position} is not followed by the item it led to: drop it as well");
            findings.report(Place::message(position), vec![entry.message.item], say);
        }
    }
}
