//! # `truncated_payload`
//!
//! The logger cut a text of the request.
//!
//! ## Finds
//! A text, result or argument string with the mark that a logger leaves where it cuts. What was sent is not what the log
//! holds, so nobody can judge the request whole; sizes come from reported usage only.
//!
//! ## Provider answers
//! Nothing: it is a defect of the log.
//!
//! ## Applies to
//! All APIs.
//!
//! ## Example
//! ```json
//! {"messages": [{"role": "user", "content": "The report says: 1100 degrees...[truncated]"}]}
//! ```
//!
//! ## Remedy
//! Raise the logger's limit.
//!
//! ## Sources
//! BerriAI/litellm, the limit on strings in its spend log

use super::{Findings, Rule, Scope, Severity};
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "truncated_payload",
    about: "the logger cut a text of the request",
    docs: include_str!("truncated_payload.rs"),
    texts: &[],
    hides: true,
    scope: Scope::List,
    sides: &[],
    severity: |_| Some(Severity::Info),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    if !prompt.envelope().is_lone {
        return;
    }
    let mut last = None;
    for (site, _) in prompt.marked(Marks::CUT) {
        let message = site.message;
        if last.replace(message) != Some(message) {
            let say = format!("the log cut message {message}: what was sent cannot be judged from it");
            findings.report(site.into(), Vec::new(), say);
        }
    }
}
