//! A private Postgres of our own: started by the first process that needs it, stopped by the last one that leaves.
//!
//! Two lock files carry the whole protocol; the kernel frees a lock when its holder dies, however it dies.
//! * `lease`: every client holds it shared for as long as it uses the server. Who leaves gives it up and then tries to
//!   take it exclusively: that succeeds only for the last one, who stops the server while newcomers wait at the lock.
//! * `start`: held exclusively while somebody looks whether the server runs and starts it if not.
//!
//! The server listens on a unix socket in a folder of mode 0700 and on no TCP port. After `kill -9` of either side the
//! next client finds stale files, removes those that Postgres itself would stumble over, and lets it recover. Who uses the
//! server for long looks now and then whether it is still there, and starts it again: [`Lease::keeper`].

mod account;
mod binaries;
mod disk;
mod folder;
mod server;

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use sqlx::postgres::PgConnectOptions;

use folder::Folder;

pub use disk::DiskFull;

/// The role that owns everything in the private server.
const ROLE: &str = "cutpoint";

/// The database that holds Cutpoint's tables in the private server.
pub const DATABASE: &str = "cutpoint";

/// A share in the private server: it runs at least as long as this lives.
#[derive(Debug)]
pub struct Lease {
    folder: Folder,
    shared: Option<File>,
}

/// Joins the private server whose data live under `data_dir`, or in the user's data folder; starts it if need be.
///
/// Blocks: until the server accepts connections, or until another process has finished stopping it.
pub fn join(data_dir: Option<&Path>) -> Result<Lease> {
    let folder = Folder::prepare(data_dir)?;
    let shared = open_lock(&folder.lease())?;
    shared.lock_shared().with_context(|| format!("could not lock `{}`", folder.lease().display()))?;
    let starting = open_lock(&folder.start())?;
    starting.lock().with_context(|| format!("could not lock `{}`", folder.start().display()))?;
    let lease = Lease { folder, shared: Some(shared) };
    server::ensure_running(&lease.folder).map_err(|error| lease.full_disk().map_or(error, anyhow::Error::new))?;
    Ok(lease)
}

/// Brings the server back for whoever holds a lease while this is used.
#[derive(Clone, Debug)]
pub struct Keeper {
    folder: Folder,
}

impl Keeper {
    /// Whether the server runs and can be reached; nothing is asked of it.
    pub fn is_up(&self) -> bool {
        server::is_up(&self.folder)
    }

    /// Starts the server if it is gone. Blocks until it accepts connections.
    pub fn bring_back(&self) -> Result<()> {
        let starting = open_lock(&self.folder.start())?;
        starting.lock().with_context(|| format!("could not lock `{}`", self.folder.start().display()))?;
        server::ensure_running(&self.folder)
    }
}

impl Lease {
    /// How to connect to a database of the private server.
    pub fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(&self.folder.socket)
            .port(folder::PORT)
            .username(ROLE)
            .database(database)
    }

    /// The same as a URL, for other programs.
    pub fn url(&self, database: &str) -> String {
        let socket = percent_encoded(&self.folder.socket.to_string_lossy());
        format!("postgres://{ROLE}@localhost:{}/{database}?host={socket}", folder::PORT)
    }

    /// What brings the server back as long as this lease is held.
    pub fn keeper(&self) -> Keeper {
        Keeper { folder: self.folder.clone() }
    }

    /// Says so where an error may come from a full disk.
    pub fn full_disk(&self) -> Option<DiskFull> {
        disk::full(&self.folder.data())
    }

    /// Gives up the share; stops the server if nobody else holds one. Blocks until it has stopped.
    pub fn leave(mut self) -> Result<()> {
        self.give_up()
    }

    fn give_up(&mut self) -> Result<()> {
        let Some(shared) = self.shared.take() else { return Ok(()) };
        drop(shared);
        let last = open_lock(&self.folder.lease())?;
        match last.try_lock() {
            Ok(()) => server::stop(&self.folder),
            Err(TryLockError::WouldBlock) => Ok(()),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("could not lock `{}`", self.folder.lease().display()))
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Err(error) = self.give_up() {
            tracing::warn!(error = crate::store::told(&error), "could not stop the embedded Postgres");
        }
    }
}

fn open_lock(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("could not open the lock file `{}`", path.display()))
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
