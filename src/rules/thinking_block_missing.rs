//! # `thinking_block_missing`
//!
//! Thinking is on and the open turn does not begin with it.
//!
//! ## Finds
//! With thinking on at a fixed budget, the first assistant message of the turn that the last results continue does not
//! start with a thinking block. Later steps of the same loop may be bare tool uses, finished turns are not looked at, and
//! adaptive thinking is exempt.
//!
//! ## Provider answers
//! "Expected `thinking` or `redacted_thinking`, but found `tool_use`".
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports, the exemption of later steps documented.
//!
//! ## Example
//! ```json
//! {
//!   "thinking": {"type": "enabled", "budget_tokens": 1024},
//!   "messages": [
//!     {"role": "user", "content": "Fire the kiln."},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "kiln_1", "name": "fire", "input": {}}]},
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "kiln_1", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send the thinking block back as the model returned it, or turn thinking off for this turn.
//!
//! ## Sources
//! n8n-io/n8n#22550

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::{PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "thinking_block_missing",
    about: "thinking is on and the open turn does not begin with it",
    docs: include_str!("thinking_block_missing.rs"),
    texts: &[
        "Expected `thinking` or `redacted_thinking`, but found",
        "a final `assistant` message must start with a thinking block",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let Some(first) = open_turn(prompt).filter(|_| prompt.envelope().thinking) else { return };
    let begins = prompt.entry(first).parts.first().map(|part| part.kind);
    if begins != Some(PartKind::Thinking) {
        let say = format!(
            "message {first} begins the open turn without its thinking block: send it back as the model returned it, or \
             turn thinking off for this turn"
        );
        findings.report(Place::message(first), Vec::new(), say);
    }
}

/// The first assistant message of the turn that results at the end of the list continue.
fn open_turn(prompt: &Prompt) -> Option<usize> {
    let only_results = |position: usize| {
        let entry = prompt.entry(position);
        entry.message.has_results && entry.parts.iter().all(|part| part.kind == PartKind::ToolResult)
    };
    let is_assistant = |position: usize| prompt.entry(position).message.speaker == Speaker::Assistant;
    let last = prompt.len().checked_sub(1).filter(|last| only_results(*last))?;
    let turn = (0..=last).rev().take_while(|position| is_assistant(*position) || only_results(*position));
    turn.filter(|position| is_assistant(*position)).last()
}
