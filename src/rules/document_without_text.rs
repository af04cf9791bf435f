//! # `document_without_text`
//!
//! A document comes without a text.
//!
//! ## Finds
//! A user message with a document and no text block.
//!
//! ## Provider answers
//! "A text block must be included when using documents."
//!
//! ## Applies to
//! Bedrock Converse; documented, and seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "messages": [
//!   {
//!    "role": "user",
//!    "content": [
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "plan",
//!       "source": {
//!        "bytes": "JVBERi0="
//!       }
//!      }
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Say beside the document what to do with it.
//!
//! ## Sources
//! "Message" in the Amazon Bedrock API reference; BerriAI/litellm#36499; maximhq/bifrost#5817;
//! ag-ui-protocol/ag-ui#1978

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "document_without_text",
    about: "a document comes without a text",
    docs: include_str!("document_without_text.rs"),
    texts: &["A text block must be included when using documents"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::BedrockConverse], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        let has_document = entry.parts.iter().any(|part| part.marks.has(Marks::DOCUMENT));
        let has_text = entry.parts.iter().any(|part| part.kind == PartKind::Text);
        if entry.message.speaker == Speaker::User && has_document && !has_text {
            let say = format!("message {position} has a document and no text: say what to do with it");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}
