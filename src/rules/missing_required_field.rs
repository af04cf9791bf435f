//! # `missing_required_field`
//!
//! An item lacks a member that its type must have.
//!
//! ## Finds
//! A `reasoning` item without `summary`.
//!
//! ## Provider answers
//! "missing required field `summary`"
//!
//! ## Applies to
//! OpenAI Responses; seen in a public report about a compatible server.
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
//!    "id": "rs_1"
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
//! Send `summary`, empty if need be.
//!
//! ## Sources
//! A public report about a compatible server

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "missing_required_field",
    about: "an item lacks a member that its type must have",
    docs: include_str!("missing_required_field.rs"),
    texts: &["missing required field `summary`"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        if entry.message.marks.has(Marks::NO_SUMMARY) {
            let say = format!("reasoning item {position} has no `summary`: add it, empty if need be");
            findings.report(Place::message(position), vec![entry.message.item], say);
        }
    }
}
