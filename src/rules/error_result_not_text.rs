//! # `error_result_not_text`
//!
//! A result that is an error holds more than text.
//!
//! ## Finds
//! A `tool_result` with `is_error: true` and a block that is not text.
//!
//! ## Provider answers
//! "all content must be type 'text' if 'is_error' is true".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "kiln", "input": {}}]},
//!     {
//!      "role": "user",
//!      "content": [
//!       {
//!        "type": "tool_result",
//!        "tool_use_id": "k",
//!        "content": [
//!         {
//!          "type": "image",
//!          "source": {
//!           "type": "base64",
//!           "media_type": "image/png",
//!           "data": "AA=="
//!          }
//!         }
//!        ],
//!        "is_error": true
//!       }
//!      ]
//!     }
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Keep the text of the error only, or drop `is_error`.
//!
//! ## Sources
//! vellum-ai/vellum-assistant#18387; caozhiyuan/copilot-api#196

use super::{Findings, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "error_result_not_text",
    about: "a result that is an error holds more than text",
    docs: include_str!("error_result_not_text.rs"),
    texts: &["all content must be type 'text' if 'is_error' is true"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (site, part) in prompt.marked(Marks::ERROR_NOT_TEXT) {
        let message = site.message;
        let say = format!("a failed result in message {message} holds more than text: keep its text only");
        findings.report(site.into(), vec![part.id], say);
    }
}
