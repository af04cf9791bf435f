//! # `empty_content`
//!
//! A message says nothing.
//!
//! ## Finds
//! Anthropic: a message whose `content` is missing, null, an empty string or an empty list, unless it is the final
//! assistant message with an empty string or list; and a text block without text in any message. Chat: null or missing
//! `content`, unless an assistant message has `tool_calls`, `function_call`, `audio` or `refusal` in its place. Converse
//! and Gemini: an empty list; Gemini also a part without data and an empty text. Mistral: as Chat, for the assistant.
//!
//! ## Provider answers
//! Anthropic: "all messages must have non-empty content except for the optional final assistant message", "text
//! content blocks must be non-empty". OpenAI: "Invalid value for 'content': expected a string, got null".
//!
//! ## Applies to
//! Every API but Responses; seen in public reports. Results may be empty.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Glaze?"},
//!     {"role": "assistant", "content": []},
//!     {"role": "user", "content": "Hm?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Drop the message or the block, or say something in it; whoever strips blocks must also drop the message they leave
//! empty.
//!
//! ## Sources
//! BerriAI/litellm#22979; HKUDS/nanobot#949; vellum-ai/vellum-assistant#2654

use super::{Findings, Place, Rule, Scope, Severity};
use crate::model::Api;
use crate::transcript::prompt::Entry;
use crate::transcript::{ContentForm, Marks, PartFacts, PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "empty_content",
    about: "a message says nothing",
    docs: include_str!("empty_content.rs"),
    texts: &[
        "all messages must have non-empty content",
        "text content blocks must be non-empty",
        "Invalid value for 'content': expected a string, got null",
        "The content field in the Message object at messages.N is empty",
        "Assistant message must have either content or tool_calls",
        "with role 'assistant' must not be empty",
        "contents is not specified",
        "must include at least one parts field",
        "Unable to submit request because it must have a text parameter",
        "required oneof field 'data' must have one initialized field",
        "Each message must have at least one content element",
        "The content field at messages.N.content.K.toolResult cannot be empty",
        "chat content is empty",
        "message content is empty",
        "text content is empty",
        "with role 'ID' must not be empty",
        "must have either content or tool_calls",
        "Invalid assistant message: content or tool_calls must be set",
        "All non-assistant messages must contain 'content'",
        "Assistant message must contain either 'content' or 'tool_calls'",
        "'content' is a required property - 'messages.N",
        "None is not of type 'string' - 'messages.N.content'",
        "Missing required parameter: 'messages[N].content'",
        "Missing required parameter: 'input[N].content'",
        "messages.N.content: Field required",
        "The content field is a required field",
        "missing field `content`",
        "property 'content' is missing",
        "content' : minimum length is 1",
        "Content length must be greater than 0",
        "prompt parameter was not received",
        "contents.parts must not be empty",
        "all elements in history must have a message",
        "message must be at least 1 token long or tool results must be specified",
        "message must not be empty in a turn",
        "invalid message content type: <nil>",
        "each thinking block must contain thinking",
        "System prompt must have content",
        "Invalid 'messages[N].content[K].text': empty string",
        "Invalid 'messages[N].content': empty array",
        "Invalid 'input[N].content': empty array",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| if target.api == Api::OpenaiResponses { None } else { Some(Severity::Error) },
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        match prompt.api() {
            Api::AnthropicMessages => anthropic(position, position + 1 == prompt.len(), &entry, findings),
            Api::GeminiGenerateContent => gemini(position, &entry, findings),
            Api::BedrockConverse if entry.parts.is_empty() => report(position, findings),
            Api::BedrockConverse => {}
            Api::MistralChat if entry.message.speaker != Speaker::Assistant => {}
            _ => chat(position, &entry, findings),
        }
        if findings.target().has(|profile| profile.refuses_empty_assistant) && is_mute(&entry) {
            report(position, findings);
        }
    }
}

fn anthropic(position: usize, is_last: bool, entry: &Entry, findings: &mut Findings) {
    let speaker = entry.message.speaker;
    if !matches!(speaker, Speaker::User | Speaker::Assistant | Speaker::System) {
        return;
    }
    let empty_text = entry.parts.iter().position(|part| part.kind == PartKind::Text && part.empty);
    match entry.message.form {
        ContentForm::Absent | ContentForm::Null => report(position, findings),
        ContentForm::Text if empty_text.is_none() => {}
        ContentForm::List if !entry.parts.is_empty() => {
            if let Some(block) = empty_text {
                let place = Place { block: Some(block as u32), ..Place::message(position) };
                let say = format!("text block {block} of message {position} is empty: drop it or say something in it");
                findings.report(place, Vec::new(), say);
            }
        }
        ContentForm::Text | ContentForm::List if is_last && speaker == Speaker::Assistant => {}
        ContentForm::Text | ContentForm::List => report(position, findings),
        ContentForm::Other => {}
    }
}

fn gemini(position: usize, entry: &Entry, findings: &mut Findings) {
    if entry.parts.is_empty() {
        report(position, findings);
    }
    let says_nothing = |part: &PartFacts| {
        part.marks.has(Marks::NO_DATA) || (part.kind == PartKind::Text && part.empty && !part.marks.has(Marks::SIGNED))
    };
    for (block, _) in entry.parts.iter().enumerate().filter(|(_, part)| says_nothing(part)) {
        let place = Place { block: Some(block as u32), ..Place::message(position) };
        let say = format!("part {block} of content {position} holds nothing: drop it or say something in it");
        findings.report(place, Vec::new(), say);
    }
}

fn chat(position: usize, entry: &Entry, findings: &mut Findings) {
    let is_hollow = matches!(entry.message.form, ContentForm::Absent | ContentForm::Null);
    let must_speak = match entry.message.speaker {
        Speaker::Assistant => !entry.message.has_substitute,
        Speaker::System | Speaker::Developer | Speaker::User => true,
        Speaker::Tool | Speaker::Function | Speaker::Unknown => false,
    };
    if is_hollow && must_speak {
        report(position, findings);
    }
}

/// An assistant's empty text without a call, which only some servers refuse.
fn is_mute(entry: &Entry) -> bool {
    let says_nothing = entry.message.form == ContentForm::Text && entry.parts.iter().all(|part| part.empty);
    entry.message.speaker == Speaker::Assistant && !entry.message.has_substitute && says_nothing
}

fn report(position: usize, findings: &mut Findings) {
    let say = format!("message {position} has no content: drop it or say something in it");
    findings.report(Place::message(position), Vec::new(), say);
}
