//! Our own Postgres, kept up while somebody uses it for long: killed from outside, it is started again.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Result;

use super::embedded::{Keeper, Lease};
use super::{Store, told};

/// How often to look whether the server is still there.
const LOOK: Duration = Duration::from_millis(500);

/// How long to wait after a start that failed.
const PAUSE: Duration = Duration::from_secs(5);

/// What is known of the server.
#[derive(Debug, Default)]
pub struct Upkeep {
    /// It was found gone, and has not answered since.
    was_gone: AtomicBool,
}

impl Store {
    /// Starts our own Postgres again whenever it is gone; never ends. A database of the user's is left to the user.
    pub async fn keep_up(&self) {
        let Some(keeper) = self.lease.as_ref().map(Lease::keeper) else { return std::future::pending().await };
        loop {
            tokio::time::sleep(LOOK).await;
            if let Err(error) = self.look_after(&keeper).await {
                tracing::error!(error = told(&error), "could not start the embedded Postgres again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Whether our own Postgres is gone, or not yet back.
    pub async fn is_coming_back(&self) -> bool {
        match self.lease.as_ref().map(Lease::keeper) {
            Some(keeper) => self.was_gone() || !is_up(&keeper).await,
            None => false,
        }
    }

    async fn look_after(&self, keeper: &Keeper) -> Result<()> {
        let is_up = is_up(keeper).await;
        if is_up && !self.was_gone() {
            return Ok(());
        }
        if !is_up {
            tracing::warn!("the embedded Postgres is gone; starting it again");
            self.upkeep.was_gone.store(true, Relaxed);
            let keeper = keeper.clone();
            tokio::task::spawn_blocking(move || keeper.bring_back()).await??;
        }
        self.ping().await?;
        self.upkeep.was_gone.store(false, Relaxed);
        tracing::info!("the embedded Postgres is back");
        Ok(())
    }

    fn was_gone(&self) -> bool {
        self.upkeep.was_gone.load(Relaxed)
    }
}

async fn is_up(keeper: &Keeper) -> bool {
    let keeper = keeper.clone();
    tokio::task::spawn_blocking(move || keeper.is_up()).await.unwrap_or(false)
}
