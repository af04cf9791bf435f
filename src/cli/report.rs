//! `cutpoint report`: a run that was kept, told again.

use anyhow::{Context, Result};
use clap::Args;

use crate::report::Comparison;
use crate::store::{RunCell, Store};

use super::Database;
use super::exit::Exit;
use super::output::Output;
use super::runs::{self, RunName};
use super::runtime::block_on;

/// Tell a kept run again
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint report latest\n  cutpoint report 12 --output markdown")]
pub struct Report {
    /// The number of the run, its tag, or `latest`
    run: RunName,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    database: Database,
}

impl Report {
    pub fn run(self) -> Result<Exit> {
        block_on(async {
            let store = self.database.open().await?;
            let comparison = load(&store, &self.run).await;
            self.output.print(&store.close_after(comparison).await?)?;
            Ok(Exit::Pass)
        })
    }
}

async fn load(store: &Store, name: &RunName) -> Result<Comparison> {
    let run = runs::find(store, name).await?;
    let cells = store.run_cells(run.id).await?.into_iter().map(of_cell).collect::<Result<_>>()?;
    Ok(Comparison { counter: run.counter, cells })
}

/// The cell as it was typed, with its tally.
fn of_cell(stored: RunCell) -> Result<(crate::cell::Cell, crate::outcome::Tally)> {
    let typed = format!("{}/{}/{}/{}/{}", stored.policy, stored.trigger, stored.target, stored.window, stored.mode);
    let cell = typed.parse().with_context(|| format!("the kept cell `{typed}` is none of this version"))?;
    Ok((cell, stored.tally))
}
