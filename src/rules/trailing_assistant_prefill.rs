//! # `trailing_assistant_prefill`
//!
//! The request ends with an assistant message and the model takes no prefill.
//!
//! ## Finds
//! A last message of the assistant that awaits no result, for a model that continues none.
//!
//! ## Provider answers
//! Anthropic: "This model does not support assistant message prefill". Gemini: "Requests ending with a model turn are not
//! supported".
//!
//! ## Applies to
//! Anthropic Messages, refused by Opus 4.6 and later, and Gemini, refused but by 1, 2, 3 and 3.1; older models of both
//! take it. Silent where the model is not known.
//!
//! ## Example
//! ```json
//! {
//!   "model": "claude-opus-4-7",
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": "It is"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! End with a user message.
//!
//! ## Sources
//! hua-bang/pulse-agent#346; aaif-goose/goose#12164; pipecat-ai/pipecat#5821

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "trailing_assistant_prefill",
    about: "the request ends with an assistant message and the model takes no prefill",
    docs: include_str!("trailing_assistant_prefill.rs"),
    texts: &[
        "This model does not support assistant message prefill",
        "Requests ending with a model turn are not supported",
    ],
    hides: false,
    scope: Scope::Neighbours,
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let is_asked = matches!(target.api, Api::AnthropicMessages | Api::GeminiGenerateContent);
    (is_asked && target.abilities().prefill == Some(false)).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let Some(last) = prompt.len().checked_sub(1) else { return };
    let entry = prompt.entry(last);
    let awaits = entry.message.has_calls || entry.parts.iter().any(|part| part.kind == PartKind::Other);
    if entry.message.speaker == Speaker::Assistant && !awaits {
        let say = "the request ends with an assistant message, which this model does not continue: end with the user";
        findings.report(Place::message(last), Vec::new(), say.to_owned());
    }
}
