//! # `empty_messages`
//!
//! The request sends no message.
//!
//! ## Finds
//! A message list without any entry, as a trimmer leaves it when nothing fits its target.
//!
//! ## Provider answers
//! Anthropic: "messages: at least one message is required". OpenAI: "[] is too short - 'messages'", "Invalid
//! 'messages': empty array." Responses: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id'
//! must be provided." Gemini: "* GenerateContentRequest.contents: contents is not specified". Bedrock: "A conversation
//! must start with a user message." Mistral: "Conversation must have at least one message".
//!
//! ## Applies to
//! Every API. Responses takes an empty list beside `previous_response_id`, `conversation` or a stored `prompt`.
//!
//! ## Example
//! ```json
//! {"model": "m", "messages": []}
//! ```
//!
//! ## Remedy
//! Keep at least the last user message, however large it is.
//!
//! ## Sources
//! The API references of Anthropic and OpenAI; hua-bang/pulse-agent#354; CopilotKit/CopilotKit#529;
//! pydantic/pydantic-ai#3470; vercel/ai#3775; langchain-ai/langchain-google#1393; elastic/kibana#246393

use super::{Findings, Place, Rule, Scope, Severity};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "empty_messages",
    about: "the request sends no message",
    docs: include_str!("empty_messages.rs"),
    texts: &[
        "at least one message is required",
        "[] is too short - 'messages'",
        "Invalid 'messages': empty array",
        "'conversation_id' must be provided",
        "contents is not specified",
        "Conversation must have at least one message",
        "'messages' failed to satisfy constraint",
        "'messages' : minimum number of items is 1",
        "at least one contents field is required",
        "messages is empty",
        "Conversation must start with a user message or system message",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |_| Some(Severity::Error),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    if prompt.is_empty() && prompt.envelope().counted.is_none() && !prompt.envelope().has_source() {
        let say = "the request has no messages: keep at least the last user message";
        findings.report(Place::REQUEST, Vec::new(), say.to_owned());
    }
}
