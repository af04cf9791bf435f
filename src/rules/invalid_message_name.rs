//! # `invalid_message_name`
//!
//! The `name` of a message has letters or a length that the API does not take.
//!
//! ## Finds
//! A `name` outside letters, digits, `_` and `-`, or longer than 64.
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

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "invalid_message_name",
    about: "the name of a message is none that the API takes",
    docs: include_str!("invalid_message_name.rs"),
    texts: &["Invalid 'messages[N].name': string does not match pattern"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiChat], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, _) in prompt.marked_messages(Marks::BAD_SPEAKER_NAME) {
        let say = format!("the name of message {position} is none that this API takes: use letters, digits, _ and -");
        findings.report(Place::message(position), Vec::new(), say);
    }
}
