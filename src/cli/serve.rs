//! `cutpoint serve`: the dashboard.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use clap::Args;
use tokio::net::TcpListener;

use crate::dash::{self, CheckMode};
use crate::store::Store;

use super::Database;
use super::exit::Exit;
use super::runtime::serve_on;

/// Serve the dashboard
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cutpoint serve --listen 127.0.0.1:8400 --check refuse")]
pub struct Serve {
    #[command(flatten)]
    listen: Listen,
    /// What `POST /api/v1/check` answers a request that its provider would refuse: `log` 200, `refuse` 422
    #[arg(long, default_value = "log", value_name = "log|refuse", value_parser = mode_of, env = "CUTPOINT_CHECK")]
    check: CheckMode,
    #[command(flatten)]
    database: Database,
}

fn mode_of(id: &str) -> Result<CheckMode, String> {
    CheckMode::from_id(id).ok_or_else(|| format!("no mode is called `{id}`; there are log, refuse"))
}

/// Where to listen.
#[derive(Clone, Debug, Args)]
pub struct Listen {
    /// The address to serve on; nobody is asked for a key, so keep it on this machine
    #[arg(long, default_value = "127.0.0.1:8400", value_name = "ADDR", env = "CUTPOINT_LISTEN")]
    pub listen: SocketAddr,
}

impl Serve {
    pub fn run(self) -> Result<Exit> {
        serve_on(async {
            let store = self.database.open().await?;
            serve(store, &self.listen, self.check).await?;
            Ok(Exit::Pass)
        })
    }
}

/// Serves the dashboard until the process is told to stop, then closes the database.
pub async fn serve(store: Store, listen: &Listen, check: CheckMode) -> Result<()> {
    let address = listen.listen;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("could not listen on {address}; name another address with --listen"))?;
    eprintln!("dashboard on http://{}; stop it with Ctrl-C", listener.local_addr()?);
    dash::serve(listener, store, check).await
}
