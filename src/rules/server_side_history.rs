//! # `server_side_history`
//!
//! Part of the history is kept by the server.
//!
//! ## Finds
//! `previous_response_id`, `conversation` or an `item_reference`: calls and results may live on the server, so
//! nothing here tells whether the request is taken. Pairing is not judged then.
//!
//! ## Provider answers
//! Nothing by itself.
//!
//! ## Applies to
//! OpenAI Responses; documented.
//!
//! ## Example
//! ```json
//! {
//!  "previous_response_id": "resp_1",
//!  "input": [
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
//! None is needed; to have it judged, send the whole list.
//!
//! ## Sources
//! The API reference of the vendor

use super::{Findings, Place, Rule, Scope, Severity, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "server_side_history",
    about: "part of the history is kept by the server",
    docs: include_str!("server_side_history.rs"),
    texts: &[],
    hides: true,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target).map(|_| Severity::Info),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let envelope = prompt.envelope();
    let reference = prompt.entries().position(|entry| entry.message.marks.has(Marks::REFERENCE));
    // Both together are `exclusive_history_sources`.
    if envelope.previous_response && envelope.conversation {
        return;
    }
    if let Some(position) = reference.or((envelope.previous_response || envelope.conversation).then_some(0)) {
        let say = "part of the history is kept by the server, so calls and results cannot be paired here".to_owned();
        findings.report(Place::message(position), Vec::new(), say);
    }
}
