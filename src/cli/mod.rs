//! Words typed: one file a verb.
//!
//! Data goes to stdout, everything else to stderr. Exit codes are the same for all verbs; see [`Exit`].

mod check;
mod demo;
mod exit;
mod explain;
mod generate;
mod grid;
mod ingest;
mod input;
mod log;
mod output;
mod paper;
mod progress;
mod replay;
mod report;
mod runs;
mod runtime;
mod serve;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::store::{self, Store};

pub use crate::store::told;
pub use exit::{Exit, code};

/// Replays production LLM traffic against context-compaction policies.
///
/// Says, from your own logs, how many requests a provider would refuse under a policy, which sessions break, and how much
/// history goes for nothing.
#[derive(Debug, Parser)]
#[command(name = "cutpoint", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    log: log::Log,
}

const EXIT_CODES: &str = "Exit codes: 0 pass, 100 the data failed (findings), 1 the tool failed, 2 usage or configuration, \
                          3 backend unavailable, 4 nothing selected, 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Verb {
    Demo(demo::Demo),
    Replay(replay::Replay),
    Check(check::Check),
    Explain(explain::Explain),
    Ingest(ingest::Ingest),
    Report(report::Report),
    Runs(runs::Runs),
    Serve(serve::Serve),
    Generate(generate::Generate),
    Completions(paper::Completions),
    Man(paper::ManPages),
}

/// Where Cutpoint keeps what it stores.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Database")]
pub struct Database {
    /// A Postgres to use (15 or later); without it Cutpoint runs a private one
    #[arg(long, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    database_url: Option<String>,
    /// The folder of the private Postgres [default: the user's data folder]
    #[arg(long, env = "CUTPOINT_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl Database {
    /// Opens the database.
    async fn open(&self) -> Result<Store> {
        self.open_named(store::DATABASE).await
    }

    /// Opens the database of that name where it is our own; one of the user's is taken as it is.
    async fn open_named(&self, name: &'static str) -> Result<Store> {
        store::connect(&store::Database { url: self.database_url.clone(), data_dir: self.data_dir.clone(), name }).await
    }
}

impl Cli {
    /// Starts logging and carries out the verb.
    pub fn run(self) -> Result<Exit> {
        self.log.start();
        match self.verb {
            Verb::Demo(verb) => verb.run(),
            Verb::Replay(verb) => verb.run(),
            Verb::Check(verb) => verb.run(),
            Verb::Explain(verb) => verb.run(),
            Verb::Ingest(verb) => verb.run(),
            Verb::Report(verb) => verb.run(),
            Verb::Runs(verb) => verb.run(),
            Verb::Serve(verb) => verb.run(),
            Verb::Generate(verb) => verb.run(),
            Verb::Completions(verb) => verb.run(),
            Verb::Man(verb) => verb.run(),
        }
    }
}
