//! # `consecutive_same_role`
//!
//! Two messages of one role follow each other.
//!
//! ## Finds
//! A user or assistant message behind one of the same role. Where a chat template decides, system messages, results and
//! assistant messages with calls are left out, as templates do.
//!
//! ## Provider answers
//! Bedrock in 2024: "roles must alternate between \"user\" and \"assistant\"". Templates: "Conversation roles must
//! alternate user/assistant/user/assistant/...". DeepSeek: "does not support successive user or assistant messages
//! (messages[A] and messages[B] in your input)."
//!
//! ## Applies to
//! Anthropic Messages: worth knowing only, the messages are merged. Bedrock Converse: a warning, refused in 2024 and
//! relaxed in 2025. OpenAI Chat on a server with a chat template (profile `vllm`): refused where the model's template
//! alternates; on DeepSeek a warning for the reasoner of 2025.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [{"role": "user", "content": [{"text": "Fire."}]}, {"role": "user", "content": [{"text": "Now."}]}]
//! }
//! ```
//!
//! ## Remedy
//! Merge the two messages into one.
//!
//! ## Sources
//! vllm-project/vllm#6862; the API references of the vendors

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::prompt::Entry;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "consecutive_same_role",
    about: "two messages of one role follow each other",
    docs: include_str!("consecutive_same_role.rs"),
    texts: &[
        "roles must alternate",
        "does not support successive user or assistant messages",
        "conversation must alternate between user and assistant roles",
        "multiturn requests alternate between user and model",
        "Unexpected role 'user' after role 'user'",
        "Unexpected role 'assistant' after role 'assistant'",
        "Cannot have 2 or more assistant messages at the end of the list",
        "user and assistant roles should be alternating",
        "should alternate with assistant message",
        "the role of message with even index in the messages must be",
        "Invalid consecutive assistant message",
        "Invalid consecutive user message",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side {
            target: "Bedrock Converse since 2025, templates that do not alternate, DeepSeek's newer models",
            verdict: Verdict::Accept,
        },
        Side {
            target: "Bedrock Converse in 2024, templates that alternate, DeepSeek's reasoner of 2025",
            verdict: Verdict::Reject,
        },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::AnthropicMessages => Some(Severity::Info),
        Api::BedrockConverse => Some(Severity::Warning),
        Api::OpenaiChat if target.abilities().refuses_successive => {
            target.has(|profile| profile.keeps_reasoning).then_some(Severity::Warning)
        }
        Api::OpenaiChat => target.template(|model| model.alternates),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let mut before: Option<Speaker> = None;
    for (position, entry) in prompt.entries().enumerate() {
        if prompt.api() == Api::OpenaiChat && is_left_out(&entry) {
            continue;
        }
        let speaker = entry.message.speaker;
        let is_turn = matches!(speaker, Speaker::User | Speaker::Assistant);
        if is_turn && before == Some(speaker) {
            let say = format!("message {position} has the role of the one before it: merge the two");
            findings.report(Place::message(position), Vec::new(), say);
        }
        before = Some(speaker);
    }
}

/// What a template does not count as a turn.
fn is_left_out(entry: &Entry) -> bool {
    let speaker = entry.message.speaker;
    entry.message.has_calls
        || matches!(speaker, Speaker::System | Speaker::Developer | Speaker::Tool | Speaker::Function)
}
