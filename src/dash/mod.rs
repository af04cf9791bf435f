//! The dashboard: pages over what the store holds, rendered here, working without JavaScript.
//!
//! [`router`] answers everything and can be called without a socket; [`serve`] listens. A page is described in
//! `dashboards/<page>.toml` (which panels, from which figure) and laid out by the template beside it. The URL is the
//! whole state of a page, and a page's path with `.csv` or `.json` gives its figures.

mod assets;
mod content;
mod csv;
mod error;
mod figures;
mod headers;
mod health;
mod overview;
mod page;
mod params;
mod rules;
mod run;
mod runs;
mod session;
mod sessions;
mod strip;

use std::future::Future;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::middleware;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::store::Store;

pub use error::Error;

/// Where the dashboard listens unless told otherwise: this machine only.
pub const LISTEN: &str = "127.0.0.1:8400";

/// Every page, asset and probe over a store.
pub fn router(store: Arc<Store>) -> Router {
    Router::new()
        .route("/", get(overview::show))
        .route("/runs", get(runs::list))
        .route("/runs/{run}", get(run::show))
        .route("/runs/{run}/overshoot.csv", get(run::overshoot_csv))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{session}", get(session::show))
        .route("/sessions/{session}/messages/{message}", get(session::message))
        .route("/rules", get(rules::list))
        .route("/rules/{rule}", get(rules::show))
        .route("/style.css", get(assets::style))
        .route("/icon.svg", get(assets::icon))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(|| async { Error::NotFound("There is no page at this address.".to_owned()) })
        .with_state(store)
        .layer(middleware::from_fn(headers::secure))
        .layer(middleware::from_fn(headers::log))
}

/// Answers requests until `shutdown` is done, then finishes those under way.
pub async fn serve(
    listener: TcpListener,
    store: Arc<Store>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let address = listener.local_addr().context("could not read the address that the dashboard listens on")?;
    tracing::info!(address = %address, "dashboard listening");
    let serving = axum::serve(listener, router(store)).with_graceful_shutdown(shutdown);
    serving.await.context("could not serve the dashboard")?;
    tracing::info!("dashboard stopped");
    Ok(())
}

/// Done when the process is asked to stop, by SIGINT or SIGTERM.
pub async fn stop_signal() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return tokio::signal::ctrl_c().await.unwrap_or_default();
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
