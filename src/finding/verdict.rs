//! What a provider would answer, and how bad a finding is for that.

use crate::model::Verdict;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the request is taken.
    Info,
    /// The target, the model or the day decides, and the request does not settle which.
    Warning,
    /// The provider answers 400.
    Error,
}

impl Severity {
    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// The verdict on a request whose worst finding is this bad.
    pub fn verdict(self) -> Verdict {
        match self {
            Severity::Info => Verdict::Accept,
            Severity::Warning => Verdict::Depends,
            Severity::Error => Verdict::Reject,
        }
    }
}
