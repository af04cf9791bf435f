//! # `invalid_function_name`
//!
//! The name of a called function holds characters that the provider refuses.
//!
//! ## Finds
//! A call whose function name is empty or holds anything but letters, digits, `_` and `-`.
//!
//! ## Provider answers
//! "Invalid 'messages[N].tool_calls[K].function.name': string does not match pattern".
//!
//! ## Applies to
//! OpenAI Chat; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {
//!      "role": "assistant",
//!      "content": null,
//!      "tool_calls": [
//!       {
//!        "id": "k",
//!        "type": "function",
//!        "function": {
//!         "name": "kiln.fire",
//!         "arguments": "{}"
//!        }
//!       }
//!      ]
//!     },
//!     {"role": "tool", "tool_call_id": "k", "content": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Rename the function in the tools and in the history.
//!
//! ## Sources
//! mcp-use/mcp-use#90; mcp-use/mcp-use#94

use super::{Findings, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "invalid_function_name",
    about: "the name of a called function holds characters that the provider refuses",
    docs: include_str!("invalid_function_name.rs"),
    texts: &["Invalid 'messages[N].tool_calls[K].function.name': string does not match pattern"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    (target.api == Api::OpenaiChat).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (site, part) in prompt.marked(Marks::BAD_TOOL_NAME) {
        let message = site.message;
        let say = format!("a call in message {message} names its function with characters that are refused: rename it");
        findings.report(site.into(), vec![part.id], say);
    }
}
