//! # `ids_masked`
//!
//! The log masked the ids that join calls and results.
//!
//! ## Finds
//! Calls or outputs whose id is a mask (`REDACTED`, `***`) in an API that joins them by id alone. In the other APIs
//! position joins them, and the request is judged by that.
//!
//! ## Provider answers
//! Nothing: it is a defect of the log.
//!
//! ## Applies to
//! OpenAI Responses.
//!
//! ## Example
//! ```json
//! {
//!   "input": [
//!     {"role": "user", "content": "Fire."},
//!     {"type": "function_call", "id": "fc_1", "call_id": "REDACTED", "name": "fire", "arguments": "{}"},
//!     {"type": "function_call_output", "call_id": "REDACTED", "output": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Let the log mask contents, not ids.
//!
//! ## Sources
//! seen in a session store whose ids a secret scrubber replaced

use super::{Findings, Place, Rule, Scope, Severity, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "ids_masked",
    about: "the log masked the ids that join calls and results",
    docs: include_str!("ids_masked.rs"),
    texts: &[],
    hides: true,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target).map(|_| Severity::Info),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let is_masked =
        |position: &usize| prompt.entry(*position).parts.iter().any(|part| part.marks.has(Marks::MASKED_ID));
    if let Some(position) = (0..prompt.len()).find(is_masked) {
        let say = format!("the log masked ids from item {position} on: whether calls are answered cannot be told");
        findings.report(Place::message(position), Vec::new(), say);
    }
}
