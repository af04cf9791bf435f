//! The runs that were kept, as their user orders them: found by tag, tagged, deleted.

use anyhow::{Context, Result};

use super::{Run, Store};

impl Store {
    /// The run of that tag.
    pub async fn run_tagged(&self, tag: &str) -> Result<Option<Run>> {
        let id =
            sqlx::query_scalar!("select id from replay_runs where tag = $1", tag).fetch_optional(&self.pool).await?;
        match id {
            Some(id) => self.run(id).await,
            None => Ok(None),
        }
    }

    /// Gives a run a tag that no other run has, or takes its tag away.
    pub async fn tag_run(&self, id: i64, tag: Option<&str>) -> Result<()> {
        let statement = sqlx::query!("update replay_runs set tag = $2 where id = $1", id, tag);
        statement.execute(&self.pool).await.with_context(|| format!("could not tag run {id}"))?;
        Ok(())
    }

    /// Deletes runs with all that they hold, all or none; gives how many there were.
    pub async fn delete_runs(&self, ids: &[i64]) -> Result<u64> {
        let deleted = sqlx::query!("delete from replay_runs where id = any($1)", ids).execute(&self.pool).await?;
        Ok(deleted.rows_affected())
    }
}
