//! # `invalid_item_id`
//!
//! An item id does not fit the type of its item.
//!
//! ## Finds
//! An `id` that is empty, longer than 64 characters, holds others than letters, digits, `_` and `-`, or does not begin
//! with `msg` (assistant messages), `fc` (function calls) or `rs` (reasoning).
//!
//! ## Provider answers
//! "Invalid 'input[N].id': 'ID'. Expected an ID that begins with 'msg'." "Expected an ID that contains letters, numbers,
//! underscores, or dashes, but this value contained additional characters."
//!
//! ## Applies to
//! OpenAI Responses; seen in public reports. By its text an id may hold dashes, yet two reports saw ids with a dash
//! refused, one of them against the same id with `_` (CopilotKit/CopilotKit#6117, ranxianglei/billion-context#1052).
//! DeepSeek's endpoint takes any id (seen in recorded traffic).
//!
//! ## Example
//! ```json
//! {
//!  "input": [
//!   {
//!    "role": "user",
//!    "content": "How hot is the kiln?"
//!   },
//!   {
//!    "type": "message",
//!    "role": "assistant",
//!    "id": "item_1",
//!    "content": []
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
//! Send the id that the server gave, or none.
//!
//! ## Sources
//! openai/codex#33176; Wei-Shaw/sub2api#3981; openai/codex#9360; UKGovernmentBEIS/inspect_ai#1545;
//! CopilotKit/CopilotKit#6117; ranxianglei/billion-context#1052

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "invalid_item_id",
    about: "an item id does not fit the type of its item",
    docs: include_str!("invalid_item_id.rs"),
    texts: &[
        "Expected an ID that begins with",
        "Expected an ID that contains letters, numbers, underscores, or dashes",
        "Invalid 'input[N].id': empty string",
        "Invalid 'input[N].id': string too long",
        "Invalid 'input[N].id'",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| {
        error_for(&[Api::OpenaiResponses], target).filter(|_| !target.has(|server| server.keeps_no_items))
    },
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, message) in prompt.marked_messages(Marks::BAD_ITEM_ID) {
        let say = format!("the id of item {position} does not fit its type: send the one the server gave, or none");
        findings.report(Place::message(position), vec![message.item], say);
    }
}
