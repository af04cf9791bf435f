//! # `gemini_thought_signature_missing`
//!
//! A function call of the current turn lacks its thought signature.
//!
//! ## Finds
//! In the contents behind the last user content without responses, a content of the model whose first call has no
//! `thoughtSignature`. Its siblings need none, and finished turns are not looked at.
//!
//! ## Provider answers
//! "Function call is missing a thought_signature in functionCall parts". Vertex: "Unable to submit request because
//! function call `NAME` in the N. content block is missing a `thought_signature`."
//!
//! ## Applies to
//! Gemini 3 and later; seen in public reports. Earlier models take it; without a model it depends.
//!
//! ## Example
//! ```json
//! {
//!  "model": "gemini-3-pro-preview",
//!  "contents": [
//!   {
//!    "role": "user",
//!    "parts": [
//!     {
//!      "text": "How hot?"
//!     }
//!    ]
//!   },
//!   {
//!    "role": "model",
//!    "parts": [
//!     {
//!      "functionCall": {
//!       "name": "kiln",
//!       "args": {}
//!      }
//!     }
//!    ]
//!   },
//!   {
//!    "role": "user",
//!    "parts": [
//!     {
//!      "functionResponse": {
//!       "name": "kiln",
//!       "response": {
//!        "t": 1
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
//! Send the part back as the model wrote it, or sign it `skip_thought_signature_validator`.
//!
//! ## Sources
//! The guide of the vendor to thought signatures; nanbingxyz/5ire#405; google-gemini/gemini-cli#14437;
//! warpdotdev/warp#8099

use super::{Findings, Place, Rule, Scope, Severity, Target};
use crate::model::Api;
use crate::transcript::{Marks, PartKind, Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "gemini_thought_signature_missing",
    about: "a function call of the current turn lacks its thought signature",
    docs: include_str!("gemini_thought_signature_missing.rs"),
    texts: &[
        "Function call is missing a thought_signature in functionCall parts",
        "content block is missing a `thought_signature`",
        "missing a thought_signature",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[],
    severity: |target| severity(target),
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    if target.api != Api::GeminiGenerateContent {
        return None;
    }
    let model = target.model.unwrap_or_default().rsplit('/').next().unwrap_or_default();
    match model.strip_prefix("gemini-").and_then(|version| version.chars().next()) {
        Some('1' | '2') => None,
        Some('3'..='9') => Some(Severity::Error),
        _ => Some(Severity::Warning),
    }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let asks = |position: &usize| {
        let message = prompt.entry(*position).message;
        message.speaker != Speaker::Assistant && !message.has_results
    };
    let turn = (0..prompt.len()).rev().find(asks).map_or(0, |last| last + 1);
    for position in turn..prompt.len() {
        let entry = prompt.entry(position);
        let first = entry.parts.iter().position(|part| part.kind == PartKind::ToolUse);
        if let Some(block) = first.filter(|block| !entry.parts[*block].marks.has(Marks::SIGNED)) {
            let place = Place { block: Some(block as u32), ..Place::message(position) };
            let say =
                format!("the first call of content {position} has no `thoughtSignature`: send it back as written");
            findings.report(place, Vec::new(), say);
        }
    }
}
