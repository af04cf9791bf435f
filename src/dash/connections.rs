//! What a socket brings: connections, each bounded in time while it sends, and all of them in number.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The most connections at a time; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 1_000;

/// How long to wait where the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a client may take to send.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The head of a request, from when the connection waits for it: an idle connection is closed after as long.
    pub head: Duration,
    /// The body, from when its head is here.
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { head: Duration::from_secs(10), body: Duration::from_secs(30) }
    }
}

/// Answers the requests of every connection until `shutdown` is done, then finishes those under way.
pub async fn answer(listener: TcpListener, router: Router, patience: Patience, shutdown: impl Future<Output = ()>) {
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let (graceful, mut open, mut shutdown) = (GracefulShutdown::new(), JoinSet::new(), pin!(shutdown));
    loop {
        let socket = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = open.join_next(), if !open.is_empty() => continue,
            socket = accept(&listener), if open.len() < CONNECTIONS_MAX => socket,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(socket), service));
        open.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
            }
        });
    }
    drop(listener);
    graceful.shutdown().await;
    while open.join_next().await.is_some() {}
}

/// The next connection, waited for while the system has no room for one.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => return socket,
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
