//! # `no_user_message`
//!
//! No user message is in the list.
//!
//! ## Finds
//! A list without any message of the user, for a model whose chat template looks for one.
//!
//! ## Provider answers
//! "no user query found in messages"
//!
//! ## Applies to
//! OpenAI Chat on a server with a chat template (profile `vllm`), for Qwen 3 and later; a warning where the model does
//! not settle it.
//!
//! ## Example
//! ```json
//! {
//!   "model": "Qwen3.5-32B",
//!   "messages": [
//!     {"role": "system", "content": "Summary: the kiln is hot."},
//!     {"role": "assistant", "content": "Understood."}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Keep a user message, or write the summary as one.
//!
//! ## Sources
//! langgenius/dify#33152

use super::{Findings, Place, Rule, Scope, Severity, Side, Target, Verdict};
use crate::model::Api;
use crate::transcript::{Prompt, Speaker};

pub(super) const RULE: Rule = Rule {
    id: "no_user_message",
    about: "no user message is in the list",
    docs: include_str!("no_user_message.rs"),
    texts: &[
        "no user query found in messages",
        "The input messages do not contain elements with the role of user",
        "The messages parameter is illegal",
        "messages 参数非法",
        "messages参数非法",
    ],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "templates that look for no user message", verdict: Verdict::Accept },
        Side { target: "templates of Qwen 3 and later", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    if target.api == Api::OpenaiChat { target.template(|model| model.needs_user) } else { None }
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let has_user = prompt.entries().any(|entry| entry.message.speaker == Speaker::User);
    if !has_user && !prompt.is_empty() {
        let say = "the list has no user message: keep one, or write the summary as one".to_owned();
        findings.report(Place::REQUEST, Vec::new(), say);
    }
}
