//! # `cache_ttl_order`
//!
//! A one-hour cache mark stands behind a five-minute one.
//!
//! ## Finds
//! A cache mark that lives an hour behind one that lives five minutes, in the order tools, system text, messages.
//!
//! ## Provider answers
//! "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block".
//!
//! ## Applies to
//! Anthropic Messages, seen in a public report.
//!
//! ## Example
//! ```json
//! {
//!   "system": [{"type": "text", "text": "You fire kilns.", "cache_control": {"type": "ephemeral"}}],
//!   "messages": [
//!     {"role": "user", "content": [{"type": "text", "text": "Glazes.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Give the longer life to what stands first.
//!
//! ## Sources
//! headroomlabs-ai/headroom#2939

use super::{Findings, Place, Rule, Scope, anthropic_error};
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "cache_ttl_order",
    about: "a one-hour cache mark stands behind a five-minute one",
    docs: include_str!("cache_ttl_order.rs"),
    texts: &["a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let front = prompt.frame().cache;
    let say = "a one-hour cache mark stands behind a five-minute one: give the longer life to what stands first";
    if front.out_of_order {
        findings.report(Place::REQUEST, Vec::new(), say.to_owned());
    }
    let mut has_short = front.has_short;
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in (0..).zip(entry.parts) {
            if part.marks.has(Marks::CACHED_LONG) && has_short {
                findings.report(Place::block(position, block), Vec::new(), say.to_owned());
            }
            has_short |= part.marks.has(Marks::CACHED) && !part.marks.has(Marks::CACHED_LONG);
        }
    }
}
