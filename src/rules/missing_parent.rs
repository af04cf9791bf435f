//! # `missing_parent`
//!
//! The log begins in the middle of a conversation.
//!
//! ## Finds
//! A first message that names one before it, which the log does not hold: the file was resumed, or cut at a compaction.
//!
//! ## Provider answers
//! None: a defect of the log. What was sent may have held more, so sizes are too small, and a result that begins the list
//! may have its call in what is missing.
//!
//! ## Applies to
//! Transcripts in which messages name their parents: session files of Claude Code.
//!
//! ## Example
//! ```json
//! {
//!   "begins_late": true,
//!   "request": {"model": "claude-opus-4-7", "messages": [{"role": "user", "content": "And the second kiln?"}]}
//! }
//! ```
//!
//! ## Remedy
//! Read the file that holds the beginning as well, or take the session as beginning here.
//!
//! ## Sources
//! anthropics/claude-code#22107

use super::{Findings, Place, Rule, Scope, Severity, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "missing_parent",
    about: "the log begins in the middle of a conversation",
    docs: include_str!("missing_parent.rs"),
    texts: &[],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::AnthropicMessages], target).map(|_| Severity::Info),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, _) in prompt.marked_messages(Marks::NO_PARENT) {
        let say = "the message names one before it that the log does not hold: the session is taken to begin here";
        findings.report(Place::message(position), Vec::new(), say.to_owned());
    }
}
