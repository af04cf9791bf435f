//! What pages and lists show of the stored sessions; no answer grows with the corpus.

use anyhow::{Context, Result};
use sqlx::types::time::OffsetDateTime;

use super::Store;
use super::body;
use crate::model::{Api, Message};

/// How much is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    pub sources: i64,
    pub sessions: i64,
    pub calls: i64,
    /// Calls that the provider refused with 400, as the logs say; `None` where no log states a status.
    pub calls_400: Option<i64>,
    pub compactions: i64,
    pub defects: i64,
}

/// One line of the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    pub id: i64,
    pub name: String,
    pub source: String,
    pub line: i32,
    pub api: String,
    pub model: Option<String>,
    pub n_messages: i32,
    pub n_calls: i32,
    pub n_calls_400: Option<i32>,
    pub n_compactions: i32,
    pub first_call_at: Option<OffsetDateTime>,
    pub last_call_at: Option<OffsetDateTime>,
}

impl Store {
    /// How much is stored.
    pub async fn overview(&self) -> Result<Overview> {
        Ok(sqlx::query_as!(
            Overview,
            r#"select (select count(*) from sources) as "sources!", count(*) as "sessions!",
                      coalesce(sum(n_calls), 0)::bigint as "calls!",
                      sum(n_calls_400)::bigint as calls_400,
                      coalesce(sum(n_compactions), 0)::bigint as "compactions!",
                      (select count(*) from defects) as "defects!"
               from sessions"#
        )
        .fetch_one(&self.pool)
        .await?)
    }

    /// Sessions, newest first; `before` is the id of the last one of the page before.
    pub async fn session_lines(&self, before: Option<i64>, limit: u32) -> Result<Vec<SessionLine>> {
        Ok(sqlx::query_as!(
            SessionLine,
            "select s.id, s.name, o.name as source, s.line, s.api, s.model, s.n_messages, s.n_calls, s.n_calls_400,
                    s.n_compactions, s.first_call_at, s.last_call_at
             from sessions s join sources o on o.id = s.source_id
             where s.id < coalesce($1, 9223372036854775807) order by s.id desc limit $2",
            before,
            i64::from(limit)
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// The sessions of that name, oldest first: one name may stand in several sources.
    pub async fn sessions_named(&self, name: &str) -> Result<Vec<SessionLine>> {
        Ok(sqlx::query_as!(
            SessionLine,
            "select s.id, s.name, o.name as source, s.line, s.api, s.model, s.n_messages, s.n_calls, s.n_calls_400,
                    s.n_compactions, s.first_call_at, s.last_call_at
             from sessions s join sources o on o.id = s.source_id where s.name = $1 order by s.id limit 100",
            name
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// The line of one session.
    pub async fn session_line(&self, id: i64) -> Result<Option<SessionLine>> {
        Ok(sqlx::query_as!(
            SessionLine,
            "select s.id, s.name, o.name as source, s.line, s.api, s.model, s.n_messages, s.n_calls, s.n_calls_400,
                    s.n_compactions, s.first_call_at, s.last_call_at
             from sessions s join sources o on o.id = s.source_id where s.id = $1",
            id
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// The messages of a session from position `from` on, at most `limit`.
    pub async fn session_messages(&self, id: i64, from: u32, limit: u32) -> Result<Vec<(u32, Message)>> {
        let rows = sqlx::query!(
            "select s.api, sm.position, m.body
             from sessions s join session_messages sm on sm.session_id = s.id join messages m on m.id = sm.message_id
             where s.id = $1 and sm.position >= $2 order by sm.position limit $3",
            id,
            super::copy::as_integer(from),
            i64::from(limit)
        );
        let mut messages = Vec::new();
        for row in rows.fetch_all(&self.pool).await? {
            let api = Api::from_id(&row.api).with_context(|| format!("session {id} has an unknown API"))?;
            messages.push((row.position as u32, body::message(api, &row.body)?));
        }
        Ok(messages)
    }
}
