//! # `tool_result_not_adjacent`
//!
//! A tool result stands too far behind its call.
//!
//! ## Finds
//! A call whose result exists, but not right behind it: a summary, a reminder or a user's message came in between. One
//! finding at the call names both halves.
//!
//! ## Provider answers
//! The provider sees two faults and names one. Anthropic: "`tool_use` ids were found without `tool_result` blocks
//! immediately after: ID" (`messages.N`). OpenAI: "An assistant message with 'tool_calls' must be followed by tool
//! messages responding to each 'tool_call_id'".
//!
//! ## Applies to
//! Anthropic Messages (documented, and seen in public reports) and OpenAI Chat (documented, and seen in public
//! reports).
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {
//!       "role": "assistant",
//!       "tool_calls": [{"id": "k", "type": "function", "function": {"name": "kiln", "arguments": "{}"}}]
//!     },
//!     {"role": "user", "content": "Well?"},
//!     {"role": "tool", "tool_call_id": "k", "content": "hot"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Move the result right behind its call, and whatever stands between behind the result.
//!
//! ## Sources
//! OpenHands/software-agent-sdk#1450; ogx-ai/ogx#6367; langchain-ai/langchain#34195

use super::{Findings, Rule, Scope, error, names};
use crate::transcript::Prompt;
use crate::transcript::pairs::Fate;

pub(super) const RULE: Rule = Rule {
    id: "tool_result_not_adjacent",
    about: "a tool result stands too far behind its call",
    docs: include_str!("tool_result_not_adjacent.rs"),
    texts: &[],
    hides: false,
    scope: Scope::List,
    severity: error,
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let pairs = findings.pairs;
    for ask in &pairs.asks {
        if let Fate::Late(result) = ask.fate {
            let (name, at) = (names(prompt, &[ask.id]), result.message);
            let say =
                format!("the result of tool call {name} stands only in message {at}: move it right behind the call");
            findings.report(ask.site.into(), vec![ask.id], say);
        }
    }
}
