//! # `orphan_server_tool_result`
//!
//! The result of a server's tool use has no such use before it.
//!
//! ## Finds
//! A `web_search_tool_result`, `code_execution_tool_result`, `mcp_tool_result` or other result block of the server whose
//! `server_tool_use` or `mcp_tool_use` does not stand before it in the same turn. A turn lasts until a user message that
//! holds anything but results of client tools.
//!
//! ## Provider answers
//! "unexpected `tool_use_id` found in `advisor_tool_result` blocks: ID. Each `advisor_tool_result` block must have a
//! corresponding `server_tool_use` block before it."
//!
//! ## Applies to
//! Anthropic Messages; seen in many public reports of 2026, after compaction and after resuming.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "News?"},
//!     {
//!       "role": "assistant",
//!       "content": [
//!         {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
//!         {"type": "text", "text": "None."}
//!       ]
//!     },
//!     {"role": "user", "content": "Go on."}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Keep the server's tool use with its result, or drop both.
//!
//! ## Sources
//! anthropics/claude-code#95406; anthropics/claude-code#80439; anthropics/anthropic-sdk-typescript#1090

use super::{Findings, Place, Rule, Scope, anthropic_error, names};
use crate::transcript::Prompt;
use crate::transcript::served::{Served, served};

pub(super) const RULE: Rule = Rule {
    id: "orphan_server_tool_result",
    about: "the result of a server's tool use has no such use before it",
    docs: include_str!("orphan_server_tool_result.rs"),
    texts: &[
        "unexpected `tool_use_id` found in `ID` blocks",
        "block must have a corresponding `server_tool_use` block before it",
        "block must have a corresponding `mcp_tool_use` block before it",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: anthropic_error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for fault in served(prompt) {
        if let Served::Orphan { site, id } = fault {
            let say = format!(
                "the server result {} has no tool use of the server before it in its turn: keep both, or drop both",
                names(prompt, &[id])
            );
            findings.report(Place::from(site), vec![id], say);
        }
    }
}
