//! The dashboard: pages over what the store holds, rendered here, working without JavaScript.
//!
//! [`router`] answers everything and can be called without a socket; [`serve`] answers what a socket brings. A page is described in
//! `dashboards/<page>.toml` (which panels, from which figure) and laid out by the template beside it. The URL is the
//! whole state of a page, and a page's path with `.csv` or `.json` gives its figures.

mod access;
mod assets;
mod body;
mod check;
mod connections;
mod content;
mod csv;
mod error;
mod extract;
mod figures;
mod headers;
mod health;
mod mistake;
mod overview;
mod page;
mod params;
mod prose;
mod rules;
mod run;
mod runs;
mod session;
mod sessions;
mod strip;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::middleware;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::store::Store;

pub use access::Hosts;
pub use check::{Mode as CheckMode, router as check_router};
pub use connections::Patience;
pub use error::Error;

/// How long requests under way may take once the dashboard is told to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// How the dashboard answers.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What a request is answered that asks for no mode and that the provider would refuse.
    pub check: CheckMode,
    /// The names that are served besides the address that is listened on and this machine's own.
    pub allowed_hosts: Vec<String>,
    pub patience: Patience,
}

/// Every page, asset and probe over a store, and the service that checks requests.
pub fn router(store: Arc<Store>) -> Router {
    router_with(store, &Settings::default(), Hosts::default())
}

/// The same with settings, served under some names only.
pub fn router_with(store: Arc<Store>, settings: &Settings, hosts: Hosts) -> Router {
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
        .merge(check::router_patient(settings.check, settings.patience))
        .fallback(|| async { Error::NotFound("There is no page at this address.".to_owned()) })
        .with_state(store)
        .layer(middleware::from_fn_with_state(Arc::new(hosts), access::guard))
        .layer(middleware::from_fn(headers::secure))
        .layer(middleware::from_fn(headers::log))
}

/// Answers requests until the process is told to stop, then closes the database.
pub async fn serve(listener: TcpListener, store: Store, settings: &Settings) -> Result<()> {
    serve_until(listener, store, settings, stop_signal()).await
}

/// Answers requests until `shutdown` is done, finishes those under way, then closes the database.
pub async fn serve_until(
    listener: TcpListener,
    store: Store,
    settings: &Settings,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    let address = listener.local_addr().context("could not read the address that the dashboard listens on")?;
    tracing::debug!(%address, "dashboard listening");
    let store = Arc::new(store);
    let (stopping, stopped) = oneshot::channel();
    let shutdown = async {
        shutdown.await;
        // The receiver is gone only when nothing is being served any more.
        let _ = stopping.send(());
    };
    let hosts = Hosts::new(address.ip(), &settings.allowed_hosts);
    let router = router_with(store.clone(), settings, hosts);
    tokio::select! {
        () = connections::answer(listener, router, settings.patience, shutdown) => {}
        () = store.keep_up() => {}
        () = patience(stopped) => tracing::warn!("requests under way were cut off"),
    }
    tracing::info!("dashboard stopped");
    match Arc::into_inner(store) {
        Some(store) => store.close().await,
        None => Ok(()),
    }
}

/// Done some time after the dashboard was told to stop.
async fn patience(stopped: oneshot::Receiver<()>) {
    match stopped.await {
        Ok(()) => tokio::time::sleep(PATIENCE).await,
        Err(_) => std::future::pending().await,
    }
}

/// Done when the process is asked to stop, by SIGINT or SIGTERM.
async fn stop_signal() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return tokio::signal::ctrl_c().await.unwrap_or_default();
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
