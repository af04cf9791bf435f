//! What a provider would answer, and how bad a finding is for that.

/// What a provider would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Accept,
    Depends,
    /// Part of the request is not at hand: cut or masked by the log, or kept by the server.
    Unverifiable,
    Reject,
}

impl Verdict {
    /// Every verdict, from taken to refused.
    pub const ALL: &[Verdict] = &[Verdict::Accept, Verdict::Depends, Verdict::Unverifiable, Verdict::Reject];

    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Accept => "accept",
            Verdict::Depends => "depends",
            Verdict::Unverifiable => "unverifiable",
            Verdict::Reject => "reject",
        }
    }

    /// Whether a policy may be charged for what it makes of a request with this verdict.
    pub fn is_chargeable(self) -> bool {
        matches!(self, Verdict::Accept | Verdict::Depends)
    }
}

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
