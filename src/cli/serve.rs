//! `cutpoint serve`: the dashboard.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use clap::Args;
use tokio::net::TcpListener;

use crate::dash;
use crate::store::Store;

use super::Database;
use super::exit::Exit;
use super::runtime::serve_on;

/// Serve the dashboard
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cutpoint serve --listen 127.0.0.1:8400")]
pub struct Serve {
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    database: Database,
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
            serve(store, &self.listen).await?;
            Ok(Exit::Pass)
        })
    }
}

/// Serves the dashboard until the process is told to stop, then closes the database.
pub async fn serve(store: Store, listen: &Listen) -> Result<()> {
    let address = listen.listen;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("could not listen on {address}; name another address with --listen"))?;
    eprintln!("dashboard on http://{}; stop it with Ctrl-C", listener.local_addr()?);
    dash::serve(listener, store).await
}
