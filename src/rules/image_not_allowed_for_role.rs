//! # `image_not_allowed_for_role`
//!
//! An image stands outside a user message.
//!
//! ## Finds
//! An image part in a message of any role but `user`, a tool result included.
//!
//! ## Provider answers
//! "Invalid 'messages[N]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool'
//! contains an image URL."
//!
//! ## Applies to
//! OpenAI Chat; seen in public reports up to 2025. One of 2026 saw GPT-5.2 take an image in a tool message without
//! reading it (openai/openai-openapi#523).
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
//!         "name": "kiln",
//!         "arguments": "{}"
//!        }
//!       }
//!      ]
//!     },
//!     {
//!      "role": "tool",
//!      "tool_call_id": "k",
//!      "content": [
//!       {
//!        "type": "image_url",
//!        "image_url": {
//!         "url": "https://example.org/k.png"
//!        }
//!       }
//!      ]
//!     }
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send the image in a user message behind the results.
//!
//! ## Sources
//! OpenHands/OpenHands#7700; openai/openai-node#1030; openai/openai-openapi#523

use super::{Findings, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::marks::Marks;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "image_not_allowed_for_role",
    about: "an image stands outside a user message",
    docs: include_str!("image_not_allowed_for_role.rs"),
    texts: &["Image URLs are only allowed for messages with role 'user'"],
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
    for (site, part) in prompt.marked(Marks::IMAGE) {
        let message = site.message;
        if prompt.entry(message as usize).message.speaker != Speaker::User {
            let say =
                format!("message {message} holds an image under a role that takes none: send it in a user message");
            findings.report(site.into(), vec![part.id], say);
        }
    }
}
