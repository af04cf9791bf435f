//! # `gemini_function_count_mismatch`
//!
//! A function call turn gets another number of responses.
//!
//! ## Finds
//! A content of the model with calls, right behind which a content with another number of responses stands, or one
//! without any; or nothing.
//!
//! ## Provider answers
//! "Please ensure that the number of function response parts is equal to the number of function call parts of the
//! function call turn."
//!
//! ## Applies to
//! Gemini; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "contents": [
//!   {
//!    "role": "user",
//!    "parts": [
//!     {
//!      "text": "How hot?"
//!     }
//!    ]
//!   },
//!   {
//!    "role": "model",
//!    "parts": [
//!     {
//!      "functionCall": {
//!       "name": "kiln",
//!       "args": {}
//!      }
//!     },
//!     {
//!      "functionCall": {
//!       "name": "kiln",
//!       "args": {}
//!      }
//!     }
//!    ]
//!   },
//!   {
//!    "role": "user",
//!    "parts": [
//!     {
//!      "functionResponse": {
//!       "name": "kiln",
//!       "response": {
//!        "t": 1
//!       }
//!      }
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Answer every call in the one content behind it.
//!
//! ## Sources
//! google-gemini/gemini-cli#3814; google-gemini/gemini-cli#4217

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::prompt::Entry;
use crate::transcript::{PartKind, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "gemini_function_count_mismatch",
    about: "a function call turn gets another number of responses",
    docs: include_str!("gemini_function_count_mismatch.rs"),
    texts: &[
        "the number of function response parts is equal to the number of function call parts of the function call turn",
        "number of function response parts should be equal to number of function call parts",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::GeminiGenerateContent], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let of = |entry: &Entry, kind| entry.parts.iter().filter(|part| part.kind == kind).count();
    for (position, entry) in prompt.entries().enumerate().filter(|(_, entry)| entry.message.has_calls) {
        let called = of(&entry, PartKind::ToolUse);
        let answered =
            if position + 1 < prompt.len() { of(&prompt.entry(position + 1), PartKind::ToolResult) } else { 0 };
        if called != answered {
            let say =
                format!("content {position} calls {called} functions, and {answered} responses follow: answer each");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}
