//! A session as it will be stored: bodies rendered and hashed, everything that needs no database.

use std::collections::hash_map::{Entry, HashMap};

use super::body::{self, Blob, Hash};
use super::copy::{Rows, as_bigint, as_integer, storable};
use crate::model::{Compaction, Session, SessionCall, Time};

/// The columns of a call, as [`Packed::put_calls`] writes them.
pub(super) const CALL_COLUMNS: i16 = 18;

/// The statement that takes them.
pub(super) const COPY_CALLS: &str = "copy calls (session_id, position, upto, preface, time, reserve, status, error, \
    usage_input, usage_output, usage_cache_read, usage_cache_write, envelope, name, model, server, verdict, \
    verdict_rule) from stdin (format binary)";

/// A session ready to be stored.
#[derive(Clone, Debug)]
pub struct Packed {
    pub(super) source: String,
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) ordinal: u32,
    pub(super) parent: Option<String>,
    pub(super) api: &'static str,
    pub(super) model: Option<String>,
    pub(super) messages: Vec<Blob>,
    pub(super) prefaces: Vec<Blob>,
    pub(super) envelopes: Vec<Blob>,
    pub(super) calls: Vec<SessionCall>,
    pub(super) compactions: Vec<(Compaction, Vec<u8>)>,
    /// Of everything but the place: equal digests are the same session.
    pub(super) digest: Hash,
}

/// Tells sessions of the same name in one source apart, by the order in which they come.
#[derive(Debug, Default)]
pub struct Ordinals(HashMap<u64, u32>);

impl Ordinals {
    /// Which one of its name in its source this session is.
    pub fn next(&mut self, session: &Session) -> u32 {
        let name = [session.place.source.as_bytes(), session.id.as_bytes(), session.api.id().as_bytes()].join(&0);
        let hash = blake3::hash(&name);
        let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash of 32 bytes");
        match self.0.entry(u64::from_le_bytes(*first)) {
            Entry::Occupied(mut seen) => {
                *seen.get_mut() += 1;
                *seen.get()
            }
            Entry::Vacant(unseen) => *unseen.insert(0),
        }
    }
}

impl Packed {
    /// Renders and hashes a session; work for a thread that may compute.
    pub fn of(session: Session, ordinal: u32) -> Packed {
        let api = session.api;
        let mut packed = Packed {
            source: storable(&session.place.source),
            line: session.place.line,
            name: storable(&session.id),
            ordinal,
            parent: session.parent.as_deref().map(storable),
            api: api.id(),
            model: session.model.as_deref().map(storable),
            messages: session.messages.iter().map(|message| Blob::of_message(api, message)).collect(),
            prefaces: session
                .prefaces
                .iter()
                .map(|(text, tools)| Blob::of_preface(api, text, tools.as_ref()))
                .collect(),
            envelopes: session.envelopes.iter().map(Blob::of_envelope).collect(),
            calls: session.calls,
            compactions: with_bodies(api, session.compactions),
            digest: Hash::default(),
        };
        packed.digest = packed.digest();
        packed
    }

    /// How many messages it holds.
    pub fn n_messages(&self) -> usize {
        self.messages.len()
    }

    /// The hash of its first `n` messages together.
    pub(super) fn chain(&self, n: usize) -> Hash {
        chain(self.messages[..n].iter().map(|message| &message.hash))
    }

    /// Calls that were refused with 400; nothing is known of it where the log states no status.
    pub(super) fn n_calls_400(&self) -> Option<i32> {
        let mut statuses = self.calls.iter().filter_map(|call| call.reply.status).peekable();
        statuses.peek()?;
        Some(statuses.filter(|status| *status == 400).count() as i32)
    }

    /// When its first and its last call were made.
    pub(super) fn times(&self) -> Option<(Time, Time)> {
        let times = || self.calls.iter().filter_map(|call| call.time);
        Some((times().min()?, times().max()?))
    }

    /// The digest of just those bytes that the tables will hold.
    fn digest(&self) -> Hash {
        let mut head = Rows::new(4);
        head.row().text(&self.name).text(self.api);
        head.maybe(self.parent.as_deref(), Rows::text).maybe(self.model.as_deref(), Rows::text);
        let (mut calls, mut compactions) = (Rows::new(CALL_COLUMNS), Rows::new(10));
        self.put_calls(0, &mut calls);
        self.put_compactions(0, &mut compactions);
        let mut hasher = blake3::Hasher::new();
        for rows in [head, calls, compactions] {
            hasher.update(&rows.len().to_le_bytes()).update(rows.as_bytes());
        }
        for blobs in [&self.messages, &self.prefaces, &self.envelopes] {
            hasher.update(&chain(blobs.iter().map(|blob| &blob.hash)));
        }
        *hasher.finalize().as_bytes()
    }

    pub(super) fn put_calls(&self, session_id: i64, rows: &mut Rows) {
        for (position, call) in (0..).zip(&self.calls) {
            rows.row().bigint(session_id).integer(position);
            rows.integer(as_integer(call.upto)).integer(as_integer(call.preface)).maybe(call.time, Rows::time);
            rows.bigint(i64::from(call.reserve)).maybe(call.reply.status.map(i32::from), Rows::integer);
            rows.maybe(call.reply.error.as_deref(), Rows::text);
            let usage = call.reply.usage;
            for tokens in [
                usage.map(|usage| usage.input),
                usage.map(|usage| usage.output),
                usage.map(|usage| usage.cache_read),
                usage.map(|usage| usage.cache_write),
            ] {
                rows.maybe(tokens.map(as_bigint), Rows::bigint);
            }
            rows.maybe(call.envelope.map(as_integer), Rows::integer).maybe(call.id.as_deref(), Rows::text);
            rows.maybe(call.model.as_deref(), Rows::text).maybe(call.server.as_deref(), Rows::text);
            rows.maybe(call.judged.map(|judged| judged.verdict.as_str()), Rows::text);
            rows.maybe(call.judged.and_then(|judged| judged.rule), Rows::text);
        }
    }

    pub(super) fn put_compactions(&self, session_id: i64, rows: &mut Rows) {
        for (position, (compaction, inserted)) in (0..).zip(&self.compactions) {
            rows.row().bigint(session_id).integer(position).integer(as_integer(compaction.call));
            rows.text(compaction.origin.as_str()).maybe(compaction.trigger.as_deref(), Rows::text);
            rows.maybe(compaction.tokens_before.map(as_bigint), Rows::bigint);
            rows.maybe(compaction.tokens_after.map(as_bigint), Rows::bigint);
            rows.integers(&compaction.evicted).bytes(inserted).maybe(compaction.time, Rows::time);
        }
    }
}

fn with_bodies(api: crate::model::Api, compactions: Vec<Compaction>) -> Vec<(Compaction, Vec<u8>)> {
    let pair = |compaction: Compaction| {
        let inserted = body::of_messages(api, &compaction.inserted);
        (compaction, inserted)
    };
    compactions.into_iter().map(pair).collect()
}

/// One hash of many, in order.
pub fn chain<'a>(hashes: impl Iterator<Item = &'a Hash>) -> Hash {
    let mut hasher = blake3::Hasher::new();
    for hash in hashes {
        hasher.update(hash);
    }
    *hasher.finalize().as_bytes()
}
