//! # `gemini_function_turn_order`
//!
//! A function turn stands in the wrong place.
//!
//! ## Finds
//! A content with calls that does not come right behind a user content or responses; or responses that do not come
//! right behind calls.
//!
//! ## Provider answers
//! "Please ensure that function call turn comes immediately after a user turn or after a function response turn." /
//! "Please ensure that function response turn comes immediately after a function call turn."
//!
//! ## Applies to
//! Gemini; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "contents": [
//!   {
//!    "role": "model",
//!    "parts": [
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
//!   },
//!   {
//!    "role": "user",
//!    "parts": [
//!     {
//!      "text": "How hot?"
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Cut in front of a user content that holds no responses.
//!
//! ## Sources
//! google-gemini/gemini-cli#11814; google-gemini/gemini-cli#26956; langchain-ai/langchain#27799

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "gemini_function_turn_order",
    about: "a function turn stands in the wrong place",
    docs: include_str!("gemini_function_turn_order.rs"),
    texts: &[
        "function call turn comes immediately after a user turn or after a function response turn",
        "function response turn comes immediately after a function call turn",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::GeminiGenerateContent], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let before = position.checked_sub(1).map(|before| prompt.entry(before).message);
        let follows_user = before.is_some_and(|message| message.speaker != Speaker::Assistant);
        let follows_calls = before.is_some_and(|message| message.has_calls);
        let what = match entry.message.speaker {
            Speaker::Assistant if entry.message.has_calls && !follows_user => "calls behind no user content",
            Speaker::Assistant => continue,
            _ if entry.message.has_results && !follows_calls => "responses behind no calls",
            _ => continue,
        };
        let say = format!("content {position} holds {what}: cut in front of a user content without responses");
        findings.report(Place::message(position), Vec::new(), say);
    }
}
