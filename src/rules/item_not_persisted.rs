//! # `item_not_persisted`
//!
//! An item is sent by id though nothing is stored.
//!
//! ## Finds
//! With `store` set to `false`, a `reasoning` item with an id and without its encrypted content. It is taken where
//! an earlier request stored it.
//!
//! ## Provider answers
//! "Item with id 'rs_…' not found. Items are not persisted when `store` is set to false." (status 404)
//!
//! ## Applies to
//! OpenAI Responses; seen in public reports. What the server still has decides.
//!
//! ## Example
//! ```json
//! {
//!  "store": false,
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
//!    "type": "function_call_output",
//!    "call_id": "k1",
//!    "output": "hot"
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Ask for `reasoning.encrypted_content` and send it back, or drop the item.
//!
//! ## Sources
//! anomalyco/opencode#7724; can1357/oh-my-pi#41; vercel/ai#7543

use super::{Findings, Place, Rule, Scope, Severity, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "item_not_persisted",
    about: "an item is sent by id though nothing is stored",
    docs: include_str!("item_not_persisted.rs"),
    texts: &["Items are not persisted when `store` is set to false", "Item with id 'ID' not found"],
    hides: true,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target).map(|_| Severity::Warning),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    if !prompt.envelope().store_off {
        return;
    }
    for (position, entry) in prompt.entries().enumerate() {
        if entry.message.marks.has(Marks::BY_ID) {
            let say =
                format!("item {position} is sent by id, and `store` is off: send its encrypted content, or drop it");
            findings.report(Place::message(position), vec![entry.message.item], say);
        }
    }
}
