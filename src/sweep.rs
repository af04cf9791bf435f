//! Plays sessions on all cores: sessions come in one by one, every cell of the grid plays each, tallies come out.
//!
//! Workers add up integers and the rows are put back into the order of the sessions, so the same input gives the same
//! bytes on any number of threads. Sessions wait in a bounded queue: memory does not grow with the corpus, apart from the
//! rows that the caller asked to keep.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Context, Result};
use rayon::prelude::*;
use thiserror::Error;

use crate::cell::Cell;
use crate::metrics::{Resample, Tally};
use crate::model::{Session, Tokens};
use crate::replay::{Cut, Outcome, Player, Subject, Witness};
use crate::stats::{Sums, Weights, seed};
use crate::transcript::Transcript;
use crate::transcript::size::Counter;

/// How many sessions wait for a worker.
const QUEUE: usize = 64;

/// What a sweep plays.
pub struct Plan {
    players: Vec<Player>,
    counter: &'static Counter,
    /// Whether to keep, for each session and cell, what was cut and what broke.
    keep_rows: bool,
    /// Worker threads; as many as there are cores where 0.
    threads: usize,
    caps: Vec<Option<Tokens>>,
}

/// What a sweep gave.
#[derive(Debug, Default)]
pub struct Swept {
    /// One tally a cell, in the order of the cells.
    pub tallies: Vec<Tally>,
    /// What was cut and what broke, by session and then by cell; empty where not asked for.
    pub rows: Vec<Row>,
}

/// What one cell did to one session, where it compacted or broke.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the session in the order in which sessions came.
    pub session: usize,
    /// The number of the cell.
    pub cell: usize,
    pub outcome: Outcome,
    pub cuts: Vec<Cut>,
}

/// A cell takes the window of each session's model, and nobody knows it for some.
#[derive(Debug, Error)]
#[error(
    "no window is known for {}; name one with `--window TOKENS`",
    models.iter().map(|(model, n)| format!("{model} ({n} sessions)")).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownWindow {
    /// The models without a window, with the number of their sessions.
    pub models: BTreeMap<String, u64>,
}

impl Plan {
    /// The plan of a grid's cells.
    pub fn new(cells: Vec<Cell>, counter: &'static Counter, keep_rows: bool, threads: usize) -> Plan {
        let players: Vec<Player> = cells.into_iter().map(Player::new).collect();
        let mut caps: Vec<Option<Tokens>> = players.iter().map(Player::cap).collect();
        caps.sort_unstable();
        caps.dedup();
        Plan { players, counter, keep_rows, threads, caps }
    }

    /// The cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.players.iter().map(|player| &player.cell)
    }

    /// Plays every session that `feed` hands over; `feed` runs on a thread of its own and its result comes back.
    pub fn run<T: Send>(&self, feed: impl FnOnce(&mut dyn FnMut(Session)) -> T + Send) -> Result<(Swept, T)> {
        let (sender, receiver) = sync_channel(QUEUE);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .context("could not start the worker threads")?;
        std::thread::scope(|scope| {
            let feeder = scope.spawn(move || feed_queue(feed, sender));
            let share = pool.install(|| self.play_all(receiver));
            let fed = feeder.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok((share.finish()?, fed))
        })
    }

    fn play_all(&self, sessions: Receiver<Session>) -> Share {
        let numbered = sessions.into_iter().enumerate().par_bridge();
        numbered
            .fold(
                || Share::new(self.players.len()),
                |mut share, (number, session)| {
                    self.play_session(number, &session, &mut share);
                    share
                },
            )
            .reduce(|| Share::new(self.players.len()), Share::merge)
    }

    fn play_session(&self, number: usize, session: &Session, share: &mut Share) {
        let subject = Subject::new(Transcript::of_session(session, self.counter), &self.caps);
        let weights = Weights::of(seed(&format!("{} {} {}", session.id, session.messages.len(), session.calls.len())));
        share.calls.add(&weights, session.calls.len() as u64);
        for (cell, player) in self.players.iter().enumerate() {
            let mut seen = Seen { tally: &mut share.tallies[cell], cuts: Vec::new(), keep: self.keep_rows };
            let played = catch_unwind(AssertUnwindSafe(|| player.play(&subject, &mut seen)));
            let outcome = played.unwrap_or_else(|panic| give_up(&session.id, &player.cell, panic));
            let Some(outcome) = outcome else {
                share.unknown(&subject.transcript);
                return;
            };
            let cuts = seen.cuts;
            share.tallies[cell].add(&outcome);
            share.resamples[cell].add(&weights, &outcome);
            if self.keep_rows && (outcome.compactions > 0 || outcome.over_window > 0) {
                share.rows.push(Row { session: number, cell, outcome, cuts });
            }
        }
    }
}

/// Names the session and the cell of a bug, and stops: a session that is skipped biases every rate.
fn give_up(session: &str, cell: &Cell, panic: Box<dyn Any + Send>) -> ! {
    tracing::error!(session.id = session, %cell, "the replay of a session failed; please report this as a bug");
    resume_unwind(panic)
}

fn feed_queue<T>(feed: impl FnOnce(&mut dyn FnMut(Session)) -> T, sender: SyncSender<Session>) -> T {
    feed(&mut |session| {
        // The queue closes early only if a worker failed, and that failure is reported where the workers are joined.
        let _ = sender.send(session);
    })
}

/// A tally that watches cuts, and keeps them where rows are wanted.
struct Seen<'a> {
    tally: &'a mut Tally,
    cuts: Vec<Cut>,
    keep: bool,
}

impl Witness for Seen<'_> {
    fn cut(&mut self, cut: &Cut) {
        self.tally.cut(cut);
        if self.keep {
            self.cuts.push(*cut);
        }
    }
}

/// What one worker has added up.
struct Share {
    tallies: Vec<Tally>,
    resamples: Vec<Resample>,
    /// The calls of all sessions in every replicate.
    calls: Sums,
    rows: Vec<Row>,
    unknown: BTreeMap<String, u64>,
}

impl Share {
    fn new(n_cells: usize) -> Share {
        Share {
            tallies: vec![Tally::default(); n_cells],
            resamples: vec![Resample::default(); n_cells],
            calls: Sums::default(),
            rows: Vec::new(),
            unknown: BTreeMap::new(),
        }
    }

    /// Counts a session whose window nobody knows, by the first model without one.
    fn unknown(&mut self, transcript: &Transcript) {
        let lacking = transcript.terms.iter().find(|terms| terms.window.is_none());
        let model = lacking.and_then(|terms| terms.model.as_deref());
        let model = model.map_or("sessions without a model".to_owned(), |model| format!("`{model}`"));
        *self.unknown.entry(model).or_default() += 1;
    }

    fn merge(mut self, other: Share) -> Share {
        for (tally, more) in self.tallies.iter_mut().zip(&other.tallies) {
            tally.merge(more);
        }
        self.calls.merge(&other.calls);
        for (resample, more) in self.resamples.iter_mut().zip(&other.resamples) {
            resample.merge(more);
        }
        self.rows.extend(other.rows);
        for (model, n) in other.unknown {
            *self.unknown.entry(model).or_default() += n;
        }
        self
    }

    fn finish(mut self) -> Result<Swept, UnknownWindow> {
        if !self.unknown.is_empty() {
            return Err(UnknownWindow { models: self.unknown });
        }
        for (tally, resample) in self.tallies.iter_mut().zip(&self.resamples) {
            tally.intervals = resample.intervals(&self.calls);
        }
        self.rows.sort_by_key(|row| (row.session, row.cell));
        Ok(Swept { tallies: self.tallies, rows: self.rows })
    }
}
