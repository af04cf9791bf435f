//! # `split_parallel_results`
//!
//! The results of one message's calls stand in several messages.
//!
//! ## Finds
//! Results for the calls of one assistant message spread over two or more user messages in a row, which the first party
//! merges.
//!
//! ## Provider answers
//! Bedrock: "Expected toolResult blocks at messages.N.content for the following Ids: ID". Gateways that check by the
//! letter answer with the text of an unanswered call.
//!
//! ## Applies to
//! Anthropic Messages: a warning, since the first party merges the messages and takes them (results first, else it is
//! `text_before_tool_result`) and strict gateways refuse. Bedrock Converse: refused, seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "tools": [{"name": "fire", "input_schema": {"type": "object"}}],
//!   "messages": [
//!     {"role": "user", "content": "Fire both."},
//!     {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "tool_use", "id": "k1", "name": "fire", "input": {}},
//!         {"type": "tool_use", "id": "k2", "name": "fire", "input": {}}
//!       ]
//!     },
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k1", "content": "hot"}]},
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k2", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Put all results of one message into one user message.
//!
//! ## Sources
//! ogx-ai/ogx#6367; langchain-ai/langchain#34195; BerriAI/litellm#20047

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, UNANSWERED, UNANSWERED_CONVERSE, Verdict};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::pairs::Fit;

pub(super) const RULE: Rule = Rule {
    id: "split_parallel_results",
    about: "the results of one message's calls stand in several messages",
    docs: include_str!("split_parallel_results.rs"),
    texts: &[UNANSWERED, UNANSWERED_CONVERSE],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "Anthropic's own API, which merges user messages", verdict: Verdict::Accept },
        Side { target: "Bedrock Converse and gateways that do not merge", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::AnthropicMessages if target.has(|profile| profile.strict_turns) => Some(Severity::Error),
        Api::AnthropicMessages => Some(Severity::Warning),
        Api::BedrockConverse => Some(Severity::Error),
        _ => None,
    }
}

fn check(_: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    for group in pairs.groups.iter().filter(|group| group.run.len() > 1) {
        let fits = || pairs.answers_of(group).iter().filter(|answer| answer.fit == Fit::Fits);
        let Some(first) = fits().next().map(|answer| answer.site.message) else { continue };
        if fits().any(|answer| answer.site.message != first) {
            let ids = fits().map(|answer| answer.id).collect();
            let say =
                format!("the results of the calls before message {first} stand in several messages: put them into one");
            findings.report(Place::message(first as usize), ids, say);
        }
    }
}
