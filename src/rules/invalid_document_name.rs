//! # `invalid_document_name`
//!
//! A document has a name that is not allowed.
//!
//! ## Finds
//! A name with other characters than letters, digits, `_`, single spaces, `-`, `( )` and `[ ]`, or of more than
//! 200.
//!
//! ## Provider answers
//! "The document file name can only contain alphanumeric characters…"
//!
//! ## Applies to
//! Bedrock Converse; seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!  "messages": [
//!   {
//!    "role": "user",
//!    "content": [
//!     {
//!      "text": "Read."
//!     },
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "plan.pdf",
//!       "source": {}
//!      }
//!     }
//!    ]
//!   }
//!  ]
//! }
//! ```
//!
//! ## Remedy
//! Rename it, without its extension.
//!
//! ## Sources
//! Public reports collected in the catalogue of rules

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "invalid_document_name",
    about: "a document has a name that is not allowed",
    docs: include_str!("invalid_document_name.rs"),
    texts: &["The document file name can only contain alphanumeric characters"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::BedrockConverse], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in entry.parts.iter().enumerate() {
            if part.marks.has(Marks::BAD_NAME) {
                let place = Place { block: Some(block as u32), ..Place::message(position) };
                let say = format!("the name of document {block} of message {position} is not allowed: rename it");
                findings.report(place, vec![part.id], say);
            }
        }
    }
}
