//! # `duplicate_document_name`
//!
//! Two documents of the request share a name.
//!
//! ## Finds
//! A document whose name an earlier one has, anywhere in the request.
//!
//! ## Provider answers
//! "Messages can't contain duplicate document names."
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
//!       "name": "plan",
//!       "source": {
//!        "bytes": "JVBERi0="
//!       }
//!      }
//!     },
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
//! Rename one of them, or send the document once.
//!
//! ## Sources
//! maximhq/bifrost#7003; ag-ui-protocol/ag-ui#2425; aws-samples/generative-ai-use-cases#1685

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{IdNo, Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "duplicate_document_name",
    about: "two documents of the request share a name",
    docs: include_str!("duplicate_document_name.rs"),
    texts: &["Messages can't contain duplicate document names"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::BedrockConverse], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let mut seen = vec![false; prompt.n_ids()];
    for (position, entry) in prompt.entries().enumerate() {
        for (block, part) in entry.parts.iter().enumerate() {
            if part.marks.has(Marks::DOCUMENT)
                && part.id != IdNo::NONE
                && std::mem::replace(&mut seen[part.id.0 as usize], true)
            {
                let place = Place { block: Some(block as u32), ..Place::message(position) };
                let say = format!("document {block} of message {position} has the name of an earlier one: rename it");
                findings.report(place, vec![part.id], say);
            }
        }
    }
}
