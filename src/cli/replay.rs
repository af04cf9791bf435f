//! `cutpoint replay`: what a grid of policies would have done to logged sessions.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use tokio::sync::mpsc::channel;

use crate::metrics::Tally;
use crate::report::Comparison;
use crate::source::{self, Input, Meter};
use crate::store::{NewRun, RunRow, Store, StoredSession};
use crate::sweep::{Plan, Row, Swept};

use super::Database;
use super::exit::{Exit, NothingSelected, Usage};
use super::grid::GridArgs;
use super::input::{Paths, tell_left_out};
use super::output::Output;
use super::progress::Progress;
use super::runtime::{block_on, interruptible};

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
        let plan = plan(&self.grid, false)?;
        let (swept, report) = sweep_files(&plan, &self.paths)?;
        tell_left_out(&report);
        let comparison = comparison(&plan, &self.grid, swept.tallies);
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

fn plan(grid: &GridArgs, keep_rows: bool) -> Result<Plan> {
    Ok(Plan::new(grid.cells()?, grid.counter(), keep_rows, grid.threads()))
}

fn sweep_files(plan: &Plan, paths: &Paths) -> Result<(Swept, source::Report)> {
    let meter = Arc::new(Meter::default());
    let progress = Progress::of_input("replaying", "sessions", meter.clone());
    let (swept, read) = plan.run(|play| {
        source::sessions(Input { meter: Some(&meter), ..paths.input() }, &mut |session| {
            progress.step();
            play(session);
        })
    })?;
    Ok((swept, read?))
}

/// Replays all stored sessions and keeps the run; gives its number.
pub async fn replay_stored(store: &Store, grid: &GridArgs) -> Result<(i64, Comparison)> {
    let plan = Arc::new(plan(grid, true)?);
    let started = Instant::now();
    let (swept, ids) = sweep_stored(store, plan.clone()).await?;
    let comparison = comparison(&plan, grid, swept.tallies);
    none_selected(&comparison)?;
    let (sessions, calls) = comparison.cells.first().map_or((0, 0), |(_, tally)| (tally.sessions, tally.calls));
    let run = NewRun {
        origin: std::env::args().skip(1).collect::<Vec<_>>().join(" "),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        counter: comparison.counter.clone(),
        sessions,
        calls,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    let of_session =
        |row: Row| RunRow { cell: row.cell, session_id: ids[row.session], outcome: row.outcome, cuts: row.cuts };
    let rows: Vec<RunRow> = swept.rows.into_iter().map(of_session).collect();
    let id = store.save_run(&run, &comparison.cells, &rows).await?;
    Ok((id, comparison))
}

/// Plays the stored sessions as they come; gives their numbers in the order in which they were played.
async fn sweep_stored(store: &Store, plan: Arc<Plan>) -> Result<(Swept, Vec<i64>)> {
    let (sender, mut receiver) = channel::<StoredSession>(QUEUE);
    let playing = tokio::task::spawn_blocking(move || {
        let progress = Progress::start("replaying", "sessions");
        plan.run(|play| {
            let mut ids = Vec::new();
            while let Some(stored) = receiver.blocking_recv() {
                progress.step();
                ids.push(stored.id);
                play(stored.session);
            }
            ids
        })
    });
    let streamed = store.stream_sessions(&sender).await;
    drop(sender);
    let swept = playing.await??;
    streamed?;
    Ok(swept)
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
