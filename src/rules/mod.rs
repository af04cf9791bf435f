//! What providers refuse: one file a rule, each a constant in [`RULES`].
//!
//! A rule looks at one prompt and reports findings. It knows neither the log a prompt came from nor the policy that made
//! it, and it never looks at another call: whatever needs history is a fact of the transcript.

use crate::model::Api;
use crate::transcript::{IdNo, Prompt};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the request is taken.
    Info,
    /// Taken by the provider itself, refused by strict relatives.
    Warning,
    /// The target or the model decides, and the request does not settle which.
    Depends,
    /// The provider answers 400.
    Error,
}

impl Severity {
    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Depends => "depends",
            Severity::Error => "error",
        }
    }
}

/// Something that a provider refuses.
pub struct Rule {
    /// Its stable name, as in findings, URLs and `cutpoint explain`.
    pub id: &'static str,
    /// One sentence: what it finds.
    pub about: &'static str,
    /// The rule's documentation, which `cutpoint explain` prints: what it finds, why, example, remedy, sources.
    pub docs: &'static str,
    pub scope: Scope,
    /// How bad it is for a target; `None` where the rule does not apply.
    pub severity: fn(&Target) -> Option<Severity>,
    pub check: fn(&Prompt, &mut Findings),
}

/// A rule broken at one place of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub severity: Severity,
    /// Position in the API's own list; `None` where the request as a whole is meant.
    pub message: Option<u32>,
    /// Position of the block inside that message.
    pub block: Option<u32>,
    /// The ids it is about.
    pub ids: Vec<IdNo>,
    /// What is wrong here and what to do, in one sentence.
    pub say: String,
}

/// Collects what one rule finds on one prompt.
pub struct Findings {
    pub found: Vec<Finding>,
}

/// How far a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The message and its neighbours up to the end of the next turn: a later message may heal or reveal the fault.
    Neighbours,
    /// The list from its head up to the message: what follows never changes the finding.
    List,
}

/// Whom a request is judged for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub api: Api,
    pub model: Option<&'a str>,
}

/// What a provider would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Accept,
    Depends,
    Reject,
}

/// Every rule, in the order in which help and pages list them.
pub const RULES: &[Rule] = &[];

/// The findings of every rule on one prompt, in the order of the list.
pub fn check(_prompt: &Prompt, _target: &Target) -> Vec<Finding> {
    Vec::new()
}

/// The rule of that id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}
