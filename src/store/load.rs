//! Sessions out of the tables, whole, as replay wants them.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::mpsc::Sender;

use super::Store;
use super::body;
use crate::model::{Api, Compaction, Judged, Origin, Place, Reply, Session, SessionCall, Time, Usage, Verdict};
use crate::rules;

/// How many sessions are read at once.
const PAGE: u32 = 64;

/// A session and its number in the database.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSession {
    pub id: i64,
    pub session: Session,
}

/// The facts of a session that stand in its own row.
struct Head {
    id: i64,
    source: String,
    line: i32,
    name: String,
    parent: Option<String>,
    api: String,
    model: Option<String>,
}

/// Rows of one page, by session.
struct Contents {
    messages: HashMap<i64, Vec<Vec<u8>>>,
    prefaces: HashMap<i64, Vec<Vec<u8>>>,
    envelopes: HashMap<i64, Vec<Vec<u8>>>,
    calls: HashMap<i64, Vec<SessionCall>>,
    compactions: HashMap<i64, Vec<CompactionRow>>,
}

struct CompactionRow {
    session_id: i64,
    call: i32,
    origin: String,
    trigger: Option<String>,
    tokens_before: Option<i64>,
    tokens_after: Option<i64>,
    evicted: Vec<i32>,
    inserted: Vec<u8>,
    time: Option<Time>,
}

impl Store {
    /// The sessions that follow number `after`, in the order of their numbers.
    pub async fn load_sessions(&self, after: i64, limit: u32) -> Result<Vec<StoredSession>> {
        let heads = sqlx::query_as!(
            Head,
            "select s.id, o.name as source, s.line, s.name, s.parent, s.api, s.model
             from sessions s join sources o on o.id = s.source_id where s.id > $1 order by s.id limit $2",
            after,
            i64::from(limit)
        )
        .fetch_all(&self.pool)
        .await?;
        self.fill(heads).await
    }

    /// The session of that number, whole.
    pub async fn load_session(&self, id: i64) -> Result<Option<Session>> {
        let heads = sqlx::query_as!(
            Head,
            "select s.id, o.name as source, s.line, s.name, s.parent, s.api, s.model
             from sessions s join sources o on o.id = s.source_id where s.id = $1",
            id
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(self.fill(heads).await?.pop().map(|stored| stored.session))
    }

    /// Sends every session through a channel, in the order of their numbers; stops early if nobody listens any more.
    pub async fn stream_sessions(&self, sender: &Sender<StoredSession>) -> Result<()> {
        let mut after = 0;
        loop {
            let page = self.load_sessions(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            for stored in page {
                if sender.send(stored).await.is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn fill(&self, heads: Vec<Head>) -> Result<Vec<StoredSession>> {
        let ids: Vec<i64> = heads.iter().map(|head| head.id).collect();
        let mut contents = Contents {
            messages: self.message_bodies(&ids).await?,
            prefaces: self.preface_bodies(&ids).await?,
            envelopes: self.envelope_bodies(&ids).await?,
            calls: self.calls(&ids).await?,
            compactions: self.compactions(&ids).await?,
        };
        let build = move || heads.into_iter().map(|head| whole(head, &mut contents)).collect();
        tokio::task::spawn_blocking(build).await?
    }

    async fn message_bodies(&self, ids: &[i64]) -> Result<HashMap<i64, Vec<Vec<u8>>>> {
        let rows = sqlx::query!(
            "select sm.session_id, m.body from session_messages sm join messages m on m.id = sm.message_id
             where sm.session_id = any($1) order by sm.session_id, sm.position",
            ids
        );
        let rows = rows.fetch_all(&self.pool).await?;
        Ok(by_session(rows.into_iter().map(|row| (row.session_id, row.body))))
    }

    async fn preface_bodies(&self, ids: &[i64]) -> Result<HashMap<i64, Vec<Vec<u8>>>> {
        let rows = sqlx::query!(
            "select sp.session_id, p.body from session_prefaces sp join prefaces p on p.id = sp.preface_id
             where sp.session_id = any($1) order by sp.session_id, sp.position",
            ids
        );
        let rows = rows.fetch_all(&self.pool).await?;
        Ok(by_session(rows.into_iter().map(|row| (row.session_id, row.body))))
    }

    async fn envelope_bodies(&self, ids: &[i64]) -> Result<HashMap<i64, Vec<Vec<u8>>>> {
        let rows = sqlx::query!(
            "select se.session_id, e.body from session_envelopes se join envelopes e on e.id = se.envelope_id
             where se.session_id = any($1) order by se.session_id, se.position",
            ids
        );
        let rows = rows.fetch_all(&self.pool).await?;
        Ok(by_session(rows.into_iter().map(|row| (row.session_id, row.body))))
    }

    async fn calls(&self, ids: &[i64]) -> Result<HashMap<i64, Vec<SessionCall>>> {
        let rows = sqlx::query!(
            "select session_id, upto, preface, time, reserve, status, error, usage_input, usage_output, usage_cache_read,
                    usage_cache_write, envelope, name, model, server, verdict, verdict_rule
             from calls where session_id = any($1) order by session_id, position",
            ids
        );
        let rows = rows.fetch_all(&self.pool).await?;
        Ok(by_session(rows.into_iter().map(|row| {
            let tokens = |column: Option<i64>| column.unwrap_or(0) as u64;
            let usage = row.usage_input.map(|input| Usage {
                input: input as u64,
                output: tokens(row.usage_output),
                cache_read: tokens(row.usage_cache_read),
                cache_write: tokens(row.usage_cache_write),
            });
            let reply = Reply { status: row.status.map(|status| status as u16), error: row.error, usage };
            let call = SessionCall {
                upto: row.upto as u32,
                preface: row.preface as u32,
                envelope: row.envelope.map(|index| index as u32),
                id: row.name.map(String::into_boxed_str),
                model: row.model.map(Arc::from),
                server: row.server.map(Arc::from),
                time: row.time,
                reserve: row.reserve as u32,
                reply,
                judged: judged(row.verdict.as_deref(), row.verdict_rule.as_deref()),
            };
            (row.session_id, call)
        })))
    }

    async fn compactions(&self, ids: &[i64]) -> Result<HashMap<i64, Vec<CompactionRow>>> {
        let rows = sqlx::query_as!(
            CompactionRow,
            "select session_id, call, origin, trigger, tokens_before, tokens_after, evicted, inserted, time
             from compaction_events where session_id = any($1) order by session_id, position",
            ids
        );
        let rows = rows.fetch_all(&self.pool).await?;
        Ok(by_session(rows.into_iter().map(|row| (row.session_id, row))))
    }
}

/// What was said of a request when it was read; nothing where a rule decided that this build does not know.
fn judged(verdict: Option<&str>, rule: Option<&str>) -> Option<Judged> {
    let verdict = Verdict::from_id(verdict?)?;
    let rule = rule.map(|id| rules::rule(id).map(|rule| rule.id).ok_or(())).transpose().ok()?;
    Some(Judged { verdict, rule })
}

fn by_session<T>(rows: impl Iterator<Item = (i64, T)>) -> HashMap<i64, Vec<T>> {
    let mut sessions: HashMap<i64, Vec<T>> = HashMap::new();
    for (session_id, row) in rows {
        sessions.entry(session_id).or_default().push(row);
    }
    sessions
}

fn whole(head: Head, contents: &mut Contents) -> Result<StoredSession> {
    let api = Api::from_id(&head.api).with_context(|| format!("session `{}` has an unknown API", head.name))?;
    let session = contents.session(&head, api).with_context(|| format!("could not read session `{}`", head.name))?;
    Ok(StoredSession { id: head.id, session })
}

impl Contents {
    fn session(&mut self, head: &Head, api: Api) -> Result<Session> {
        let messages = self.messages.remove(&head.id).unwrap_or_default();
        let prefaces = self.prefaces.remove(&head.id).unwrap_or_default();
        let envelopes = self.envelopes.remove(&head.id).unwrap_or_default();
        let compactions = self.compactions.remove(&head.id).unwrap_or_default();
        Ok(Session {
            id: head.name.clone(),
            parent: head.parent.clone(),
            place: Place { source: Arc::from(head.source.as_str()), line: head.line as u32 },
            api,
            model: head.model.clone(),
            prefaces: prefaces.iter().map(|body| body::preface(api, body)).collect::<Result<_>>()?,
            envelopes: envelopes.iter().map(|body| body::envelope(body)).collect::<Result<_>>()?,
            messages: messages.iter().map(|body| body::message(api, body)).collect::<Result<_>>()?,
            calls: self.calls.remove(&head.id).unwrap_or_default(),
            compactions: compactions.into_iter().map(|row| row.compaction(api)).collect::<Result<_>>()?,
        })
    }
}

impl CompactionRow {
    fn compaction(self, api: Api) -> Result<Compaction> {
        let origin = match self.origin.as_str() {
            "marked" => Origin::Marked,
            _ => Origin::Inferred,
        };
        Ok(Compaction {
            call: self.call as u32,
            origin,
            trigger: self.trigger,
            tokens_before: self.tokens_before.map(|tokens| tokens as u64),
            tokens_after: self.tokens_after.map(|tokens| tokens as u64),
            evicted: self.evicted.into_iter().map(|index| index as u32).collect(),
            inserted: body::messages(api, &self.inserted)?,
            time: self.time,
        })
    }
}
