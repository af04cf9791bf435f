//! # `compaction_range_tie`
//!
//! A compaction is given by a range that ends on several messages at once.
//!
//! ## Finds
//! A summary that stands for a range of times, where more than one message has the time at which the range ends: whether
//! all of these left, or only the first, the log does not say. The list is judged as if all had left.
//!
//! ## Provider answers
//! None: a defect of the cut. Where a call left and its result stayed, the request is refused for that
//! (`gemini_function_turn_order`, `orphan_tool_result`).
//!
//! ## Applies to
//! Transcripts whose compactions are ranges: events of Google's Agent Development Kit.
//!
//! ## Example
//! ```json
//! {
//!   "range_tie": [0],
//!   "request": {"contents": [{"role": "model", "parts": [{"text": "The kiln is lit."}]},
//!                            {"role": "user", "parts": [{"text": "How hot is it?"}]}]}
//! }
//! ```
//!
//! ## Remedy
//! Give the range by the ids of its first and last message.
//!
//! ## Sources
//! google/adk-go#1231; google/adk-python#5602

use super::{Findings, Place, Rule, Scope, Severity, Side, Verdict, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "compaction_range_tie",
    about: "a compaction's range ends on several messages at once",
    docs: include_str!("compaction_range_tie.rs"),
    texts: &[],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "if only the first message of that time left", verdict: Verdict::Accept },
        Side { target: "if all of them left", verdict: Verdict::Reject },
    ],
    severity: |target| error_for(&[Api::GeminiGenerateContent], target).map(|_| Severity::Warning),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, _) in prompt.marked_messages(Marks::RANGE_TIE) {
        let say = format!(
            "the range that message {position} stands for ends on several messages at once: name its last message by id"
        );
        findings.report(Place::message(position), Vec::new(), say);
    }
}
