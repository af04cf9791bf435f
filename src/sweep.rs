//! Plays sessions on all cores: sessions come in one by one, every cell of the grid plays each, tallies come out.
//!
//! Workers add up integers, so the same input gives the same bytes on any number of threads. All that the cells did to one
//! session goes to a sink together, as soon as it is played. Sessions wait in a bounded queue: nothing grows with the
//! corpus.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Context, Result};
use rayon::prelude::*;
use thiserror::Error;

use crate::cell::Cell;
use crate::metrics::Resample;
use crate::model::{Session, Tokens};
use crate::outcome::{Cut, PlayedCell, Tally};
use crate::replay::{Player, Subject, Witness};
use crate::stats::bucket_of;
use crate::transcript::Transcript;
use crate::transcript::size::Counter;

/// How many sessions wait for a worker.
const QUEUE: usize = 64;

/// What a sweep plays.
pub struct Plan {
    players: Vec<Player>,
    counter: &'static Counter,
    /// Worker threads; as many as there are cores where 0.
    threads: usize,
    caps: Vec<Option<Tokens>>,
}

/// What all cells did to one session.
#[derive(Debug, PartialEq, Eq)]
pub struct Played<K> {
    /// What the caller knows the session by.
    pub key: K,
    /// The cells that compacted or broke it, by their numbers, in order.
    pub cells: Vec<PlayedCell>,
}

/// Takes what was played, session by session, from any of the workers; none where nobody asks for more than tallies.
pub type Sink<'s, K> = Option<&'s (dyn Fn(Played<K>) + Sync)>;

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
    pub fn new(cells: Vec<Cell>, counter: &'static Counter, threads: usize) -> Plan {
        let players: Vec<Player> = cells.into_iter().map(Player::new).collect();
        let mut caps: Vec<Option<Tokens>> = players.iter().map(Player::cap).collect();
        caps.sort_unstable();
        caps.dedup();
        Plan { players, counter, threads, caps }
    }

    /// The cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.players.iter().map(|player| &player.cell)
    }

    /// Plays every session that `feed` hands over, with whatever it is known by, and gives one tally a cell; `feed` runs
    /// on a thread of its own and its result comes back.
    pub fn run<K: Send, T: Send>(
        &self,
        feed: impl FnOnce(&mut dyn FnMut(K, Session)) -> T + Send,
        sink: Sink<K>,
    ) -> Result<(Vec<Tally>, T)> {
        let (sender, receiver) = sync_channel(QUEUE);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .context("could not start the worker threads")?;
        std::thread::scope(|scope| {
            let feeder = scope.spawn(move || feed_queue(feed, sender));
            let share = pool.install(|| self.play_all(receiver, sink));
            let fed = feeder.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok((share.finish()?, fed))
        })
    }

    fn play_all<K: Send>(&self, sessions: Receiver<(K, Session)>, sink: Sink<K>) -> Share {
        sessions
            .into_iter()
            .par_bridge()
            .fold(
                || Share::new(self.players.len()),
                |mut share, (key, session)| {
                    let cells = self.play_session(&session, sink.is_some(), &mut share);
                    if let Some(sink) = sink.filter(|_| !cells.is_empty()) {
                        sink(Played { key, cells });
                    }
                    share
                },
            )
            .reduce(|| Share::new(self.players.len()), Share::merge)
    }

    /// Adds up what every cell does to a session; gives the cells that compacted or broke it where these are wanted.
    fn play_session(&self, session: &Session, wanted: bool, share: &mut Share) -> Vec<PlayedCell> {
        let subject = Subject::new(Transcript::of_session(session, self.counter), &self.caps);
        let bucket = bucket_of(&format!("{} {} {}", session.id, session.messages.len(), session.calls.len()));
        let mut cells = Vec::new();
        for (cell, player) in self.players.iter().enumerate() {
            let mut seen = Seen { tally: &mut share.tallies[cell], cuts: Vec::new(), wanted };
            let played = catch_unwind(AssertUnwindSafe(|| player.play(&subject, &mut seen)));
            let outcome = played.unwrap_or_else(|panic| give_up(&session.id, &player.cell, panic));
            let Some(outcome) = outcome else {
                share.unknown(&subject.transcript);
                return Vec::new();
            };
            let cuts = seen.cuts;
            share.tallies[cell].add(&outcome);
            share.resamples[cell].add(bucket, &outcome);
            if wanted && (outcome.compactions > 0 || outcome.over_window > 0) {
                cells.push(PlayedCell { cell, outcome, cuts });
            }
        }
        cells
    }
}

/// Names the session and the cell of a bug, and stops: a session that is skipped biases every rate.
fn give_up(session: &str, cell: &Cell, panic: Box<dyn Any + Send>) -> ! {
    tracing::error!(session.id = session, %cell, "the replay of a session failed; please report this as a bug");
    resume_unwind(panic)
}

fn feed_queue<K, T>(feed: impl FnOnce(&mut dyn FnMut(K, Session)) -> T, sender: SyncSender<(K, Session)>) -> T {
    feed(&mut |key, session| {
        // The queue closes early only if a worker failed, and that failure is reported where the workers are joined.
        let _ = sender.send((key, session));
    })
}

/// A tally that watches cuts, and keeps them where they are wanted.
struct Seen<'a> {
    tally: &'a mut Tally,
    cuts: Vec<Cut>,
    wanted: bool,
}

impl Witness for Seen<'_> {
    fn cut(&mut self, cut: &Cut) {
        self.tally.cut(cut);
        if self.wanted {
            self.cuts.push(*cut);
        }
    }
}

/// What one worker has added up.
struct Share {
    tallies: Vec<Tally>,
    resamples: Vec<Resample>,
    unknown: BTreeMap<String, u64>,
}

impl Share {
    fn new(n_cells: usize) -> Share {
        Share {
            tallies: vec![Tally::default(); n_cells],
            resamples: vec![Resample::default(); n_cells],
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
        for (resample, more) in self.resamples.iter_mut().zip(&other.resamples) {
            resample.merge(more);
        }
        for (model, n) in other.unknown {
            *self.unknown.entry(model).or_default() += n;
        }
        self
    }

    /// One tally a cell, with its intervals.
    fn finish(mut self) -> Result<Vec<Tally>, UnknownWindow> {
        if !self.unknown.is_empty() {
            return Err(UnknownWindow { models: self.unknown });
        }
        for (tally, resample) in self.tallies.iter_mut().zip(&self.resamples) {
            tally.intervals = resample.intervals();
        }
        Ok(self.tallies)
    }
}
