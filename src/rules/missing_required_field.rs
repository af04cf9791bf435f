//! # `missing_required_field`
//!
//! An item lacks a member that its type must have.
//!
//! ## Finds
//! A `reasoning` item without `summary`.
//!
//! ## Provider answers
//! "Missing required parameter: 'input[N].summary'." A compatible server: "`input[N]` missing required field
//! `summary`".
//!
//! ## Applies to
//! OpenAI Responses, first party and compatible servers; seen in public reports.
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
//! AAswordman/Operit#797; newo-ether/Agora#126; newo-ether/Agora#141; diegosouzapw/OmniRoute#11129

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "missing_required_field",
    about: "an item lacks a member that its type must have",
    docs: include_str!("missing_required_field.rs"),
    texts: &[
        "parameter: 'input[N].summary'",
        "missing required field `summary`",
        "Missing required parameter: 'input[N]",
        "Missing required parameter: 'messages[N]",
        "is a required property - 'messages.N",
        "Missing required parameter in messages[N]",
        "tool_use.id: Field required",
        "tool_use.name: Field required",
        "tool_use.input: Field required",
        "text.text: Field required",
        "input.N.ID: Field required",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, message) in prompt.marked_messages(Marks::NO_SUMMARY) {
        let say = format!("reasoning item {position} has no `summary`: add it, empty if need be");
        findings.report(Place::message(position), vec![message.item], say);
    }
}
