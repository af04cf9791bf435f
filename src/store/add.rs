//! Sessions into the tables: each once, each message once, whatever is read again.
//!
//! One writer at a time holds an advisory lock for its transaction. So it may look what is there, take numbers from the
//! sequences and COPY only new rows straight into the tables; no conflict can arise and nothing needs a second pass.
//!
//! A session is known again
//! 1. by its digest: it is unchanged, wherever it stands;
//! 2. by its place (source, name, order among those of that name): its file has changed, the new text replaces the old;
//! 3. by its content: of two of one name in different sources whose messages begin alike, the longer one is kept.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result};
use sqlx::PgConnection;

use super::Store;
use super::body::{Blob, Hash};
use super::copy::{Rows, as_integer};
use super::pack::{CALL_COLUMNS, COPY_CALLS, Packed, chain};

/// The lock of the one writer.
const WRITER: i64 = 0x6375_7470_6f69_6e74;

/// What storing made of what it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    pub sessions_new: u64,
    pub sessions_unchanged: u64,
    /// Known ones of which the log now says something else, as a rule more.
    pub sessions_extended: u64,
    pub messages_new: u64,
    pub calls_new: u64,
    pub compactions_new: u64,
}

/// A stored session that a new one may be.
#[derive(Clone, Debug)]
struct Known {
    id: i64,
    source: String,
    name: String,
    api: String,
    ordinal: i32,
    digest: Vec<u8>,
    chain: Vec<u8>,
    n_messages: i32,
    n_calls: i32,
    n_compactions: i32,
}

/// What is to be done with a session.
enum Plan {
    Insert,
    Replace(Known),
    Leave,
}

impl Store {
    /// Stores sessions, all or none; their sources must be known (see [`Store::begin_source`]).
    pub async fn add(&self, sessions: &[Packed]) -> Result<Added> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query!("select pg_advisory_xact_lock($1)", WRITER).execute(&mut *transaction).await?;
        let mut added = Added::default();
        for part in parts_of_distinct_names(sessions) {
            add_part(&mut transaction, part, &mut added).await?;
        }
        transaction.commit().await.context("could not commit sessions")?;
        Ok(added)
    }
}

/// Cuts a list where a name would repeat: sessions of one name are decided one after the other.
fn parts_of_distinct_names(sessions: &[Packed]) -> Vec<&[Packed]> {
    let (mut parts, mut from, mut names) = (Vec::new(), 0, HashSet::new());
    for (index, session) in sessions.iter().enumerate() {
        if !names.insert(&session.name) {
            parts.push(&sessions[from..index]);
            from = index;
            names = HashSet::from([&session.name]);
        }
    }
    parts.push(&sessions[from..]);
    parts
}

async fn add_part(connection: &mut PgConnection, sessions: &[Packed], added: &mut Added) -> Result<()> {
    let known = known(connection, sessions).await?;
    let mut writes: Vec<(i64, &Packed)> = Vec::new();
    let mut inserts: Vec<&Packed> = Vec::new();
    for session in sessions {
        let candidates: Vec<&Known> = known.iter().filter(|known| known.name == session.name).collect();
        match plan(connection, session, &candidates).await? {
            Plan::Leave => added.sessions_unchanged += 1,
            Plan::Insert => inserts.push(session),
            Plan::Replace(old) => {
                replace(connection, &old, session).await?;
                added.replaced(&old, session);
                writes.push((old.id, session));
            }
        }
    }
    let ids = session_ids(connection, inserts.len()).await?;
    let inserts: Vec<(i64, &Packed)> = ids.into_iter().zip(inserts).collect();
    insert_sessions(connection, &inserts).await?;
    inserts.iter().for_each(|(_, session)| added.inserted(session));
    writes.extend(inserts);
    added.messages_new += write_contents(connection, &writes).await?;
    Ok(())
}

impl Added {
    fn inserted(&mut self, session: &Packed) {
        self.sessions_new += 1;
        self.calls_new += session.calls.len() as u64;
        self.compactions_new += session.compactions.len() as u64;
    }

    fn replaced(&mut self, old: &Known, session: &Packed) {
        self.sessions_extended += 1;
        self.calls_new += (session.calls.len() as u64).saturating_sub(old.n_calls as u64);
        self.compactions_new += (session.compactions.len() as u64).saturating_sub(old.n_compactions as u64);
    }
}

async fn known(connection: &mut PgConnection, sessions: &[Packed]) -> Result<Vec<Known>> {
    let names: Vec<String> = sessions.iter().map(|session| session.name.clone()).collect();
    Ok(sqlx::query_as!(
        Known,
        "select s.id, o.name as source, s.name, s.api, s.ordinal, s.digest, s.chain, s.n_messages, s.n_calls,
                s.n_compactions
         from sessions s join sources o on o.id = s.source_id where s.name = any($1) order by s.id",
        &names
    )
    .fetch_all(connection)
    .await?)
}

async fn plan(connection: &mut PgConnection, session: &Packed, candidates: &[&Known]) -> Result<Plan> {
    if candidates.iter().any(|known| known.digest == session.digest) {
        return Ok(Plan::Leave);
    }
    let here = |known: &&&Known| known.source == session.source && known.ordinal == as_integer(session.ordinal);
    if let Some(known) = candidates.iter().filter(|known| known.api == session.api).find(here) {
        return Ok(Plan::Replace((*known).clone()));
    }
    for known in candidates.iter().filter(|known| known.api == session.api && known.source != session.source) {
        match (known.n_messages as usize, session.n_messages()) {
            (0, _) | (_, 0) => {}
            (old, new) if old < new || (old == new && (known.n_calls as usize) < session.calls.len()) => {
                if known.chain == session.chain(old) {
                    return Ok(Plan::Replace((*known).clone()));
                }
            }
            (_, new) => {
                if stored_chain(connection, known.id, new).await? == session.chain(new) {
                    return Ok(Plan::Leave);
                }
            }
        }
    }
    Ok(Plan::Insert)
}

/// The hash of the first `n` messages of a stored session together.
async fn stored_chain(connection: &mut PgConnection, session_id: i64, n: usize) -> Result<Hash> {
    let hashes = sqlx::query_scalar!(
        "select m.hash from session_messages sm join messages m on m.id = sm.message_id
         where sm.session_id = $1 and sm.position < $2 order by sm.position",
        session_id,
        n as i32
    )
    .fetch_all(connection)
    .await?;
    let hashes: Vec<Hash> = hashes.iter().filter_map(|hash| hash.as_slice().try_into().ok()).collect();
    Ok(chain(hashes.iter()))
}

/// Empties a stored session and gives it the facts of a new one.
async fn replace(connection: &mut PgConnection, old: &Known, session: &Packed) -> Result<()> {
    sqlx::query!("delete from session_messages where session_id = $1", old.id).execute(&mut *connection).await?;
    sqlx::query!("delete from session_prefaces where session_id = $1", old.id).execute(&mut *connection).await?;
    sqlx::query!("delete from session_envelopes where session_id = $1", old.id).execute(&mut *connection).await?;
    sqlx::query!("delete from calls where session_id = $1", old.id).execute(&mut *connection).await?;
    sqlx::query!("delete from compaction_events where session_id = $1", old.id).execute(&mut *connection).await?;
    let (first, last) = session.times().unzip();
    sqlx::query!(
        "update sessions set source_id = (select id from sources where name = $2), line = $3, ordinal = $4, parent = $5,
                model = $6, digest = $7, chain = $8, n_messages = $9, n_calls = $10, n_calls_400 = $11,
                n_compactions = $12, first_call_at = $13, last_call_at = $14, stored_at = now()
         where id = $1",
        old.id,
        session.source,
        as_integer(session.line),
        as_integer(session.ordinal),
        session.parent,
        session.model,
        &session.digest,
        &session.chain(session.n_messages()),
        session.n_messages() as i32,
        session.calls.len() as i32,
        session.n_calls_400(),
        session.compactions.len() as i32,
        first,
        last
    )
    .execute(connection)
    .await
    .with_context(|| format!("could not replace session `{}`", session.name))?;
    Ok(())
}

async fn session_ids(connection: &mut PgConnection, n: usize) -> Result<Vec<i64>> {
    Ok(sqlx::query_scalar!(
        r#"select nextval(pg_get_serial_sequence('sessions', 'id')) as "id!" from generate_series(1, $1)"#,
        n as i32
    )
    .fetch_all(connection)
    .await?)
}

async fn insert_sessions(connection: &mut PgConnection, sessions: &[(i64, &Packed)]) -> Result<()> {
    let sources = source_ids(connection, sessions).await?;
    let mut rows = Rows::new(16);
    for (id, session) in sessions {
        let source = sources.get(session.source.as_str());
        let source = source.with_context(|| format!("source `{}` is not known to the database", session.source))?;
        let (first, last) = session.times().unzip();
        rows.row().bigint(*id).bigint(*source).integer(as_integer(session.line)).text(&session.name);
        rows.integer(as_integer(session.ordinal)).maybe(session.parent.as_deref(), Rows::text).text(session.api);
        rows.maybe(session.model.as_deref(), Rows::text).bytes(&session.digest);
        rows.bytes(&session.chain(session.n_messages())).integer(session.n_messages() as i32);
        rows.integer(session.calls.len() as i32).maybe(session.n_calls_400(), Rows::integer);
        rows.integer(session.compactions.len() as i32).maybe(first, Rows::time).maybe(last, Rows::time);
    }
    let statement = "copy sessions (id, source_id, line, name, ordinal, parent, api, model, digest, chain, n_messages, \
                     n_calls, n_calls_400, n_compactions, first_call_at, last_call_at) from stdin (format binary)";
    rows.send(connection, statement).await?;
    Ok(())
}

async fn source_ids(connection: &mut PgConnection, sessions: &[(i64, &Packed)]) -> Result<HashMap<String, i64>> {
    let mut names: Vec<String> = sessions.iter().map(|(_, session)| session.source.clone()).collect();
    names.dedup();
    let rows = sqlx::query!("select name, id from sources where name = any($1)", &names).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}

/// Writes what sessions consist of; gives the number of messages that were not there yet.
async fn write_contents(connection: &mut PgConnection, sessions: &[(i64, &Packed)]) -> Result<u64> {
    let messages = sessions.iter().flat_map(|(_, session)| &session.messages);
    let (message_ids, messages_new) = store_messages(connection, messages).await?;
    let preface_ids = store_prefaces(connection, sessions.iter().flat_map(|(_, session)| &session.prefaces)).await?;
    let envelope_ids = store_envelopes(connection, sessions.iter().flat_map(|(_, session)| &session.envelopes)).await?;
    let (mut of_messages, mut of_prefaces, mut of_envelopes) = (Rows::new(3), Rows::new(3), Rows::new(3));
    let (mut calls, mut compactions) = (Rows::new(CALL_COLUMNS), Rows::new(10));
    for (id, session) in sessions {
        put_members(&mut of_messages, *id, &session.messages, &message_ids);
        put_members(&mut of_prefaces, *id, &session.prefaces, &preface_ids);
        put_members(&mut of_envelopes, *id, &session.envelopes, &envelope_ids);
        session.put_calls(*id, &mut calls);
        session.put_compactions(*id, &mut compactions);
    }
    of_messages.send(connection, "copy session_messages from stdin (format binary)").await?;
    of_prefaces.send(connection, "copy session_prefaces from stdin (format binary)").await?;
    of_envelopes.send(connection, "copy session_envelopes from stdin (format binary)").await?;
    calls.send(connection, COPY_CALLS).await?;
    compactions.send(connection, "copy compaction_events from stdin (format binary)").await?;
    Ok(messages_new)
}

fn put_members(rows: &mut Rows, session_id: i64, blobs: &[Blob], ids: &HashMap<Hash, i64>) {
    for (position, blob) in (0..).zip(blobs) {
        rows.row().bigint(session_id).integer(position).bigint(ids[&blob.hash]);
    }
}

/// Stores messages that are not there yet; gives the ids of all, and how many were new.
async fn store_messages<'a>(
    connection: &mut PgConnection,
    blobs: impl Iterator<Item = &'a Blob>,
) -> Result<(HashMap<Hash, i64>, u64)> {
    let (distinct, hashes) = distinct(blobs);
    let known = sqlx::query_as!(Numbered, "select hash, id from messages where hash = any($1)", &hashes);
    let known = known.fetch_all(&mut *connection).await?;
    store_new(connection, MESSAGES, distinct, known).await
}

/// The same for prefaces.
async fn store_prefaces<'a>(
    connection: &mut PgConnection,
    blobs: impl Iterator<Item = &'a Blob>,
) -> Result<HashMap<Hash, i64>> {
    let (distinct, hashes) = distinct(blobs);
    let known = sqlx::query_as!(Numbered, "select hash, id from prefaces where hash = any($1)", &hashes);
    let known = known.fetch_all(&mut *connection).await?;
    Ok(store_new(connection, PREFACES, distinct, known).await?.0)
}

/// The same for envelopes.
async fn store_envelopes<'a>(
    connection: &mut PgConnection,
    blobs: impl Iterator<Item = &'a Blob>,
) -> Result<HashMap<Hash, i64>> {
    let (distinct, hashes) = distinct(blobs);
    let known = sqlx::query_as!(Numbered, "select hash, id from envelopes where hash = any($1)", &hashes);
    let known = known.fetch_all(&mut *connection).await?;
    Ok(store_new(connection, ENVELOPES, distinct, known).await?.0)
}

/// A stored blob.
struct Numbered {
    hash: Vec<u8>,
    id: i64,
}

/// A table of blobs.
struct Blobs {
    name: &'static str,
    copy: &'static str,
}

const MESSAGES: Blobs = Blobs { name: "messages", copy: "copy messages (id, hash, body) from stdin (format binary)" };
const PREFACES: Blobs = Blobs { name: "prefaces", copy: "copy prefaces (id, hash, body) from stdin (format binary)" };
const ENVELOPES: Blobs =
    Blobs { name: "envelopes", copy: "copy envelopes (id, hash, body) from stdin (format binary)" };

/// Writes the blobs of a table that are not among the known ones; gives the ids of all, and how many were new.
async fn store_new(
    connection: &mut PgConnection,
    table: Blobs,
    distinct: Vec<&Blob>,
    known: Vec<Numbered>,
) -> Result<(HashMap<Hash, i64>, u64)> {
    let mut ids: HashMap<Hash, i64> =
        known.into_iter().filter_map(|row| Some((row.hash.try_into().ok()?, row.id))).collect();
    let new: Vec<&Blob> = distinct.into_iter().filter(|blob| !ids.contains_key(&blob.hash)).collect();
    let new_ids = sqlx::query_scalar!(
        r#"select nextval(pg_get_serial_sequence($1, 'id')) as "id!" from generate_series(1, $2)"#,
        table.name,
        new.len() as i32
    )
    .fetch_all(&mut *connection)
    .await?;
    let rows = numbered(&new, &new_ids, &mut ids);
    let sent = rows.send(connection, table.copy).await?;
    Ok((ids, sent))
}

/// Each blob once, in the order of the hashes, which is that of the index.
fn distinct<'a>(blobs: impl Iterator<Item = &'a Blob>) -> (Vec<&'a Blob>, Vec<Vec<u8>>) {
    let mut distinct: Vec<&Blob> = blobs.collect();
    distinct.sort_unstable_by_key(|blob| blob.hash);
    distinct.dedup_by_key(|blob| blob.hash);
    let hashes = distinct.iter().map(|blob| blob.hash.to_vec()).collect();
    (distinct, hashes)
}

fn numbered(new: &[&Blob], new_ids: &[i64], ids: &mut HashMap<Hash, i64>) -> Rows {
    let mut rows = Rows::new(3);
    for (blob, id) in new.iter().zip(new_ids) {
        rows.row().bigint(*id).bytes(&blob.hash).bytes(&blob.body);
        ids.insert(blob.hash, *id);
    }
    rows
}

impl std::ops::AddAssign for Added {
    fn add_assign(&mut self, other: Added) {
        self.sessions_new += other.sessions_new;
        self.sessions_unchanged += other.sessions_unchanged;
        self.sessions_extended += other.sessions_extended;
        self.messages_new += other.messages_new;
        self.calls_new += other.calls_new;
        self.compactions_new += other.compactions_new;
    }
}
