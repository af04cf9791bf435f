//! # `invalid_message_name`
//!
//! The `name` of a message has letters or a length that the API does not take.
//!
//! ## Finds
//! A `name` with white space or one of `<|\/>`, an empty one, or one longer than 64; and, as a warning, one with others
//! than letters, digits, `_` and `-`.
//!
//! ## Provider answers
//! "Invalid 'messages[N].name': string does not match pattern". In 2024 the pattern was `^[a-zA-Z0-9_-]+$`; a report of
//! 2026 shows `^[^\s<|\\/>]+$`, which takes more.
//!
//! ## Applies to
//! OpenAI Chat; seen in public reports.
//!
//! ## Example
//! ```json
//! {"messages": [{"role": "user", "name": "Kiln Master", "content": "Fire."}]}
//! ```
//!
//! ## Remedy
//! Replace what is not allowed, or say the name in the text.
//!
//! ## Sources
//! microsoft/semantic-kernel#9340; microsoft/autogen#4157; FlowiseAI/Flowise#2948; langchain-ai/langchain#35054

use super::{Findings, Place, Rule, Scope, Severity, Side, Verdict, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "invalid_message_name",
    about: "the name of a message is none that the API takes",
    docs: include_str!("invalid_message_name.rs"),
    texts: &[
        "Invalid 'messages[N].name': string does not match pattern",
        "does not match '^[a-zA-Z0-9_-]{1,64}$' - 'messages.N.name'",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "OpenAI's own API since 2026", verdict: Verdict::Accept },
        Side { target: "OpenAI's own API before, and servers that go by it", verdict: Verdict::Reject },
    ],
    severity: |target| error_for(&[Api::OpenaiChat], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, message) in prompt.marked_messages(Marks::BAD_SPEAKER_NAME.and(Marks::LATE_SPEAKER_NAME)) {
        let is_bad = message.marks.has(Marks::BAD_SPEAKER_NAME);
        let severity = if is_bad { Severity::Error } else { Severity::Warning };
        let say = format!("the name of message {position} is none that this API takes: use letters, digits, _ and -");
        findings.report_as(severity, Place::message(position), Vec::new(), say);
    }
}
