//! # `context_window_exceeded`
//!
//! The request does not fit the model's window.
//!
//! ## Finds
//! A lone request whose tokens, output reserve included, are more than the model's window. The tokens are our own count,
//! so it is a warning; in a replay this is the overflow kind of refusal, counted apart from the structural ones.
//!
//! ## Provider answers
//! Anthropic: "prompt is too long: A tokens > B maximum"; "input length and `max_tokens` exceed context limit". OpenAI:
//! `context_length_exceeded`.
//!
//! ## Applies to
//! All APIs, for models whose window the catalog knows.
//!
//! ## Example
//! ```json
//! {"model": "gpt-4", "max_tokens": 8190, "messages": [{"role": "user", "content": "How hot is the kiln?"}]}
//! ```
//!
//! ## Remedy
//! Compact, or reserve less output.
//!
//! ## Sources
//! 0xku/kon#91; aaif-goose/goose#3635

use super::{Findings, Load, Place, Rule, Scope, Severity, Side, Verdict};
use crate::transcript::Prompt;

pub(super) const RULE: Rule = Rule {
    id: "context_window_exceeded",
    about: "the request does not fit the model's window",
    docs: include_str!("context_window_exceeded.rs"),
    texts: &[],
    hides: false,
    scope: Scope::List,
    sides: &[
        Side { target: "if the provider counts fewer tokens than we do", verdict: Verdict::Accept },
        Side { target: "if it counts as we do", verdict: Verdict::Reject },
    ],
    severity: |_| Some(Severity::Warning),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    let Some(load) = findings.load(prompt) else { return };
    if load.total > load.window {
        let (about, severity) = if load.is_exact { ("", Severity::Error) } else { ("about ", Severity::Warning) };
        let Load { total, window, .. } = load;
        let say = format!(
            "{about}{total} tokens with the output reserve do not fit the model's window of {window}: compact by {}",
            total - window
        );
        findings.report_as(severity, Place::REQUEST, Vec::new(), say);
    }
}
