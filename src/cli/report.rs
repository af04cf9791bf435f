//! `cutpoint report`: a run that was kept, told again.

use anyhow::{Context, Result};
use clap::Args;

use crate::report::Comparison;
use crate::store::{RunCell, Store};

use super::Database;
use super::exit::{Exit, NothingSelected, Usage};
use super::output::Output;
use super::runtime::block_on;

/// Tell a kept run again
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint report latest\n  cutpoint report 12 --output markdown")]
pub struct Report {
    /// The number of the run, or `latest`
    run: String,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    database: Database,
}

impl Report {
    pub fn run(self) -> Result<Exit> {
        block_on(async {
            let wanted = wanted(&self.run)?;
            let store = self.database.open().await?;
            let comparison = load(&store, wanted).await;
            self.output.print(&store.close_after(comparison).await?)?;
            Ok(Exit::Pass)
        })
    }
}

/// The number of a run; none for the latest.
fn wanted(text: &str) -> Result<Option<i64>> {
    match text {
        "latest" => Ok(None),
        number => {
            let number =
                number.parse().map_err(|_| Usage(format!("`{number}` is no run; write its number, or `latest`")))?;
            Ok(Some(number))
        }
    }
}

async fn load(store: &Store, wanted: Option<i64>) -> Result<Comparison> {
    let run = match wanted {
        Some(id) => store.run(id).await?,
        None => store.runs(None, 1).await?.pop(),
    };
    let run = run.ok_or_else(|| match wanted {
        Some(id) => NothingSelected(format!("there is no run {id}; `cutpoint serve` lists them")),
        None => NothingSelected("no run was kept yet; make one with `cutpoint replay --stored`".to_owned()),
    })?;
    let cells = store.run_cells(run.id).await?.into_iter().map(of_cell).collect::<Result<_>>()?;
    Ok(Comparison { counter: run.counter, cells })
}

/// The cell as it was typed, with its tally.
fn of_cell(stored: RunCell) -> Result<(crate::cell::Cell, crate::outcome::Tally)> {
    let typed = format!("{}/{}/{}/{}/{}", stored.policy, stored.trigger, stored.target, stored.window, stored.mode);
    let cell = typed.parse().with_context(|| format!("the kept cell `{typed}` is none of this version"))?;
    Ok((cell, stored.tally))
}
