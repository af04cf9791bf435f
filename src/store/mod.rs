//! Every SQL statement: rows in, model out.
//!
//! [`connect`] finds the database, a given one or our own [`embedded`] Postgres, and brings its tables up to date.
//! One function answers one question; statements are checked against the migrations when the crate is built.

pub mod embedded;

mod add;
mod body;
mod copy;
mod load;
mod named;
mod pack;
mod pages;
mod runs;
mod shelf;
mod sources;
mod trouble;
mod upkeep;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor};
use thiserror::Error;

use embedded::Lease;
pub use embedded::{DATABASE, DiskFull};

pub use add::Added;
pub use load::StoredSession;
pub use pack::{Ordinals, Packed};
pub use pages::{Overview, SessionLine};
pub use runs::{NewRun, OutcomeLine, Run, RunCell, RunWriter, StoredCut};
pub use sources::{Source, StoredDefect};
pub use trouble::{is_unavailable, told};
use upkeep::Upkeep;

static MIGRATIONS: Migrator = sqlx::migrate!();

/// SQLSTATE: the server starts, stops or recovers; it will answer soon.
const CANNOT_CONNECT_NOW: &str = "57P03";

/// SQLSTATE: there is no database of that name.
const INVALID_CATALOG_NAME: &str = "3D000";

/// How long a server may say that it is not ready yet.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long to wait for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Which database to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    /// A Postgres of the user's; `None` means our own.
    pub url: Option<String>,
    /// Where our own keeps its data; `None` means the user's data folder.
    pub data_dir: Option<PathBuf>,
    /// The name of the database in our own.
    pub name: &'static str,
}

impl Default for Database {
    fn default() -> Database {
        Database { url: None, data_dir: None, name: DATABASE }
    }
}

/// The database cannot be reached, or our own cannot be started.
#[derive(Debug, Error)]
#[error("the database is not available")]
pub struct Unavailable;

/// The address of the database is none of a Postgres.
#[derive(Debug, Error)]
#[error("the database address is none of a Postgres ({0}); write it like postgres://user@host/database")]
pub struct BadUrl(String);

/// An open database, its tables up to date.
#[derive(Debug)]
pub struct Store {
    pool: PgPool,
    lease: Option<Lease>,
    upkeep: Upkeep,
}

/// Opens the database and brings its tables up to date; starts our own Postgres where none is given.
pub async fn connect(database: &Database) -> Result<Store> {
    let (lease, options) = match &database.url {
        Some(url) => (None, options(url)?),
        None => join(database).await.map(|(lease, options)| (Some(lease), options))?,
    };
    let options = options.application_name("cutpoint").disable_statement_logging();
    match open(options, lease.is_some()).await {
        Ok(pool) => Ok(Store { pool, lease, upkeep: Upkeep::default() }),
        Err(error) => Err(trouble::explained(error, lease.as_ref())),
    }
}

async fn open(options: PgConnectOptions, is_our_own: bool) -> Result<PgPool> {
    if is_our_own {
        ensure_database(&options).await.context(Unavailable)?;
    } else {
        try_to_reach(&options).await.context(Unavailable)?;
    }
    let pool = PgPoolOptions::new().max_connections(8).acquire_timeout(ACQUIRE_TIMEOUT).connect_lazy_with(options);
    MIGRATIONS.run(&pool).await.map_err(not_migrated)?;
    Ok(pool)
}

/// Why the tables are not as this build needs them, and what to do about tables of another build.
fn not_migrated(error: MigrateError) -> anyhow::Error {
    let foreign = matches!(error, MigrateError::VersionMismatch(_) | MigrateError::VersionMissing(_));
    let remedy = if foreign {
        "; they were made by another build of cutpoint: use that one, or an empty database (--database-url) or data \
         folder (--data-dir)"
    } else {
        ""
    };
    anyhow::Error::new(error).context(format!("could not bring the database's tables up to date{remedy}"))
}

impl Store {
    /// Closes the connections; stops our own Postgres if nobody else uses it.
    pub async fn close(self) -> Result<()> {
        let Store { pool, lease, .. } = self;
        pool.close().await;
        match lease {
            Some(lease) => tokio::task::spawn_blocking(|| lease.leave()).await?,
            None => Ok(()),
        }
    }

    /// The same after something was done with it, which it gives back; a failure of that is told before one of closing, and
    /// as what it comes from.
    pub async fn close_after<T>(self, done: Result<T>) -> Result<T> {
        let done = done.map_err(|error| trouble::explained(error, self.lease.as_ref()));
        let closed = self.close().await;
        let done = done?;
        closed.map(|()| done)
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        sqlx::query!("select 1 as one").fetch_one(&self.pool).await.context(Unavailable)?;
        Ok(())
    }

    /// A URL under which other programs reach this database, where it is our own.
    pub fn embedded_url(&self) -> Option<String> {
        self.lease.as_ref().map(|lease| lease.url(embedded::DATABASE))
    }
}

fn options(url: &str) -> Result<PgConnectOptions, BadUrl> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(BadUrl("it begins neither postgres:// nor postgresql://".to_owned()));
    }
    PgConnectOptions::from_str(url).map_err(|error| BadUrl(error.to_string()))
}

/// Connects once: the pool would try for as long as it may wait, even where nobody listens.
async fn try_to_reach(options: &PgConnectOptions) -> Result<()> {
    let tried = tokio::time::timeout(ACQUIRE_TIMEOUT, options.connect()).await;
    let connection = tried
        .with_context(|| format!("Postgres at {} does not answer", place(options)))?
        .with_context(|| format!("could not connect to Postgres at {}", place(options)))?;
    Ok(connection.close().await?)
}

async fn join(database: &Database) -> Result<(Lease, PgConnectOptions)> {
    let data_dir = database.data_dir.clone();
    let lease = tokio::task::spawn_blocking(move || embedded::join(data_dir.as_deref())).await?.context(Unavailable)?;
    let options = lease.options(database.name);
    Ok((lease, options))
}

/// Makes the database if the server has none of that name yet; waits while the server recovers.
pub async fn ensure_database(options: &PgConnectOptions) -> Result<()> {
    let name = options.get_database().unwrap_or(DATABASE).to_owned();
    let since = Instant::now();
    loop {
        match options.connect().await {
            Ok(connection) => return Ok(connection.close().await?),
            Err(error) if state(&error) == Some(INVALID_CATALOG_NAME.into()) => {
                return create_database(options, &name).await;
            }
            Err(error) if state(&error) == Some(CANNOT_CONNECT_NOW.into()) && since.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => return Err(error).context("could not connect to the embedded Postgres"),
        }
    }
}

async fn create_database(options: &PgConnectOptions, name: &str) -> Result<()> {
    let mut connection = options.clone().database("postgres").connect().await?;
    let quoted = name.replace('"', "\"\"");
    let created = connection.execute(sqlx::AssertSqlSafe(format!("create database \"{quoted}\""))).await;
    connection.close().await?;
    match created {
        // Another process was faster: "already exists", or it collided in the catalogue.
        Err(error) if [Some("42P04".into()), Some("23505".into())].contains(&state(&error)) => Ok(()),
        other => other.map(drop).with_context(|| format!("could not make the database `{name}`")),
    }
}

fn state(error: &sqlx::Error) -> Option<std::borrow::Cow<'_, str>> {
    error.as_database_error()?.code()
}

fn place(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => format!("`{}`", socket.display()),
        None => format!("`{}:{}`", options.get_host(), options.get_port()),
    }
}
