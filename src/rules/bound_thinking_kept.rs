//! # `bound_thinking_kept`
//!
//! Messages before a kept thinking block were evicted, and the model binds thinking to them.
//!
//! ## Finds
//! In a prompt that a policy made: a thinking block that stays while messages in front of it are gone. On a log the same
//! fault is `thinking_block_prefix_changed`.
//!
//! ## Provider answers
//! "Invalid `signature` in `thinking` block. The block is bound to a different conversation."
//!
//! ## Applies to
//! Anthropic Messages, on models that bind thinking to its prefix: a warning, since the age of the account decides as
//! well.
//!
//! ## Example
//! ```json
//! {
//!   "resident": [1, 2],
//!   "request": {
//!     "model": "claude-fable-5-1",
//!     "messages": [
//!       {"role": "user", "content": "Two kilns. Plan."},
//!       {
//!         "role": "assistant",
//!         "content": [
//!           {"type": "thinking", "thinking": "The large one first.", "signature": "c2lnMQ=="},
//!           {"type": "text", "text": "Large, then small."}
//!         ]
//!       },
//!       {"role": "user", "content": "And a third?"}
//!     ]
//!   }
//! }
//! ```
//!
//! ## Remedy
//! Drop the thinking blocks behind the cut.
//!
//! ## Sources
//! pydantic/pydantic-ai#7984

use super::{Findings, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "bound_thinking_kept",
    about: "messages before a kept thinking block were evicted, and the model binds thinking to them",
    docs: include_str!("bound_thinking_kept.rs"),
    texts: &[],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "models that bind thinking, for accounts made since 2026-08-31", verdict: Verdict::Reject },
        Side { target: "older accounts, and other models", verdict: Verdict::Accept },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let binds = target.abilities().binds_thinking == Some(true);
    (target.api == Api::AnthropicMessages && binds).then_some(Severity::Warning)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.envelope().drops_unbound_thinking {
        return;
    }
    let mut last = None;
    for (site, _) in prompt.marked(Marks::THINKING) {
        let message = site.message;
        let is_cut_off = prompt.index(message as usize) != message;
        if is_cut_off && last.replace(message) != Some(message) {
            let say = format!("messages before the thinking of message {message} are gone: drop the block as well");
            findings.report(site.into(), Vec::new(), say);
        }
    }
}
