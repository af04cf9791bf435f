//! # `tool_call_id_too_long`
//!
//! An id is longer than 40 characters.
//!
//! ## Finds
//! A call or result whose id has more than 64 characters, which nobody takes, or more than 40, which some do.
//!
//! ## Provider answers
//! "Invalid 'messages[N].tool_calls[K].id': string too long. Expected a string with maximum length 40", or 64.
//!
//! ## Applies to
//! OpenAI Chat; depends on the model, the server and the day; seen in public reports. Those of 2025 state 40, those
//! about Azure up to March 2026 as well; of OpenAI's own API those of August and September 2026 state 64.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {
//!      "role": "assistant",
//!      "content": null,
//!      "tool_calls": [
//!       {
//!        "id": "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
//!        "type": "function",
//!        "function": {
//!         "name": "kiln",
//!         "arguments": "{}"
//!        }
//!       }
//!      ]
//!     },
//!     {"role": "tool", "tool_call_id": "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "content": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Shorten the id in the call and in its result alike.
//!
//! ## Sources
//! camel-ai/camel#2215; openclaw/openclaw#875; Azure/azure-dev#7324; of 64 decolua/9router#3167 and jin-bo/agentao#321

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "tool_call_id_too_long",
    about: "an id is longer than 40 characters",
    docs: include_str!("tool_call_id_too_long.rs"),
    texts: &[
        "Invalid 'messages[N].tool_calls[K].id': string too long",
        "Invalid 'messages[N].tool_call_id': string too long",
        "string too long. Expected a string with maximum length 40",
        "is too long - 'messages.N.tool_calls.K.id'",
        "is too long - 'messages.N.tool_call_id'",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "OpenAI's own API since the middle of 2026", verdict: Verdict::Accept },
        Side { target: "OpenAI's own API before, Azure OpenAI, and servers that go by them", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let is_strict = target.has(|profile| profile.short_ids);
    let severity = if is_strict { Severity::Error } else { Severity::Warning };
    (target.api == Api::OpenaiChat).then_some(severity)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in (0..).zip(entry.parts) {
            let most = match prompt.id(part.id).map_or(0, |id| id.chars().count()) {
                0..=40 => continue,
                41..=64 => 40,
                _ => 64,
            };
            let severity = if most == 64 { Severity::Error } else { findings.severity() };
            let say = format!(
                "message {position} has a tool id of more than {most} characters: shorten it in call and result"
            );
            findings.report_as(severity, Place::block(position, block), vec![part.id], say);
        }
    }
}
