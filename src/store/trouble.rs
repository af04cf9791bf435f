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
