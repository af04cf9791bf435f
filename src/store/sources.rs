//! Where sessions came from, and what could not be read there.

use anyhow::{Context, Result};
use sqlx::PgConnection;

use super::Store;
use super::body::Hash;
use super::copy::{Rows, as_bigint, storable};
use crate::model::{Defect, Time};

/// Reasons are kept up to this many characters.
const REASON_MAX: usize = 2_000;

/// A file or stream that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub id: i64,
    pub name: String,
    pub bytes: Option<i64>,
    pub first_read_at: Time,
    pub last_read_at: Time,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDefect {
    pub id: i64,
    pub source: String,
    pub line: i64,
    pub reason: String,
    pub found_at: Time,
}

impl Store {
    /// The source that was read to the end with just these bytes, if there is one.
    pub async fn source_of_content(&self, hash: &Hash) -> Result<Option<Source>> {
        Ok(sqlx::query_as!(
            Source,
            "select id, name, bytes, first_read_at, last_read_at from sources where content_hash = $1
             order by last_read_at desc limit 1",
            hash
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Makes a source known and forgets what could not be read in it before.
    pub async fn begin_source(&self, name: &str) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        let id = sqlx::query_scalar!(
            "insert into sources (name) values ($1)
             on conflict (name) do update set last_read_at = now(), content_hash = null returning id",
            storable(name)
        )
        .fetch_one(&mut *transaction)
        .await?;
        sqlx::query!("delete from defects where source_id = $1", id).execute(&mut *transaction).await?;
        transaction.commit().await.with_context(|| format!("could not store the source `{name}`"))
    }

    /// Notes that a source was read to its end, with what content.
    pub async fn finish_source(&self, name: &str, hash: &Hash, bytes: u64) -> Result<()> {
        sqlx::query!(
            "update sources set content_hash = $2, bytes = $3, last_read_at = now() where name = $1",
            storable(name),
            hash,
            as_bigint(bytes)
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Keeps what could not be read; the sources must be known.
    pub async fn add_defects(&self, defects: &[Defect]) -> Result<u64> {
        let mut transaction = self.pool.begin().await?;
        let added = copy_defects(&mut transaction, defects).await?;
        transaction.commit().await?;
        Ok(added)
    }

    /// What could not be read, newest first; `before` is the id of the last one of the page before.
    pub async fn defects(&self, before: Option<i64>, limit: u32) -> Result<Vec<StoredDefect>> {
        Ok(sqlx::query_as!(
            StoredDefect,
            "select d.id, o.name as source, d.line, d.reason, d.found_at
             from defects d join sources o on o.id = d.source_id
             where d.id < coalesce($1, 9223372036854775807) order by d.id desc limit $2",
            before,
            i64::from(limit)
        )
        .fetch_all(&self.pool)
        .await?)
    }
}

async fn copy_defects(connection: &mut PgConnection, defects: &[Defect]) -> Result<u64> {
    let names: Vec<String> = defects.iter().map(|defect| storable(&defect.place.source)).collect();
    let ids = sqlx::query_scalar!(
        r#"select o.id from unnest($1::text[]) with ordinality as n (name, position) join sources o on o.name = n.name
           order by n.position"#,
        &names
    )
    .fetch_all(&mut *connection)
    .await?;
    anyhow::ensure!(ids.len() == defects.len(), "a defect stands in a source that is not known to the database");
    let mut rows = Rows::new(3);
    for (id, defect) in ids.iter().zip(defects) {
        let reason: String = defect.reason.chars().take(REASON_MAX).collect();
        rows.row().bigint(*id).bigint(i64::from(defect.place.line)).text(&reason);
    }
    rows.send(connection, "copy defects (source_id, line, reason) from stdin (format binary)").await
}
