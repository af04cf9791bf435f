//! # `unknown_role`
//!
//! A message has a role that the API does not know.
//!
//! ## Finds
//! A message without role, or with one of another API: a `tool` message among Anthropic's, say, after a conversion
//! that stopped half way.
//!
//! ## Provider answers
//! Anthropic: "Unexpected role \"tool\"". OpenAI: "Invalid value: 'ROLE'. Supported values are: 'system', 'assistant',
//! 'user', 'function', 'tool', and 'developer'."
//!
//! ## Applies to
//! Anthropic Messages takes `user` and `assistant` (`system` inside the list is another matter: it depends on the
//! model); OpenAI Chat takes `system`, `developer`, `user`, `assistant`, `tool` and `function`. Seen in public
//! reports.
//!
//! ## Example
//! ```json
//! {"messages": [{"role": "user", "content": "Is the kiln hot?"}, {"role": "narrator", "content": "It is."}]}
//! ```
//!
//! ## Remedy
//! Write the message in the roles of this API: for Anthropic a tool result is a `tool_result` block of a user message.
//!
//! ## Sources
//! rossoctl/context-guru#112; simonw/llm-anthropic#73

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "unknown_role",
    about: "a message has a role that the API does not know",
    docs: include_str!("unknown_role.rs"),
    texts: &[
        "Unexpected role",
        "Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'",
        "Please use a valid role: user, model",
        "Role 'function' is not supported",
        "Supported values are: 'system', 'assistant', 'user', 'function', and 'tool'",
        "Supported values are: 'assistant', 'system', 'developer', and 'user'",
        "is not one of ['system', 'assistant', 'user', 'function', 'tool'] - 'messages.N.role'",
        "at 'messages.N.member.role' failed to satisfy constraint",
        "Input should be 'user' or 'assistant'",
        "role: unknown variant",
        "discriminator property 'role' has invalid value",
        "role' : value is not one of the allowed values",
        "Incorrect role information",
        "chat content has invalid message role",
        "Invalid role in chat_history",
        "Only user and assistant roles are supported",
        "Only user, assistant and tool roles are supported",
        "Missing 'role' in message",
        "Unexpected message role",
        "does not support 'tool' with this model",
        "does not support 'function' with this model",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::AnthropicMessages, Api::OpenaiChat, Api::GeminiGenerateContent], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let is_refused = prompt.api() == Api::GeminiGenerateContent
            && entry.message.speaker == Speaker::Function
            && prompt.model().is_some_and(refuses_function);
        if is_refused || !is_known(prompt.api(), entry.message.speaker) {
            let say =
                format!("message {position} has a role that this API does not know: write it in the API's own roles");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}

/// Gemini's role `function`: taken up to version 3, refused from 3.5 on.
fn refuses_function(model: &str) -> bool {
    let version = model.rsplit('/').next().and_then(|name| name.strip_prefix("gemini-")).unwrap_or_default();
    version.starts_with("3.5") || version.starts_with(['4', '5'])
}

fn is_known(api: Api, speaker: Speaker) -> bool {
    match api {
        Api::AnthropicMessages => matches!(speaker, Speaker::System | Speaker::User | Speaker::Assistant),
        Api::GeminiGenerateContent => matches!(speaker, Speaker::User | Speaker::Assistant | Speaker::Function),
        _ => speaker != Speaker::Unknown,
    }
}
