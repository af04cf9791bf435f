//! # `unanswered_server_tool_call`
//!
//! A server's tool use has no result inside its turn.
//!
//! ## Finds
//! A `server_tool_use` or `mcp_tool_use` whose result block does not follow in its turn, once the turn is over. At the
//! end of the list it is a paused turn, which is taken. Beside a client's tool use it waits: the next user message holds
//! only the client's results, and the server's result begins the next assistant message. A use whose code asked the
//! client for something waits as well.
//!
//! ## Provider answers
//! "`web_search` tool use with id ID was found without a corresponding `web_search_tool_result` block"
//!
//! ## Applies to
//! Anthropic Messages; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "News?"},
//!     {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "text", "text": "Looking."},
//!         {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "kiln"}}
//!       ]
//!     },
//!     {"role": "user", "content": "Well?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send a paused turn back as the last message, without a user message behind it; or drop the tool use.
//!
//! ## Sources
//! AnswerDotAI/lisette#108; vellum-ai/vellum-assistant#17907; anthropics/anthropic-sdk-python#1507;
//! anthropics/anthropic-sdk-typescript#1090

use super::{Findings, Place, Rule, Scope, anthropic_error, names};
use crate::transcript::Prompt;
use crate::transcript::served::{Served, served};

pub(super) const RULE: Rule = Rule {
    id: "unanswered_server_tool_call",
    about: "a server's tool use has no result inside its turn",
    docs: include_str!("unanswered_server_tool_call.rs"),
    texts: &["tool use with id ID was found without a corresponding"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for fault in served(prompt) {
        if let Served::Unanswered { site, id } = fault {
            let say = format!(
                "the server's tool use {} has no result before its turn ends: send the paused turn back last, or drop the \
                 tool use",
                names(prompt, &[id])
            );
            findings.report(Place::from(site), vec![id], say);
        }
    }
}
