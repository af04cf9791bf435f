//! # `tools_undefined_with_tool_blocks`
//!
//! Tool blocks stand in a request that defines no tools.
//!
//! ## Finds
//! A tool use or result in a request without `toolConfig` (Converse) or `tools` (Anthropic); reported once, at the first
//! of them.
//!
//! ## Provider answers
//! "The toolConfig field must be defined when using toolUse and toolResult content blocks."
//!
//! ## Applies to
//! Bedrock Converse: refused, seen in public reports. Anthropic Messages: a warning, since the first party takes it and
//! gateways that pass the request on to Bedrock refuse.
//!
//! ## Example
//! ```json
//! {
//!  "messages": [
//!   {
//!    "role": "user",
//!    "content": [
//!     {
//!      "text": "How hot?"
//!     }
//!    ]
//!   },
//!   {
//!    "role": "assistant",
//!    "content": [
//!     {
//!      "toolUse": {
//!       "toolUseId": "k1",
//!       "name": "kiln",
//!       "input": {}
//!      }
//!     }
//!    ]
//!   },
//!   {
//!    "role": "user",
//!    "content": [
//!     {
//!      "toolResult": {
//!       "toolUseId": "k1",
//!       "content": [
//!        {
//!         "text": "hot"
//!        }
//!       ]
//!      }
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Send `toolConfig` as long as the history holds tool blocks, or turn them into text.
//!
//! ## Sources
//! vxcontrol/pentagi#196; RooCodeInc/Roo-Code#10155; nearai/ironclaw#1710; HolmesGPT/holmesgpt#2214

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "tools_undefined_with_tool_blocks",
    about: "tool blocks stand in a request that defines no tools",
    docs: include_str!("tools_undefined_with_tool_blocks.rs"),
    texts: &[
        "The toolConfig field must be defined when using toolUse and toolResult content blocks",
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
        "doesn't support tool calling without `tools=` param specified",
        "expects the `tools=` param to be passed in",
        "Tool reference 'ID' not found in available tools",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "Anthropic's own API", verdict: Verdict::Accept },
        Side { target: "gateways that pass the request on to Bedrock", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    match target.api {
        Api::BedrockConverse => Some(Severity::Error),
        Api::AnthropicMessages => Some(Severity::Warning),
        _ => None,
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    if !prompt.envelope().no_tools {
        return;
    }
    let holds_tools = |position: &usize| {
        let message = prompt.entry(*position).message;
        message.has_calls || message.has_results
    };
    if let Some(position) = (0..prompt.len()).find(holds_tools) {
        let member = if prompt.api() == Api::BedrockConverse { "toolConfig" } else { "tools" };
        let say = format!("message {position} holds tool blocks, and `{member}` is missing: send it as well");
        findings.report(Place::message(position), Vec::new(), say);
    }
}
