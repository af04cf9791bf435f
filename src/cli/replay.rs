//! `cutpoint replay`: what a grid of policies would have done to logged sessions.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use tokio::sync::mpsc::channel;

use crate::cell::Cell;
use crate::model::Session;
use crate::outcome::Tally;
use crate::report::Comparison;
use crate::source::{self, Input, Meter};
use crate::store::{NewRun, RunCell, RunWriter, Store, StoredSession};
use crate::sweep::{Plan, Played};

use super::Database;
use super::exit::{Exit, NothingSelected, Usage};
use super::grid::GridArgs;
use super::input::{Paths, tell_left_out};
use super::output::Output;
use super::progress::Progress;
use super::runtime::{block_on, interruptible};

/// How many of the latest runs a run is compared with that is kept once only.
const COMPARED: u32 = 20;

/// Sessions that wait between the database and the replay.
const QUEUE: usize = 64;

/// Replay sessions under every combination of windows, triggers, targets, policies and modes
///
/// Works straight on files, with no database; with --stored it replays what was ingested, and keeps the run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint replay calls.jsonl --window 200k --trigger 70%,90%\n  \
                        cutpoint replay ~/.claude/projects --policy drop-oldest-message,drop-oldest-round\n  \
                        cutpoint replay logs/ --window 32k --target trigger,50% --mode sticky,stateless --output json")]
pub struct Replay {
    #[command(flatten)]
    paths: Paths,
    /// Replay the stored sessions, and keep the run
    #[arg(long, conflicts_with = "paths")]
    stored: bool,
    #[command(flatten)]
    grid: GridArgs,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    database: Database,
}

impl Replay {
    pub fn run(self) -> Result<Exit> {
        if self.stored {
            return block_on(self.stored());
        }
        if self.paths.paths.is_empty() {
            return Err(Usage("name a log to replay, or --stored for what was ingested".to_owned()).into());
        }
        interruptible(move || self.files())
    }

    fn files(self) -> Result<Exit> {
        let plan = plan(&self.grid)?;
        let (tallies, report) = sweep_files(&plan, &self.paths)?;
        tell_left_out(&report);
        let comparison = comparison(&plan, &self.grid, tallies);
        none_selected(&comparison)?;
        self.output.print(&comparison)?;
        Ok(Exit::Pass)
    }

    async fn stored(self) -> Result<Exit> {
        let store = self.database.open().await?;
        let replayed = replay_stored(&store, &self.grid).await;
        let (run, comparison) = store.close_after(replayed).await?;
        self.output.print(&comparison)?;
        eprintln!("kept as run {run}: `cutpoint report {run}`, or look at it with `cutpoint serve`");
        Ok(Exit::Pass)
    }
}

fn plan(grid: &GridArgs) -> Result<Plan> {
    Ok(Plan::new(grid.cells()?, grid.counter(), grid.threads()))
}

fn sweep_files(plan: &Plan, paths: &Paths) -> Result<(Vec<Tally>, source::Report)> {
    let meter = Arc::new(Meter::default());
    let progress = Progress::of_input("replaying", "sessions", meter.clone());
    let feed = |play: &mut dyn FnMut((), Session)| {
        source::sessions(Input { meter: Some(&meter), ..paths.input() }, &mut |session| {
            progress.step();
            play((), session);
        })
    };
    let (tallies, read) = plan.run(feed, None)?;
    Ok((tallies, read?))
}

/// Replays all stored sessions and keeps the run; gives its number.
pub async fn replay_stored(store: &Store, grid: &GridArgs) -> Result<(i64, Comparison)> {
    let replayed = Replayed::of(store, grid).await?;
    let id = replayed.writer.finish(&replayed.tallies, replayed.duration_ms).await?;
    Ok((id, replayed.comparison))
}

/// The same, but for a run that says what one of the latest says already: then that one's number is given.
pub async fn replay_stored_once(store: &Store, grid: &GridArgs) -> Result<(i64, Comparison)> {
    let replayed = Replayed::of(store, grid).await?;
    let id = match replayed.kept_before(store).await? {
        Some(id) => id,
        None => replayed.writer.finish(&replayed.tallies, replayed.duration_ms).await?,
    };
    Ok((id, replayed.comparison))
}

/// A run over all stored sessions that is not kept unless it is finished.
struct Replayed {
    run: NewRun,
    writer: RunWriter,
    tallies: Vec<Tally>,
    comparison: Comparison,
    duration_ms: u64,
}

impl Replayed {
    async fn of(store: &Store, grid: &GridArgs) -> Result<Replayed> {
        let plan = Arc::new(plan(grid)?);
        let started = Instant::now();
        let run = NewRun {
            origin: std::env::args().skip(1).collect::<Vec<_>>().join(" "),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            counter: grid.counter().id.to_owned(),
        };
        let mut writer = store.begin_run(&run, plan.cells()).await?;
        let tallies = sweep_stored(store, plan.clone(), &mut writer).await?;
        let comparison = comparison(&plan, grid, tallies.clone());
        none_selected(&comparison)?;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Replayed { run, writer, tallies, comparison, duration_ms })
    }

    /// One of the latest runs, of this version and counter, with the same cells and the same figures.
    async fn kept_before(&self, store: &Store) -> Result<Option<i64>> {
        let cells = &self.comparison.cells;
        for run in store.runs(None, COMPARED).await? {
            let is_like = run.version == self.run.version && run.counter == self.run.counter;
            if !is_like || run.cells != cells.len() as i64 {
                continue;
            }
            let stored = store.run_cells(run.id).await?;
            let same = |(stored, (cell, tally)): (&RunCell, &(Cell, Tally))| {
                stored.key == cell.to_string() && stored.tally == *tally
            };
            if stored.iter().zip(cells).all(same) {
                return Ok(Some(run.id));
            }
        }
        Ok(None)
    }
}

/// Plays the stored sessions as they come, and keeps what their cells did as it is played.
async fn sweep_stored(store: &Store, plan: Arc<Plan>, writer: &mut RunWriter) -> Result<Vec<Tally>> {
    let (sender, mut sessions) = channel::<StoredSession>(QUEUE);
    let (played, mut outcomes) = channel::<Played<i64>>(QUEUE);
    let playing = tokio::task::spawn_blocking(move || {
        let progress = Progress::start("replaying", "sessions");
        let feed = |play: &mut dyn FnMut(i64, Session)| {
            while let Some(stored) = sessions.blocking_recv() {
                progress.step();
                play(stored.id, stored.session);
            }
        };
        // The queue closes early only if keeping failed, and that failure is what the user hears of.
        let sink = |session| drop(played.blocking_send(session));
        plan.run(feed, Some(&sink))
    });
    // Outcomes are dropped with the queue when keeping fails.
    let keeping = async move {
        while let Some(Played { key, cells }) = outcomes.recv().await {
            writer.add(key, &cells).await?;
        }
        anyhow::Ok(())
    };
    let streaming = async {
        let streamed = store.stream_sessions(&sender).await;
        drop(sender);
        streamed
    };
    let (streamed, kept) = tokio::join!(streaming, keeping);
    let (tallies, ()) = playing.await??;
    streamed?;
    kept?;
    Ok(tallies)
}

fn comparison(plan: &Plan, grid: &GridArgs, tallies: Vec<Tally>) -> Comparison {
    let cells = plan.cells().cloned().zip(tallies).collect();
    Comparison { counter: grid.counter().id.to_owned(), cells }
}

/// A comparison over no session is no answer.
fn none_selected(comparison: &Comparison) -> Result<()> {
    if comparison.cells.iter().all(|(_, tally)| tally.sessions == 0) {
        return Err(NothingSelected("there is no session to replay".to_owned()).into());
    }
    Ok(())
}
