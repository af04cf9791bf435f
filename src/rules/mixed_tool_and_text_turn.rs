//! # `mixed_tool_and_text_turn`
//!
//! Text stands beside tool results.
//!
//! ## Finds
//! A user message with results and a text, for a model that takes one or the other.
//!
//! ## Provider answers
//! "messages.N.content: Conversation blocks and tool result blocks cannot be provided in the same turn." Of text beside
//! calls, which is not looked for: "Conversation blocks and tool use blocks cannot be provided in the same turn."
//!
//! ## Applies to
//! Llama models on Bedrock Converse; seen in public reports. Claude 3 Opus refused it in 2024; Claude models of today
//! take it.
//!
//! ## Example
//! ```json
//! {
//!  "modelId": "us.meta.llama4-maverick-17b-instruct-v1:0",
//!  "toolConfig": {},
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
//!     },
//!     {
//!      "text": "Quick."
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Send the text in a later turn, or inside the result.
//!
//! ## Sources
//! strands-agents/harness-sdk#1223; langchain-ai/langchain-aws#141; BerriAI/litellm#6053; of text beside calls
//! quarkiverse/quarkus-langchain4j#1983

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::{PartKind, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "mixed_tool_and_text_turn",
    about: "text stands beside tool results",
    docs: include_str!("mixed_tool_and_text_turn.rs"),
    texts: &[
        "Conversation blocks and tool result blocks cannot be provided in the same turn",
        "Conversation blocks and tool use blocks cannot be provided in the same turn",
        "must have either content or tool_calls, but not both",
        "text content is not allowed when tool_calls are provided",
        "cannot specify both message and tool_results",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| severity(target),
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    let is_llama = target.model.is_some_and(|model| model.contains("meta.llama"));
    (target.api == Api::BedrockConverse && is_llama).then_some(Severity::Error)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let has_text = entry.parts.iter().any(|part| part.kind == PartKind::Text);
        if entry.message.has_results && has_text {
            let ids = entry.parts.iter().filter(|part| part.kind == PartKind::ToolResult).map(|part| part.id);
            let say = format!("message {position} has text beside tool results: send it in a later turn");
            findings.report(Place::message(position), ids.collect(), say);
        }
    }
}
