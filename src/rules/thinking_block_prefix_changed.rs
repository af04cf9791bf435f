//! # `thinking_block_prefix_changed`
//!
//! What stands before a kept thinking block is not what stood there when the model wrote it.
//!
//! ## Finds
//! A thinking block that an earlier call of the session showed behind another prompt: system text, tools or a message
//! before it were changed, summarised or evicted. It needs the session's history (a log with the earlier call); a lone
//! request never shows it. Silent where the request asks to drop such blocks
//! (`thinking.block_binding.prefix_mismatch_behavior` set to `drop_block`).
//!
//! ## Provider answers
//! "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set …"
//!
//! ## Applies to
//! Anthropic Messages, on models that bind thinking to its prefix (claude-fable-5-1): a warning, since the age of the
//! account decides as well. Other known models do not bind.
//!
//! ## Example
//! ```json
//! [
//!   {
//!     "session": "s",
//!     "request": {
//!       "model": "claude-fable-5-1",
//!       "messages": [
//!         {"role": "user", "content": "Two kilns."},
//!         {"role": "assistant", "content": "Noted."},
//!         {"role": "user", "content": "Plan."}
//!       ]
//!     },
//!     "response": {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "thinking", "thinking": "The large one first.", "signature": "c2lnMQ=="},
//!         {"type": "text", "text": "Large, then small."}
//!       ]
//!     }
//!   },
//!   {
//!     "session": "s",
//!     "request": {
//!       "model": "claude-fable-5-1",
//!       "messages": [
//!         {"role": "user", "content": "Summary: two kilns. Plan."},
//!         {
//!           "role": "assistant",
//!           "content": [
//!             {"type": "thinking", "thinking": "The large one first.", "signature": "c2lnMQ=="},
//!             {"type": "text", "text": "Large, then small."}
//!           ]
//!         },
//!         {"role": "user", "content": "And a third?"}
//!       ]
//!     }
//!   }
//! ]
//! ```
//!
//! ## Remedy
//! When older turns are summarised or evicted, drop the thinking blocks that stay behind the cut; or set the behaviour
//! to `drop_block`.
//!
//! ## Sources
//! pydantic/pydantic-ai#7984; turnstonelabs/turnstone#1076

use super::{Findings, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "thinking_block_prefix_changed",
    about: "what stands before a kept thinking block is not what stood there when the model wrote it",
    docs: include_str!("thinking_block_prefix_changed.rs"),
    texts: &["The block is bound to a different conversation"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "models that bind thinking, for accounts made since 2026-08-31", verdict: Verdict::Reject },
        Side { target: "older accounts, and other models", verdict: Verdict::Accept },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let binds = target.abilities().binds_thinking != Some(false);
    (target.api == Api::AnthropicMessages && binds).then_some(Severity::Warning)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.envelope().drops_unbound_thinking {
        return;
    }
    for (site, _) in prompt.marked(Marks::PREFIX_CHANGED) {
        let message = site.message;
        let say = format!(
            "the prompt before the thinking of message {message} is another than when the model wrote it: drop \
             the block, or ask to drop it"
        );
        findings.report(site.into(), Vec::new(), say);
    }
}
