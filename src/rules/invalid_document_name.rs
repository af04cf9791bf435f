//! # `invalid_document_name`
//!
//! A document has a name that is not allowed.
//!
//! ## Finds
//! A name with other characters than ASCII letters, digits, `_`, single spaces, `-`, `( )` and `[ ]`, an empty one, or
//! one of more than 200.
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
//! "DocumentBlock" in the Amazon Bedrock API reference; vercel/ai#20365; simonw/llm-bedrock#8;
//! strands-agents/harness-sdk#3019; aws-samples/generative-ai-use-cases#1671

use super::{Findings, Rule, Scope, error_for};
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
    for (site, part) in prompt.marked(Marks::BAD_NAME) {
        let (message, block) = (site.message, site.block);
        let say = format!("the name of document {block} of message {message} is not allowed: rename it");
        findings.report(site.into(), vec![part.id], say);
    }
}
