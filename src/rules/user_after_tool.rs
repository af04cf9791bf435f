//! # `user_after_tool`
//!
//! A tool message has the wrong neighbour.
//!
//! ## Finds
//! A message behind a `tool` message that is neither an assistant nor a tool message; or a `tool` message behind a
//! user message.
//!
//! ## Provider answers
//! "Unexpected role 'user' after role 'tool'" (code 3230)
//!
//! ## Applies to
//! Mistral Chat; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "model": "mistral-large-latest",
//!  "messages": [
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   },
//!   {
//!    "role": "assistant",
//!    "content": "",
//!    "tool_calls": [
//!     {
//!      "id": "aB3dE5fG8",
//!      "type": "function",
//!      "function": {
//!       "name": "kiln",
//!       "arguments": "{}"
//!      }
//!     }
//!    ]
//!   },
//!   {
//!    "role": "tool",
//!    "tool_call_id": "aB3dE5fG8",
//!    "content": "hot"
//!   },
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Put an assistant message between them.
//!
//! ## Sources
//! datapizza-labs/datapizza-ai#98; pipecat-ai/pipecat-flows#178; charmbracelet/crush#279

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "user_after_tool",
    about: "a tool message has the wrong neighbour",
    docs: include_str!("user_after_tool.rs"),
    texts: &[
        "Unexpected role 'ID' after role 'tool'",
        "Unexpected role 'tool' after role 'user'",
        "Unexpected role 'tool' after role 'ID'",
        "Unexpected role 'ID' after role 'ID'",
        "Unexpected role RoleEnum.tool",
        "cannot specify message if the last entry in chat history contains tool results",
        "invalid_request_message_order",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::MistralChat], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for position in 1..prompt.len() {
        let (before, here) = (prompt.entry(position - 1).message.speaker, prompt.entry(position).message.speaker);
        let is_wrong = match (before, here) {
            (Speaker::Tool, speaker) => !matches!(speaker, Speaker::Assistant | Speaker::Tool),
            (Speaker::User, speaker) => speaker == Speaker::Tool,
            _ => false,
        };
        if is_wrong {
            let say = format!("message {position} may not stand behind the one before it: put an assistant's between");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}
