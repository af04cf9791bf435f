//! What errors of the database come from: it cannot be reached, or the disk is full.

use anyhow::Error;

use super::embedded::{DiskFull, Lease};
use super::{BadUrl, Unavailable};

/// SQLSTATEs, by how they begin, of a server that refuses all work for now: no connection, no room on the disk, too many
/// clients, on its way up or down.
const REFUSES_WORK: &[&str] = &["08", "53100", "53300", "57P01", "57P02", "57P03"];

/// Whether an error means that the database cannot be reached or cannot work: exit code 3 instead of 1.
pub fn is_unavailable(error: &Error) -> bool {
    error.is::<Unavailable>() || error.is::<DiskFull>() || of_database(error).is_some_and(is_gone)
}

/// An error with its causes in one line, each told once: some tell what they come from themselves.
pub fn told(error: &Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !line.ends_with(&cause) {
            line = if line.is_empty() { cause } else { format!("{line}: {cause}") };
        }
    }
    line
}

fn of_database(error: &Error) -> Option<&sqlx::Error> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn is_gone(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(said) => {
            said.code().is_some_and(|code| REFUSES_WORK.iter().any(|known| code.starts_with(known)))
        }
        _ => false,
    }
}

/// The same error, or that the disk is full where it comes from that.
pub fn explained(error: Error, lease: Option<&Lease>) -> Error {
    if error.is::<BadUrl>() || !(is_unavailable(&error) || of_database(&error).is_some()) {
        return error;
    }
    match lease.and_then(Lease::full_disk) {
        Some(full) => {
            tracing::debug!(error = format!("{error:#}"), "the disk is full");
            full.into()
        }
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let broken = || io::Error::from_raw_os_error(32);
        let cause = broken().to_string();
        let error = Error::new(sqlx::Error::Io(broken())).context("could not store the batch");
        assert_eq!(told(&error), format!("could not store the batch: error communicating with database: {cause}"));
        let plain = Error::new(broken()).context("could not write `a`").context("the verb failed");
        assert_eq!(told(&plain), format!("the verb failed: could not write `a`: {cause}"));
    }

    #[test]
    fn a_connection_that_broke_off_is_no_trouble_of_ours() {
        let eof = || sqlx::Error::Io(io::ErrorKind::UnexpectedEof.into());
        assert!(is_unavailable(&Error::new(eof()).context("could not commit the run")));
        assert!(is_unavailable(&sqlx::Error::PoolTimedOut.into()));
        assert!(!is_unavailable(&sqlx::Error::RowNotFound.into()));
        assert!(!is_unavailable(&Error::new(io::Error::from(io::ErrorKind::UnexpectedEof))));
    }
}
