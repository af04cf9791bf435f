//! # `reasoning_content_missing`
//!
//! An assistant message with calls lacks the reasoning that the server wants back.
//!
//! ## Finds
//! With thinking on, an assistant message with `tool_calls` and without `reasoning_content`. Plain turns need none.
//!
//! ## Provider answers
//! DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API." Moonshot: "thinking is
//! enabled but reasoning_content is missing in assistant tool call message at index N".
//!
//! ## Applies to
//! OpenAI Chat on DeepSeek (V4 and later, thinking on by default) and Moonshot (thinking models), profiles `deepseek`
//! and `moonshot`; seen in public reports. A warning where the model does not settle it.
//!
//! ## Example
//! ```json
//! {
//!   "model": "deepseek-v4-pro",
//!   "messages": [
//!     {"role": "user", "content": "Fire."},
//!     {
//!       "role": "assistant",
//!       "content": "",
//!       "tool_calls": [{"id": "k", "type": "function", "function": {"name": "fire", "arguments": "{}"}}]
//!     },
//!     {"role": "tool", "tool_call_id": "k", "content": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send `reasoning_content` back with each message that calls, or turn thinking off.
//!
//! ## Sources
//! qwersyk/Newelle#404; the API references of the vendors

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Marks, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "reasoning_content_missing",
    about: "an assistant message with calls lacks the reasoning that the server wants back",
    docs: include_str!("reasoning_content_missing.rs"),
    texts: &[
        "The `reasoning_content` in the thinking mode must be passed back to the API",
        "Missing `reasoning_content` field in the assistant message",
        "reasoning_content is missing in assistant tool call message",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "models that do not think", verdict: Verdict::Accept },
        Side { target: "models that think", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let is_asked = target.api == Api::OpenaiChat && target.has(|profile| profile.keeps_reasoning);
    match target.abilities().thinks {
        _ if !is_asked => None,
        Some(true) => Some(Severity::Error),
        Some(false) => None,
        None => Some(Severity::Warning),
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.envelope().thinking_off {
        return;
    }
    for (position, entry) in prompt.entries().enumerate() {
        let message = entry.message;
        if message.speaker == Speaker::Assistant && message.has_calls && !message.marks.has(Marks::KEEPS_REASONING) {
            let ids = entry.parts.iter().map(|part| part.id).collect();
            let say =
                format!("message {position} calls without its `reasoning_content`: send it back, or turn thinking off");
            findings.report(Place::message(position), ids, say);
        }
    }
}
