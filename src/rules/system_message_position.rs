//! # `system_message_position`
//!
//! A system message stands where the target takes none.
//!
//! ## Finds
//! Anthropic Messages, on a model that takes system messages in its list: one that is neither followed by an assistant
//! message nor the end of the list. OpenAI Chat: a system or developer message behind another message.
//!
//! ## Provider answers
//! Templates: "System message must be at the beginning".
//!
//! ## Applies to
//! Anthropic Messages: refused, seen in public reports, on the models of 2026 that take them at all (others:
//! `system_role_not_supported`). OpenAI Chat: a warning, since the first party takes it and several compatible servers
//! and templates refuse; on a server with a chat template (profile `vllm`) the model decides.
//!
//! ## Example
//! ```json
//! {
//!   "model": "claude-opus-4-8",
//!   "messages": [
//!     {"role": "user", "content": "Fire."},
//!     {"role": "system", "content": "Be careful."},
//!     {"role": "user", "content": "Go on."}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Put it first, or say it in a user message.
//!
//! ## Sources
//! rossoctl/context-guru#112; simonw/llm-anthropic#73

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "system_message_position",
    about: "a system message stands where the target takes none",
    docs: include_str!("system_message_position.rs"),
    texts: &[
        "System message must be at the beginning",
        "Unexpected role 'system' after role 'ID'",
        "system turn must be the first in the list",
        "invalid chat setting",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "OpenAI's own API", verdict: Verdict::Accept },
        Side { target: "servers whose templates want it first", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::AnthropicMessages => (target.abilities().system_in_list != Some(false)).then_some(Severity::Error),
        Api::OpenaiChat if target.has(|profile| profile.has_template) => target.template(|model| model.system_first),
        Api::OpenaiChat => Some(Severity::Warning),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let speaker = entry.message.speaker;
        let is_wrong = match prompt.api() {
            Api::AnthropicMessages => speaker == Speaker::System && is_inside(prompt, position),
            _ => matches!(speaker, Speaker::System | Speaker::Developer) && is_behind(prompt, position),
        };
        if is_wrong {
            let say = format!("the system message {position} stands where this target takes none: put it first");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}

/// Whether something follows that is neither the assistant's nor another system message.
fn is_inside(prompt: &Prompt, position: usize) -> bool {
    let mut behind = (position + 1..prompt.len()).map(|next| prompt.entry(next).message.speaker);
    behind.find(|speaker| *speaker != Speaker::System).is_some_and(|next| next != Speaker::Assistant)
}

/// Whether it is not among the first messages.
fn is_behind(prompt: &Prompt, position: usize) -> bool {
    let before = position.checked_sub(1).map(|before| prompt.entry(before).message.speaker);
    before.is_some_and(|speaker| !matches!(speaker, Speaker::System | Speaker::Developer))
}
