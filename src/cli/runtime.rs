//! The async runtime of the verbs that wait: for the database, for requests, for Ctrl-C.

use std::future::Future;

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Runs an async verb to its end, or until Ctrl-C.
pub fn block_on<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = runtime()?;
    let ended = runtime.block_on(unless_interrupted(verb));
    // A thread that still reads or computes for an interrupted verb is not waited for.
    runtime.shutdown_background();
    ended
}

/// Waits for the end of something, or for Ctrl-C: then it is let go of, and what it had not yet stored is not stored.
pub async fn unless_interrupted<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        biased;
        _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
        ended = verb => ended,
    }
}

/// Runs a verb that computes on this machine only, to its end or until Ctrl-C.
pub fn interruptible<T: Send + 'static>(verb: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    block_on(async { tokio::task::spawn_blocking(verb).await.context("the verb failed")? })
}

/// Runs a verb that ends by itself when it is told to stop.
pub fn serve_on<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    runtime()?.block_on(verb)
}

fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().context("could not start the async runtime")
}
