//! # `invalid_function_name`
//!
//! The name of a called function holds characters that the provider refuses.
//!
//! ## Finds
//! A call whose function name is empty or holds anything but letters, digits, `_` and `-`.
//!
//! ## Provider answers
//! OpenAI: "Invalid 'messages[N].tool_calls[K].function.name': string does not match pattern", or "empty string".
//! Anthropic: "messages.N.content.K.tool_use.name: String should match pattern". Converse: "Value at
//! 'messages.N.member.content.K.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular
//! expression pattern: [a-zA-Z0-9_-]+".
//!
//! ## Applies to
//! OpenAI Chat, Anthropic Messages and Bedrock Converse; seen in public reports.
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
//! mcp-use/mcp-use#90; mcp-use/mcp-use#94; continuedev/continue#5091; langchain-ai/langsmith-sdk#899;
//! anthropics/claude-code#2673; pydantic/pydantic-ai#4585; anomalyco/opencode#48750

use super::{Findings, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::Prompt;
use crate::transcript::marks::Marks;

pub(super) const RULE: Rule = Rule {
    id: "invalid_function_name",
    about: "the name of a called function holds characters that the provider refuses",
    docs: include_str!("invalid_function_name.rs"),
    texts: &[
        "Invalid 'messages[N].tool_calls[K].function.name': string does not match pattern",
        "Invalid 'messages[N].tool_calls[K].function.name': empty string",
        "tool_use.name: String should match pattern",
        "tool_use.name: String should have at most",
        "toolUse.name failed to satisfy constraint",
        "does not match '^[a-zA-Z0-9_-]{1,64}$' - 'messages.N.tool_calls.K.function.name'",
        "Invalid 'input[N].name'",
        "Function name was ID but must be a-z, A-Z, 0-9",
        "function name or parameters is empty",
        "function name is invalid, must start with a letter",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::AnthropicMessages, Api::OpenaiChat, Api::BedrockConverse], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (site, part) in prompt.marked(Marks::BAD_TOOL_NAME) {
        let message = site.message;
        let say = format!("a call in message {message} names its function with characters that are refused: rename it");
        findings.report(site.into(), vec![part.id], say);
    }
}
