//! # `thinking_block_not_first`
//!
//! An assistant message holds thinking that is not first.
//!
//! ## Finds
//! An assistant message with thinking whose first block is something else.
//!
//! ## Provider answers
//! "If an assistant message contains any thinking blocks, the first block must be".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
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
//!        "type": "text",
//!        "text": "So."
//!       },
//!       {
//!        "type": "thinking",
//!        "thinking": "Warm?",
//!        "signature": "c2ln"
//!       },
//!       {
//!        "type": "text",
//!        "text": "Hot."
//!       }
//!      ]
//!     },
//!     {"role": "user", "content": "Well?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Put the thinking first again, as the model wrote it.
//!
//! ## Sources
//! aws/bedrock-agentcore-sdk-python#416

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::prompt::Entry;
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "thinking_block_not_first",
    about: "an assistant message holds thinking that is not first",
    docs: include_str!("thinking_block_not_first.rs"),
    texts: &["If an assistant message contains any thinking blocks, the first block must be"],
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
        let first = entry.parts.iter().position(|part| part.kind == PartKind::Thinking);
        if let Some(block) = first.filter(|block| *block > 0 && is_plain(&entry)) {
            let say = format!("thinking in message {position} is not its first block: put it first");
            findings.report(Place::block(position, block as u32), Vec::new(), say);
        }
    }
}

/// Server-side calls and their results may stand before thinking that goes on behind them.
fn is_plain(entry: &Entry) -> bool {
    entry.message.speaker == Speaker::Assistant && entry.parts.iter().all(|part| part.kind != PartKind::Other)
}
