//! # `too_many_cache_breakpoints`
//!
//! More than four cache marks stand in the request.
//!
//! ## Finds
//! A fifth cache mark over tools, system text and messages; the finding points at the message that brings it.
//!
//! ## Provider answers
//! "A maximum of 4 blocks with cache_control may be provided".
//!
//! ## Applies to
//! Anthropic Messages, seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": [
//!       {"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}},
//!       {"type": "text", "text": "B", "cache_control": {"type": "ephemeral"}},
//!       {"type": "text", "text": "C", "cache_control": {"type": "ephemeral"}},
//!       {"type": "text", "text": "D", "cache_control": {"type": "ephemeral"}},
//!       {"type": "text", "text": "E", "cache_control": {"type": "ephemeral"}}
//!     ]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Keep the marks that end the longest stable prefixes, at most four.
//!
//! ## Sources
//! the vendor's reference on prompt caching; tghamm/Anthropic.SDK#50; griffinmartin/opencode-claude-auth#121;
//! VicBilibily/GCMP#83

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "too_many_cache_breakpoints",
    about: "more than four cache marks stand in the request",
    docs: include_str!("too_many_cache_breakpoints.rs"),
    texts: &["A maximum of 4 blocks with cache_control may be provided"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: anthropic_error,
    check,
};

/// The most marks that a request may hold.
const MOST: u32 = 4;

fn check(prompt: &Prompt, findings: &mut Findings) {
    // A client sets its marks anew in each request; those of many requests are not sent together.
    if !prompt.is_one_request() {
        return;
    }
    let say = "the request holds more than four cache marks: keep those that end the longest stable prefixes";
    let mut n = prompt.envelope().cache.n;
    if n > MOST {
        findings.report(Place::REQUEST, Vec::new(), say.to_owned());
        return;
    }
    for (site, _) in prompt.marked(Marks::CACHED) {
        n += 1;
        if n > MOST {
            findings.report(Place::message(site.message as usize), Vec::new(), say.to_owned());
            return;
        }
    }
}
