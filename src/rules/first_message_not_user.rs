//! # `first_message_not_user`
//!
//! The list begins with an assistant message.
//!
//! ## Finds
//! A first message, system and developer messages left out, that is the assistant's.
//!
//! ## Provider answers
//! Anthropic, until late 2024: "messages: first message must use the \"user\" role". Bedrock: "A conversation must start
//! with a user message."
//!
//! ## Applies to
//! Anthropic Messages: a warning, refused in older reports and taken in recorded exchanges since; gateways that check by
//! the letter refuse it. Bedrock Converse: refused, seen in public reports. Chat templates of open models (profile
//! `vllm`) that alternate roles refuse it.
//!
//! ## Example
//! ```json
//! {"messages": [{"role": "assistant", "content": "It is hot."}, {"role": "user", "content": "How hot?"}]}
//! ```
//!
//! ## Remedy
//! Begin with a user message: when cutting, cut before one, or put the summary there as the user's.
//!
//! ## Sources
//! RightNow-AI/openfang#1011; NousResearch/hermes-agent#41985

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "first_message_not_user",
    about: "the list begins with an assistant message",
    docs: include_str!("first_message_not_user.rs"),
    texts: &[
        "first message must use the \"user\" role",
        "A conversation must start with a user message",
        "of deepseek-reasoner must be a user message, but an assistant message detected",
        "Unexpected role 'assistant' after role 'system'",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "Anthropic's own API since late 2024", verdict: Verdict::Accept },
        Side { target: "Anthropic's own API before, Bedrock Converse, strict templates", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::AnthropicMessages if target.has(|profile| profile.strict_turns) => Some(Severity::Error),
        Api::AnthropicMessages => Some(Severity::Warning),
        Api::BedrockConverse => Some(Severity::Error),
        Api::OpenaiChat => target.template(|model| model.alternates),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let is_apart = |speaker| matches!(speaker, Speaker::System | Speaker::Developer);
    let first = prompt.entries().position(|entry| !is_apart(entry.message.speaker));
    let Some(first) = first.filter(|first| prompt.entry(*first).message.speaker == Speaker::Assistant) else { return };
    let say = format!("message {first} is the assistant's and begins the list: begin with a user message");
    findings.report(Place::message(first), Vec::new(), say);
}
