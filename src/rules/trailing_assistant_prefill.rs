//! # `trailing_assistant_prefill`
//!
//! The request ends with an assistant message and the model takes no prefill.
//!
//! ## Finds
//! A last message of the assistant that awaits no result. A paused turn (an open tool use of the server) is none.
//!
//! ## Provider answers
//! Anthropic: "This model does not support assistant message prefill. The conversation must end with a user message".
//! Gemini: "Requests ending with a model turn are not supported". Mistral: "Expected last role User or Tool (or
//! Assistant with prefix True) for serving but got assistant".
//!
//! ## Applies to
//! Anthropic Messages and Bedrock Converse: the model decides; Opus 4.6 and later refuse, older ones take it unless
//! thinking is on. Gemini: refused but by 1, 2, 3 and 3.1. A warning where the model is not known. Mistral Chat:
//! refused, unless the message has `prefix: true`. All seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "model": "claude-opus-4-7",
//!   "messages": [{"role": "user", "content": "Kiln?"}, {"role": "assistant", "content": "It is"}]
//! }
//! ```
//!
//! ## Remedy
//! End with a user message.
//!
//! ## Sources
//! hua-bang/pulse-agent#346; aaif-goose/goose#12164; pipecat-ai/pipecat#5821

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Marks, PartFacts, PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "trailing_assistant_prefill",
    about: "the request ends with an assistant message and the model takes no prefill",
    docs: include_str!("trailing_assistant_prefill.rs"),
    texts: &[
        "This model does not support assistant message prefill",
        "Requests ending with a model turn are not supported",
        "Expected last role User or Tool",
        "conversation must end with a user message",
        "The last message of deepseek-reasoner must be a user message",
        "Expected last role to be",
        "Expected last role Assistant",
        "single turn requests end with a user role",
        "multiturn requests ends with a user role",
        "when the last message is from the assistant",
        "Assistant response prefill is incompatible",
        "Last message must have role `user`",
        "The last message must be from the user",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side {
            target: "models that continue an assistant message (Claude before Opus 4.6, Gemini up to 3.1)",
            verdict: Verdict::Accept,
        },
        Side { target: "newer models", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let by_model = match target.abilities().prefill {
        Some(false) => Severity::Error,
        Some(true) => Severity::Info,
        None => Severity::Warning,
    };
    match target.api {
        Api::AnthropicMessages | Api::BedrockConverse | Api::GeminiGenerateContent => Some(by_model),
        Api::MistralChat => Some(Severity::Error),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let Some(last) = prompt.len().checked_sub(1) else { return };
    let entry = prompt.entry(last);
    let is_server_work = |part: &PartFacts| part.kind == PartKind::Other && !part.marks.has(Marks::CACHE_POINT);
    let is_paused = entry.parts.iter().any(is_server_work);
    let awaits = entry.message.has_calls || is_paused || entry.message.marks.has(Marks::PREFIX);
    if entry.message.speaker != Speaker::Assistant || awaits {
        return;
    }
    let thinks = prompt.envelope().thinking && prompt.api() == Api::AnthropicMessages;
    if !thinks && findings.severity() == Severity::Info {
        return;
    }
    let severity = if thinks { Severity::Error } else { findings.severity() };
    let why = if thinks { "while thinking is on" } else { "which not every model continues" };
    let say = format!("the request ends with an assistant message, {why}: end with a user message");
    findings.report_as(severity, Place::message(last), Vec::new(), say);
}
