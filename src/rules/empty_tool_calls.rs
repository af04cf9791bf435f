//! # `empty_tool_calls`
//!
//! An assistant message has an empty list of calls.
//!
//! ## Finds
//! `tool_calls: []`.
//!
//! ## Provider answers
//! "[] is too short - 'messages.N.tool_calls'", "Invalid 'messages[N].tool_calls': empty array. Expected an array with
//! minimum length 1, but got an empty array instead." Qwen: "Empty tool_calls is not supported in message".
//!
//! ## Applies to
//! OpenAI Chat; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Fire."},
//!     {"role": "assistant", "content": "Done.", "tool_calls": []},
//!     {"role": "user", "content": "Again."}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Leave the member out where there is no call.
//!
//! ## Sources
//! openai/openai-python#2061; openai/openai-node#1341; home-assistant/core#118577;
//! smallmain/vscode-unify-chat-provider#65

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "empty_tool_calls",
    about: "an assistant message has an empty list of calls",
    docs: include_str!("empty_tool_calls.rs"),
    texts: &[
        "[] is too short - 'messages.N.tool_calls'",
        "Invalid 'messages[N].tool_calls': empty array",
        "Empty tool_calls is not supported in message",
        "tool_calls' : minimum number of items is 1",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiChat], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, _) in prompt.marked_messages(Marks::EMPTY_CALLS) {
        let say = format!("message {position} has an empty `tool_calls` list: leave it out");
        findings.report(Place::message(position), Vec::new(), say);
    }
}
