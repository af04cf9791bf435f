//! `cutpoint demo`: the main job on the bundled sample, from nothing to a page.

use anyhow::Result;
use clap::Args;

use crate::cell::Window;
use crate::dash::CheckMode;
use crate::ingest::Counts;
use crate::source;
use crate::store::Store;

use super::Database;
use super::exit::Exit;
use super::grid::GridArgs;
use super::ingest::{ingest_from, ingest_paths, something_read, summary};
use super::input::{Paths, tell_left_out};
use super::output::Output;
use super::replay::replay_stored_once;
use super::runtime::{serve_on, unless_interrupted};
use super::serve::{Listen, serve};

/// The sample as it is compiled in, so that the program needs no file beside it.
const SAMPLE: &str = include_str!("../../samples/demo.jsonl");

/// The database of the demo in our own Postgres: what it loads is in no figure of the user's logs.
const DATABASE: &str = "cutpoint_demo";

/// A window that the longer sessions of the sample outgrow.
const SAMPLE_WINDOW: Window = Window::Tokens(16_000);

/// From nothing to a page: load the bundled sample, replay it, print the comparison, serve the dashboard
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cutpoint demo\n  cutpoint demo --no-serve\n  cutpoint demo --traces ~/.claude/projects"
)]
pub struct Demo {
    /// End after the comparison is printed
    #[arg(long)]
    no_serve: bool,
    /// Load these logs instead of the bundled sample
    #[arg(long, value_name = "PATH")]
    traces: Vec<String>,
    #[command(flatten)]
    grid: GridArgs,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    database: Database,
}

impl Demo {
    pub fn run(self) -> Result<Exit> {
        serve_on(async {
            let store = unless_interrupted(self.replay()).await?;
            if self.no_serve { store.close().await } else { serve(store, &self.listen, CheckMode::default()).await }
        })?;
        Ok(Exit::Pass)
    }

    /// Loads the traffic into a database of its own, replays it and prints the comparison.
    async fn replay(&self) -> Result<Store> {
        let store = self.database.open_named(DATABASE).await?;
        match self.replay_in(&store).await {
            Ok(()) => Ok(store),
            Err(error) => store.close_after(Err(error)).await,
        }
    }

    async fn replay_in(&self, store: &Store) -> Result<()> {
        let (counts, report) = self.load(store).await?;
        tell_left_out(&report);
        something_read(&report)?;
        eprint!("{}", summary(&counts, &report));
        let grid = if self.traces.is_empty() { self.grid.clone().or_window(SAMPLE_WINDOW) } else { self.grid.clone() };
        let (run, comparison) = replay_stored_once(store, &grid).await?;
        self.output.print(&comparison)?;
        eprintln!("kept as run {run}");
        Ok(())
    }

    async fn load(&self, store: &Store) -> Result<(Counts, source::Report)> {
        if self.traces.is_empty() {
            return ingest_from(store, |on_joined| source::read_named("bundled sample", SAMPLE.as_bytes(), on_joined))
                .await;
        }
        ingest_paths(store, &Paths::of(self.traces.clone())).await
    }
}
