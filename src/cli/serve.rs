//! `cutpoint serve`: the dashboard.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use clap::Args;
use tokio::net::TcpListener;

use crate::dash::{self, CheckMode, Settings};
use crate::store::Store;

use super::Database;
use super::exit::Exit;
use super::runtime::serve_on;

/// Serve the dashboard
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cutpoint serve --listen 127.0.0.1:8400 --check refuse\n  cutpoint serve --allow-host cutpoint.example.com"
)]
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

/// Where to listen, and under which names.
#[derive(Clone, Debug, Args)]
pub struct Listen {
    /// The address to serve on; nobody is asked to log in, so it has to be one of this machine's own
    #[arg(
        long, default_value = "127.0.0.1:8400", value_name = "ADDR", value_parser = loopback, env = "CUTPOINT_LISTEN"
    )]
    listen: SocketAddr,
    /// A further name under which to serve, as a proxy on this machine passes it on; repeatable
    #[arg(long = "allow-host", value_name = "NAME", value_delimiter = ',', env = "CUTPOINT_ALLOW_HOST")]
    allowed_hosts: Vec<String>,
}

/// An address that only this machine reaches.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr =
        text.parse().map_err(|_| format!("`{text}` is no address with a port; write it like 127.0.0.1:8400"))?;
    if address.ip().to_canonical().is_loopback() {
        return Ok(address);
    }
    let own = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port());
    Err(format!(
        "the dashboard has no login yet, and other machines could read every stored session at {address}; listen on \
         {own} and reach it through `ssh -L`, or through a proxy on this machine that asks for a login"
    ))
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
    let settings = Settings { check, allowed_hosts: listen.allowed_hosts.clone(), ..Settings::default() };
    dash::serve(listener, store, &settings).await
}
