//! A server shared by all tests of this package and a database for each of them.
//!
//! The runner may start each test in a process of its own: then the lock files of the embedded server are what keeps it
//! up for as long as any test runs.

use std::path::PathBuf;

use cutpoint::store::{self, Database, Store, embedded};
use sqlx::postgres::PgConnectOptions;

/// A fresh, migrated database; the server may stop when this goes.
pub struct Fresh {
    pub store: Store,
    pub options: PgConnectOptions,
    url: String,
    pub lease: embedded::Lease,
}

impl Fresh {
    /// The database named after the calling test.
    pub async fn database(test: &str) -> Fresh {
        let lease = tokio::task::spawn_blocking(|| embedded::join(Some(&server_folder()))).await.unwrap().unwrap();
        let name = format!("test_{test}");
        let psql = |database: &str| lease.options(database);
        drop_database(&psql("postgres"), &name).await;
        store::ensure_database(&psql(&name)).await.unwrap();
        let url = lease.url(&name);
        let store = open(&url).await;
        Fresh { store, options: psql(&name), url, lease }
    }

    /// The database, opened once more.
    pub async fn reopened(&self) -> Store {
        open(&self.url).await
    }
}

async fn open(url: &str) -> Store {
    store::connect(&Database { url: Some(url.to_owned()), ..Database::default() }).await.unwrap()
}

/// Where the shared server lives; `script/test` names it and removes it afterwards.
fn server_folder() -> PathBuf {
    match std::env::var_os("CUTPOINT_TEST_DATA_DIR") {
        Some(folder) => folder.into(),
        None => {
            let user = std::env::var("USER").unwrap_or_default();
            std::env::temp_dir().join(format!("cutpoint-tests-{user}"))
        }
    }
}

async fn drop_database(options: &PgConnectOptions, name: &str) {
    use sqlx::{ConnectOptions, Connection, Executor};
    store::ensure_database(options).await.unwrap();
    let mut connection = options.connect().await.unwrap();
    let statement = format!("drop database if exists \"{name}\" with (force)");
    connection.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
    connection.close().await.unwrap();
}

/// A data folder for one test's own server; short, because sockets live in it, and open to the server's account.
pub fn folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(0o755);
    tempfile::Builder::new().prefix("cutpoint-").permissions(permissions).tempdir_in("/tmp").unwrap()
}
