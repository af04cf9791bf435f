//! `cutpoint ingest`: logs into the database.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use tokio::sync::mpsc::channel;

use crate::ingest::{self, Counts, Item};
use crate::session::Joined;
use crate::source::{self, Input, Meter};
use crate::store::Store;

use super::Database;
use super::exit::{Exit, NothingSelected, Usage};
use super::input::{Paths, files, tell_left_out};
use super::progress::Progress;
use super::runtime::block_on;

/// Items that wait between the reader and the database.
const QUEUE: usize = 256;

/// Read logs and store their sessions; what is known already is not stored twice
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint ingest calls.jsonl\n  cutpoint ingest ~/.claude/projects\n  \
                        gunzip -c calls.jsonl.gz | cutpoint ingest -")]
pub struct Ingest {
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    database: Database,
}

impl Ingest {
    pub fn run(self) -> Result<Exit> {
        if self.paths.paths.is_empty() {
            return Err(Usage("name a log to ingest: a file, a folder, a pattern, or `-`".to_owned()).into());
        }
        block_on(async {
            let store = self.database.open().await?;
            let done = ingest_paths(&store, &self.paths).await;
            let (counts, report) = store.close_after(done).await?;
            tell_left_out(&report);
            something_read(&report)?;
            super::output::print(&summary(&counts, &report))?;
            Ok(Exit::Pass)
        })
    }
}

/// Reads logs and stores what they hold.
pub async fn ingest_paths(store: &Store, paths: &Paths) -> Result<(Counts, source::Report)> {
    let (paths, meter) = (paths.clone(), Arc::new(Meter::default()));
    ingest_metered(store, meter.clone(), move |on_joined| {
        source::read(Input { meter: Some(&meter), ..paths.input() }, on_joined)
    })
    .await
}

/// Stores what a reader hands on.
pub async fn ingest_from(
    store: &Store,
    read: impl FnOnce(&mut dyn FnMut(Joined)) -> Result<source::Report, source::Error> + Send + 'static,
) -> Result<(Counts, source::Report)> {
    ingest_metered(store, Arc::default(), read).await
}

async fn ingest_metered(
    store: &Store,
    meter: Arc<Meter>,
    read: impl FnOnce(&mut dyn FnMut(Joined)) -> Result<source::Report, source::Error> + Send + 'static,
) -> Result<(Counts, source::Report)> {
    let (sender, receiver) = channel(QUEUE);
    let reading = tokio::task::spawn_blocking(move || {
        let progress = Progress::of_input("reading", "sessions", meter);
        // The queue closes early only if storing failed, and that failure is what the user hears of.
        let send = |item: Item| drop(sender.blocking_send(item));
        let report = read(&mut |joined| match joined {
            Joined::Session(session) => {
                progress.step();
                send(Item::Session(session));
            }
            Joined::Defect(defect) => send(Item::Defect(defect)),
        })?;
        report.ends.iter().cloned().for_each(|end| send(Item::End(end)));
        Ok::<_, source::Error>(report)
    });
    let stored = ingest::ingest(store, receiver, |_| {}).await;
    let read = reading.await?;
    Ok((stored?, read?))
}

/// Logs that hold no session were not stored before: they are another log, or none.
pub fn something_read(report: &source::Report) -> Result<()> {
    if report.sessions > 0 {
        return Ok(());
    }
    let why = match report.n_defects {
        0 => format!("{} without a single request or message", files(report.files)),
        n => format!("all {n} records were quarantined"),
    };
    Err(NothingSelected(format!("nothing was read, and nothing stored: {why}")).into())
}

/// What was read and what of it is new, in a few lines.
pub fn summary(counts: &Counts, report: &source::Report) -> String {
    let added = &counts.added;
    let mut text = format!("read {}: {} sessions, {} records\n", files(report.files), report.sessions, report.records);
    if added.sessions_new + added.sessions_extended == 0 {
        text.push_str("nothing new: all of it was stored before\n");
        return text;
    }
    text.push_str(&format!(
        "stored {} new sessions, {} extended, {} known already; {} new messages, {} calls, {} compactions that the logs show\n",
        added.sessions_new,
        added.sessions_extended,
        added.sessions_unchanged,
        added.messages_new,
        added.calls_new,
        added.compactions_new
    ));
    text
}
