//! # `text_after_tool_use`
//!
//! Text stands behind a call in an assistant message.
//!
//! ## Finds
//! A text block behind a `tool_use` in the same assistant message.
//!
//! ## Provider answers
//! "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID", though the result
//! follows. One report of a request with thinking has "This model does not support assistant message prefill" instead
//! (stacklok/mecatl#1465).
//!
//! ## Applies to
//! Anthropic Messages; seen in recorded traffic and public reports, not on every request. A server's call with its
//! result, or a `fallback` block, behind a `tool_use` draws the same text (vercel/ai#13013, can1357/oh-my-pi#4781);
//! only text is looked for.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {
//!      "role": "assistant",
//!      "content": [
//!       {
//!        "type": "tool_use",
//!        "id": "k",
//!        "name": "kiln",
//!        "input": {}
//!       },
//!       {
//!        "type": "text",
//!        "text": "Waiting."
//!       }
//!      ]
//!     },
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Put the text before the calls.
//!
//! ## Sources
//! can1357/oh-my-pi#544; can1357/oh-my-pi#4781; earendil-works/pi#4071; stacklok/mecatl#1465; traffic that
//! anomalyco/opencode recorded

use super::{Findings, Place, Rule, Scope, Severity, Target, UNANSWERED};
use crate::model::Api;
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "text_after_tool_use",
    about: "text stands behind a call in an assistant message",
    docs: include_str!("text_after_tool_use.rs"),
    texts: &[UNANSWERED],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let asked = entry.parts.iter().position(|part| part.kind == PartKind::ToolUse);
        let Some(asked) = asked.filter(|_| entry.message.speaker == Speaker::Assistant) else { continue };
        let Some(behind) = entry.parts[asked..].iter().position(|part| part.kind == PartKind::Text) else { continue };
        let say = format!("text stands behind a call in message {position}: put it before the calls");
        findings.report(Place::block(position, (asked + behind) as u32), vec![entry.parts[asked].id], say);
    }
}
