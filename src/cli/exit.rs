//! How a run ends.

use std::process::ExitCode;

use anyhow::Error;

use crate::cell::SpecError;
use crate::source;
use crate::sweep::UnknownWindow;

use super::runtime::Interrupted;

/// How a run ends that did what it was asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Pass,
    /// The data failed: there are findings.
    DataFailed,
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> ExitCode {
        match self {
            Exit::Pass => ExitCode::SUCCESS,
            Exit::DataFailed => ExitCode::from(100),
        }
    }
}

/// The user asked for something that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// What the user asked for holds nothing.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NothingSelected(pub String);

/// The exit code of a run that failed.
pub fn code(error: &Error) -> ExitCode {
    if is_usage(error) {
        ExitCode::from(2)
    } else if crate::store::is_unavailable(error) {
        ExitCode::from(3)
    } else if error.is::<NothingSelected>() {
        ExitCode::from(4)
    } else if error.is::<Interrupted>() {
        ExitCode::from(130)
    } else {
        ExitCode::from(1)
    }
}

fn is_usage(error: &Error) -> bool {
    error.is::<Usage>() || error.is::<source::Error>() || error.is::<SpecError>() || error.is::<UnknownWindow>()
}
