//! # `system_role_not_supported`
//!
//! The model takes no system message in its list.
//!
//! ## Finds
//! Anthropic: a message of role `system` inside `messages`. Chat: a system or developer message for a model that takes
//! neither.
//!
//! ## Provider answers
//! Anthropic: "Unexpected role \"system\"". OpenAI: "does not support 'system' with this model".
//!
//! ## Applies to
//! Anthropic Messages: depends on the model; only a 2026 generation takes such messages. OpenAI Chat: o1-mini and
//! o1-preview refuse them, every other model takes them. Seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "model": "o1-mini",
//!   "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Kiln?"}]
//! }
//! ```
//!
//! ## Remedy
//! Anthropic: write it in the top-level `system`. Chat: put its text at the head of the first user message.
//!
//! ## Sources
//! microsoft/agent-framework#1077; rossoctl/context-guru#112; simonw/llm-anthropic#73

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "system_role_not_supported",
    about: "the model takes no system message in its list",
    docs: include_str!("system_role_not_supported.rs"),
    texts: &[
        "Unexpected role \"system\"",
        "does not support 'system' with this model",
        "does not support 'developer' with this model",
        "Value 'system' at 'messages.N.member.role' failed to satisfy constraint",
        "Input should be 'user' or 'assistant'",
        "role: unknown variant `developer`",
        "role: unknown variant `system`",
        "Incorrect role information",
        "chat content has invalid message role: system",
        "invalid chat setting",
        "System role not supported",
        "Only user and assistant roles are supported",
        "Content with system role is not supported",
        "Developer instruction is not enabled",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "models of 2026 that take system messages in the list", verdict: Verdict::Accept },
        Side { target: "older models", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::AnthropicMessages => match target.abilities().system_in_list {
            Some(true) => None,
            Some(false) => Some(Severity::Error),
            None => Some(Severity::Warning),
        },
        Api::OpenaiChat if target.abilities().chat_system == Some(false) => Some(Severity::Error),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        if is_system(prompt.api(), entry.message.speaker) {
            let say = format!("message {position} is a system message, which this model may refuse: say it elsewhere");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}

fn is_system(api: Api, speaker: Speaker) -> bool {
    match api {
        Api::AnthropicMessages => speaker == Speaker::System,
        _ => matches!(speaker, Speaker::System | Speaker::Developer),
    }
}
