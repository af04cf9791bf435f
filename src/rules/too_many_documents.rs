//! # `too_many_documents`
//!
//! The request holds more than five documents.
//!
//! ## Finds
//! The sixth document of a request, and none behind it.
//!
//! ## Provider answers
//! "You can't include more than 5 documents in a request."
//!
//! ## Applies to
//! Bedrock Converse; documented for a message, and seen for a whole request in public reports.
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
//!       "name": "p0",
//!       "source": {}
//!      }
//!     },
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "p1",
//!       "source": {}
//!      }
//!     },
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "p2",
//!       "source": {}
//!      }
//!     },
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "p3",
//!       "source": {}
//!      }
//!     },
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "p4",
//!       "source": {}
//!      }
//!     },
//!     {
//!      "document": {
//!       "format": "pdf",
//!       "name": "p5",
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
//! Send the documents in use alone.
//!
//! ## Sources
//! "Message" in the Amazon Bedrock API reference; aaif-goose/goose#1267; aws-samples/generative-ai-use-cases#1685

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "too_many_documents",
    about: "the request holds more than five documents",
    docs: include_str!("too_many_documents.rs"),
    texts: &["You can't include more than 5 documents in a request"],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| error_for(&[Api::BedrockConverse], target),
    check,
};

/// The most that a request may hold.
const MOST: usize = 5;

fn check(prompt: &Prompt, findings: &mut Findings) {
    let mut n_documents = 0;
    for (position, entry) in prompt.entries().enumerate() {
        let before = n_documents;
        n_documents += entry.parts.iter().filter(|part| part.marks.has(Marks::DOCUMENT)).count();
        if before <= MOST && n_documents > MOST {
            let say = format!("message {position} brings the request to {n_documents} documents: send at most {MOST}");
            findings.report(Place::message(position), Vec::new(), say);
        }
    }
}
