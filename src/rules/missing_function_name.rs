//! # `missing_function_name`
//!
//! A function response does not name its function.
//!
//! ## Finds
//! A `functionResponse` whose `name` is empty or absent.
//!
//! ## Provider answers
//! Gemini: "function_response.name: Name cannot be empty." OpenAI Chat: "Missing parameter 'name': messages with role
//! 'function' must have a 'name'."
//!
//! ## Applies to
//! Gemini; seen in public reports. OpenAI Chat refuses a `function` message without a name: its text is recognised, and
//! its requests are not checked for it.
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
//!     }
//!    ]
//!   },
//!   {
//!    "role": "user",
//!    "parts": [
//!     {
//!      "functionResponse": {
//!       "name": "",
//!       "response": {}
//!      }
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Repeat the name of the call.
//!
//! ## Sources
//! langflow-ai/langflow#9437; router-for-me/CLIProxyAPI#1903; router-for-me/CLIProxyAPI#2104;
//! langchain-ai/langchainjs#6570; open-compass/T-Eval#66

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "missing_function_name",
    about: "a function response does not name its function",
    docs: include_str!("missing_function_name.rs"),
    texts: &[
        "function_response.name: Name cannot be empty",
        "messages with role 'function' must have a 'name'",
        "function_call.name: Name cannot be empty",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::GeminiGenerateContent], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        for (block, _) in entry.parts.iter().enumerate().filter(|(_, part)| part.marks.has(Marks::NAMELESS)) {
            let place = Place { block: Some(block as u32), ..Place::message(position) };
            let say = format!("response {block} of content {position} has no name: repeat that of its call");
            findings.report(place, Vec::new(), say);
        }
    }
}
