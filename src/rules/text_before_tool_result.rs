//! # `text_before_tool_result`
//!
//! In the message that answers, something stands before a result.
//!
//! ## Finds
//! In the user message (or the user messages that the provider merges) that answers calls: a block of another type
//! between two results, or before the first one. Each is a finding of its own.
//!
//! ## Provider answers
//! Between two results: "`tool_use` ids were found without `tool_result` blocks immediately after: ID", naming the
//! later result. Before the first: documented as wrong; reports differ.
//!
//! ## Applies to
//! Anthropic Messages. Between results: refused, seen in public reports. Before the first: a warning, since the first
//! party was seen to take it and strict gateways refuse.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "kiln", "input": {}}]},
//!     {
//!       "role": "user",
//!       "content": [{"type": "text", "text": "Quick!"}, {"type": "tool_result", "tool_use_id": "k", "content": "hot"}]
//!     }
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Put all results first, then text and images.
//!
//! ## Sources
//! langchain-ai/langchain-aws#389; ogx-ai/ogx#6367; Zoo-Code-Org/Zoo-Code#1307; 1jehuang/jcode#276

use super::{Findings, Rule, Scope, Severity, Side, Target, UNANSWERED, Verdict, names};
use crate::model::Api;
use crate::transcript::pairs::{Answer, Fit, Group};
use crate::transcript::{IdNo, PartKind, Prompt, Site};

pub(super) const RULE: Rule = Rule {
    id: "text_before_tool_result",
    about: "in the message that answers, something stands before a result",
    docs: include_str!("text_before_tool_result.rs"),
    texts: &[UNANSWERED],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "Anthropic's own API, as reports say", verdict: Verdict::Accept },
        Side { target: "Bedrock InvokeModel and gateways that check by the letter", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    for group in &pairs.groups {
        let fits = pairs.answers_of(group).iter().filter(|answer| answer.fit == Fit::Fits);
        let order = order(prompt, group, fits);
        if let Some(site) = order.before {
            let say =
                format!("something stands before the first tool result of message {}: put results first", site.message);
            let severity = if findings.target().has(|profile| profile.results_first) {
                Severity::Error
            } else {
                Severity::Warning
            };
            findings.report_as(severity, site.into(), Vec::new(), say);
        }
        if let Some((site, ids)) = order.behind_gap {
            let say =
                format!("something stands between tool results, before {}: put all results first", names(prompt, &ids));
            findings.report(site.into(), ids, say);
        }
    }
}

/// What is out of order in one run.
#[derive(Default)]
struct Order {
    /// The first block before the first result; the result itself where that block is in a message before.
    before: Option<Site>,
    /// The first result behind a gap, and the ids of all those.
    behind_gap: Option<(Site, Vec<IdNo>)>,
}

fn order<'a>(prompt: &Prompt, group: &Group, fits: impl Iterator<Item = &'a Answer>) -> Order {
    let mut order = Order::default();
    let mut next = Site { message: group.run.start, block: 0 };
    let mut is_first = true;
    for answer in fits {
        let gap = first_other(prompt, next, answer.site);
        if is_first {
            order.before = gap.map(|gap| if gap.message == answer.site.message { gap } else { answer.site });
        } else if gap.is_some() || order.behind_gap.is_some() {
            order.behind_gap.get_or_insert((answer.site, Vec::new())).1.push(answer.id);
        }
        is_first = false;
        next = Site { block: answer.site.block + 1, ..answer.site };
    }
    order
}

/// The first block from one site up to another that is no result.
fn first_other(prompt: &Prompt, from: Site, to: Site) -> Option<Site> {
    (from.message..=to.message).find_map(|message| {
        let parts = prompt.entry(message as usize).parts;
        let start = if message == from.message { from.block as usize } else { 0 };
        let end = if message == to.message { to.block as usize } else { parts.len() };
        let block = (start..end).find(|block| parts[*block].kind != PartKind::ToolResult)?;
        Some(Site { message, block: block as u32 })
    })
}
