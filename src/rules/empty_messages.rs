//! # `empty_messages`
//!
//! The request sends no message.
//!
//! ## Finds
//! A message list without any entry, as a trimmer leaves it when nothing fits its target.
//!
//! ## Provider answers
//! Anthropic: "messages: at least one message is required". OpenAI: "[] is too short - 'messages'".
//!
//! ## Applies to
//! Anthropic Messages and OpenAI Chat, documented by both.
//!
//! ## Example
//! ```json
//! {"model": "m", "messages": []}
//! ```
//!
//! ## Remedy
//! Keep at least the last user message, however large it is.
//!
//! ## Sources
//! The API references of both vendors; hua-bang/pulse-agent#354

use super::{Findings, Place, Rule, Scope, error};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "empty_messages",
    about: "the request sends no message",
    docs: include_str!("empty_messages.rs"),
    texts: &["at least one message is required", "[] is too short - 'messages'"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.is_empty() {
        let say = "the request has no messages: keep at least the last user message";
        findings.report(Place::REQUEST, Vec::new(), say.to_owned());
    }
}
