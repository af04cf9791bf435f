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
    // A client sets its marks anew in each request; those of many requests are not sent together.
    if !prompt.is_one_request() {
        return;
    }
    let front = prompt.envelope().cache;
    let say = "a one-hour cache mark stands behind a five-minute one: give the longer life to what stands first";
    if front.out_of_order {
        findings.report(Place::REQUEST, Vec::new(), say.to_owned());
    }
    let mut has_short = front.has_short;
    for (site, part) in prompt.marked(Marks::CACHED) {
        let is_long = part.marks.has(Marks::CACHED_LONG);
        if is_long && has_short {
            findings.report(site.into(), Vec::new(), say.to_owned());
        }
        has_short |= !is_long;
    }
}
