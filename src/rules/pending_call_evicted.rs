//! # `pending_call_evicted`
//!
//! A call that still waits for its answer was evicted.
//!
//! ## Finds
//! In a prompt that a policy made: an assistant message with calls is gone, and a result of one of them comes only after
//! the prompt's last message (an approval, a long-running tool). This request is taken; the one that brings the answer
//! is not.
//!
//! ## Provider answers
//! Nothing yet; the next request is refused as `orphan_tool_result`.
//!
//! ## Applies to
//! All APIs whose results refer to calls: a warning on the cut.
//!
//! ## Example
//! ```json
//! {
//!   "resident": [0, 2],
//!   "upto": 3,
//!   "request": {
//!     "input": [
//!       {"role": "user", "content": "Fire."},
//!       {"type": "function_call", "call_id": "k", "name": "fire", "arguments": "{}"},
//!       {"role": "user", "content": "Still there?"},
//!       {"type": "function_call_output", "call_id": "k", "output": "hot"}
//!     ]
//!   }
//! }
//! ```
//!
//! ## Remedy
//! Pin calls that wait for their answer.
//!
//! ## Sources
//! the definition: a reference to what is gone

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "pending_call_evicted",
    about: "a call that still waits for its answer was evicted",
    docs: include_str!("pending_call_evicted.rs"),
    texts: &[],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "this request", verdict: Verdict::Accept },
        Side { target: "the request that brings the answer", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api != Api::GeminiGenerateContent).then_some(Severity::Warning)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for gone in prompt.evicted_while_pending() {
        let say = format!(
            "message {gone} of the transcript was evicted while its call waits for an answer: keep it until the answer is \
             there"
        );
        findings.report(Place::REQUEST, Vec::new(), say);
    }
}
