//! # `invalid_tool_call_id`
//!
//! The id of a call or result has letters or a length that the API does not take.
//!
//! ## Finds
//! An id outside the API's letters, or empty: for Anthropic letters, digits, `_` and `-`; for Converse also `.` and `:`,
//! at most 64; for Mistral exactly nine letters and digits; for Responses an empty `call_id` or one of more than 64. An
//! id is reported once, where it stands first; one that another call repeats is reported as `duplicate_tool_call_id`
//! alone.
//!
//! ## Provider answers
//! Anthropic: "messages.N.content.K.tool_use.id: String should match pattern". Responses: "Invalid 'input[N].call_id':
//! empty string." "Invalid 'input[N].call_id': string too long." Mistral: "Tool call id was ID but must be a-z, A-Z,
//! 0-9, with a length of 9."
//!
//! ## Applies to
//! Anthropic Messages, OpenAI Responses and Mistral Chat, seen in public reports; Bedrock Converse, documented, where
//! `.` and `:` were refused until 2025 and are a warning.
//!
//! ## Example
//! ```json
//! {
//!   "tools": [{"name": "fire", "input_schema": {"type": "object"}}],
//!   "messages": [
//!     {"role": "user", "content": "Fire."},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "kiln.1", "name": "fire", "input": {}}]},
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "kiln.1", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Give the call and its result the same new id, made of the letters that the API takes.
//!
//! ## Sources
//! QwenLM/qwen-code#8160; AnswerDotAI/fastllm#45; the API references of the vendors

use std::collections::HashSet;

use super::{Findings, Rule, Scope, Severity, Side, Target, Verdict, error_for, names};
use crate::model::Api;
use crate::transcript::{IdNo, Marks, Prompt, Site};

pub(super) const RULE: Rule = Rule {
    id: "invalid_tool_call_id",
    about: "the id of a call or result is none that the API takes",
    docs: include_str!("invalid_tool_call_id.rs"),
    texts: &[
        "tool_use.id: String should match pattern",
        "tool_result.tool_use_id: String should match pattern",
        "Invalid 'input[N].call_id': empty string",
        "Invalid 'input[N].call_id': string too long",
        "Tool call id was ID but must be a-z, A-Z, 0-9, with a length of 9",
        "Invalid 'input[N].call_id'",
        "toolUse.toolUseId' failed to satisfy constraint",
        "toolResult.toolUseId' failed to satisfy constraint",
        "tool_call_ids should be alphanumeric strings with length 9",
        "tool call id is invalid",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "Bedrock Converse since 2025", verdict: Verdict::Accept },
        Side { target: "Bedrock Converse before", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let apis = [Api::AnthropicMessages, Api::OpenaiResponses, Api::BedrockConverse, Api::MistralChat];
    error_for(&apis, target)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    if !prompt.may_have(Marks::BAD_CALL_ID.and(Marks::LATE_CALL_ID)) {
        return;
    }
    let pairs = findings.pairs;
    let repeated = pairs.asks.iter().filter(|ask| ask.first.is_some()).map(|ask| ask.id);
    let mut told: HashSet<IdNo> = repeated.collect();
    let asks = pairs.asks.iter().map(|ask| (ask.site, ask.id));
    for (site, id) in asks.chain(pairs.answers.iter().map(|answer| (answer.site, answer.id))) {
        let Some(severity) = how_bad(prompt, site).filter(|_| told.insert(id)) else { continue };
        let say =
            format!("the id {} is none that this API takes: give call and result a new one", names(prompt, &[id]));
        findings.report_as(severity, site.into(), vec![id], say);
    }
}

fn how_bad(prompt: &Prompt, site: Site) -> Option<Severity> {
    let marks = prompt.entry(site.message as usize).parts[site.block as usize].marks;
    match () {
        () if marks.has(Marks::BAD_CALL_ID) => Some(Severity::Error),
        () if marks.has(Marks::LATE_CALL_ID) => Some(Severity::Warning),
        () => None,
    }
}
