//! # `exclusive_history_sources`
//!
//! Two sources of history are named.
//!
//! ## Finds
//! `previous_response_id` and `conversation` together.
//!
//! ## Provider answers
//! Documented as not allowed.
//!
//! ## Applies to
//! OpenAI Responses; documented.
//!
//! ## Example
//! ```json
//! {
//!  "previous_response_id": "resp_1",
//!  "conversation": "conv_1",
//!  "input": [
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Name one of them.
//!
//! ## Sources
//! The API reference of the vendor

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "exclusive_history_sources",
    about: "two sources of history are named",
    docs: include_str!("exclusive_history_sources.rs"),
    texts: &[
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'",
        "Mutually exclusive parameters: 'conversation' and 'previous_response_id'",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let envelope = prompt.envelope();
    if envelope.previous_response && envelope.conversation {
        let say = "`previous_response_id` and `conversation` exclude each other: name one".to_owned();
        findings.report(Place::message(0), Vec::new(), say);
    }
}
