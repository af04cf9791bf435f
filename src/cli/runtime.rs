//! The async runtime of the verbs that wait: for the database, for requests.

use std::future::Future;

use anyhow::{Context, Result};

/// Runs an async verb to its end.
pub fn block_on<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("could not start the async runtime")?.block_on(verb)
}
