//! # `gemini_thought_signature_invalid`
//!
//! A thought signature was written by another model.
//!
//! ## Finds
//! A part with a `thoughtSignature` that an earlier call of the session got from a model of another name. It needs the
//! session's history; a lone request never shows it.
//!
//! ## Provider answers
//! "Corrupted thought signature."
//!
//! ## Applies to
//! Gemini; seen in public reports.
//!
//! ## Example
//! ```json
//! [
//!   {
//!     "session": "s",
//!     "request": {"model": "gemini-2.5-pro", "contents": [{"role": "user", "parts": [{"text": "How hot?"}]}]},
//!     "response": {
//!       "candidates": [
//!         {
//!           "content": {
//!             "role": "model",
//!             "parts": [{"functionCall": {"name": "fire", "args": {}}, "thoughtSignature": "c2lnMQ=="}]
//!           }
//!         }
//!       ]
//!     }
//!   },
//!   {
//!     "session": "s",
//!     "request": {
//!       "model": "gemini-3-pro-preview",
//!       "contents": [
//!         {"role": "user", "parts": [{"text": "How hot?"}]},
//!         {
//!           "role": "model",
//!           "parts": [{"functionCall": {"name": "fire", "args": {}}, "thoughtSignature": "c2lnMQ=="}]
//!         },
//!         {"role": "user", "parts": [{"functionResponse": {"name": "fire", "response": {"heat": "hot"}}}]}
//!       ]
//!     }
//!   }
//! ]
//! ```
//!
//! ## Remedy
//! Drop the signatures when the model changes; the documented placeholder `skip_thought_signature_validator` stands for
//! one.
//!
//! ## Sources
//! lbjlaq/Antigravity-Manager#970; decolua/9router#4136; badrisnarayanan/antigravity-claude-proxy#18

use super::{Findings, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "gemini_thought_signature_invalid",
    about: "a thought signature was written by another model",
    docs: include_str!("gemini_thought_signature_invalid.rs"),
    texts: &[
        "Corrupted thought signature",
        "Invalid thought signature",
        "Thought signature is not valid",
        "thought_signature' (TYPE_BYTES), Base64 decoding failed",
        "genai.Part.ThoughtSignature: decode base64",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::GeminiGenerateContent], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (site, part) in prompt.marked(Marks::OTHER_MODEL) {
        let message = site.message;
        let say = format!("a signature of content {message} was written by another model: drop it");
        findings.report(site.into(), vec![part.id], say);
    }
}
