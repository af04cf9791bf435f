//! Probes: whether the process lives, and whether it can answer pages.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;

use crate::store::Store;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The process lives.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// The database answers in time.
pub async fn ready(State(store): State<Arc<Store>>) -> (StatusCode, &'static str) {
    if store.is_coming_back().await {
        return (StatusCode::SERVICE_UNAVAILABLE, "the database is gone; it is being started again\n");
    }
    match tokio::time::timeout(PATIENCE, store.ping()).await {
        Ok(Ok(())) => (StatusCode::OK, "ready\n"),
        Ok(Err(error)) => {
            tracing::warn!(error = crate::store::told(&error), "database does not answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
        }
        Err(_) => {
            tracing::warn!("database took too long to answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the database takes too long to answer\n")
        }
    }
}
