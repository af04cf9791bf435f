//! # `missing_tool_call_id`
//!
//! A tool call or a tool result has no id.
//!
//! ## Finds
//! A tool result that does not name its call, or a call that has no id to be named by. (OpenAI's legacy
//! `function_call` needs none.)
//!
//! ## Provider answers
//! OpenAI: "Missing required parameter: 'messages[N].tool_call_id'". Responses: "Missing required parameter:
//! 'input[N].call_id'." Anthropic: "messages.N.content.K.tool_result.tool_use_id: Field required".
//!
//! ## Applies to
//! OpenAI Chat (seen in public reports); Anthropic Messages, OpenAI Responses and Bedrock Converse (documented as
//! required). Gemini and Mistral pair what has no id by position.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {
//!       "role": "assistant",
//!       "tool_calls": [{"id": "k1", "type": "function", "function": {"name": "kiln", "arguments": "{}"}}]
//!     },
//!     {"role": "tool", "content": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Store ids with calls and results; where they are lost, give the call and its result the same new id.
//!
//! ## Sources
//! zed-industries/zed#64519

use super::{Findings, Rule, Scope, identified_error};
use crate::transcript::{IdNo, Marks, Prompt, Site, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "missing_tool_call_id",
    about: "a tool call or a tool result has no id",
    docs: include_str!("missing_tool_call_id.rs"),
    texts: &[
        "Missing required parameter: 'messages[N].tool_call_id'",
        "tool_result.tool_use_id: Field required",
        "messages with role 'tool' must have a 'tool_call_id'",
        "Missing required parameter: 'input[N].call_id'",
        "property 'tool_call_id' is missing",
        "missing field `tool_call_id`",
        "tool_call_id: Field required",
        "tool call id must be provided with tool message",
        "Tool call id has to be defined",
        "tool_call_id is empty",
        "tool call id is empty",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: identified_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    // Position joins what a log masked.
    let is_masked =
        |site: Site| prompt.entry(site.message as usize).parts[site.block as usize].marks.has(Marks::MASKED_ID);
    let is_missing = |id: IdNo, site: Site| id == IdNo::NONE && !is_masked(site);
    for ask in pairs.asks.iter().filter(|ask| is_missing(ask.id, ask.site) && !ask.legacy) {
        let say = format!("a tool call of message {} has no id: give it one that its result names", ask.site.message);
        findings.report(ask.site.into(), Vec::new(), say);
    }
    let is_function = |site: Site| prompt.entry(site.message as usize).message.speaker == Speaker::Function;
    for answer in pairs.answers.iter().filter(|answer| is_missing(answer.id, answer.site) && !is_function(answer.site))
    {
        let say = format!("the tool result of message {} names no call: add the id of its call", answer.site.message);
        findings.report(answer.site.into(), Vec::new(), say);
    }
}
