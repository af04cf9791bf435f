//! `/runs`: the replays that were kept, newest first.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::extract::Query;
use super::page::{self, Frame};
use super::{Error, params};
use crate::store::{Run, Store};

/// Runs on one page.
const PAGE: u32 = 50;

/// A run as lists show it.
pub struct RunLine {
    pub id: i64,
    pub name: String,
    pub created_at: String,
    pub origin: String,
    pub counter: String,
    pub sessions: String,
    pub calls: String,
    pub cells: String,
    pub duration: String,
}

impl RunLine {
    /// The line of a run.
    pub fn of(run: Run) -> RunLine {
        RunLine {
            id: run.id,
            name: run.tag.unwrap_or_else(|| format!("Run {}", run.id)),
            created_at: page::when(&run.created_at),
            origin: run.origin,
            counter: run.counter,
            sessions: page::count(&run.sessions),
            calls: page::count(&run.calls),
            cells: page::count(&run.cells),
            duration: page::duration(run.duration_ms),
        }
    }
}

#[derive(Deserialize)]
pub struct Asked {
    before: Option<String>,
}

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage {
    frame: Frame,
    runs: Vec<RunLine>,
    is_first: bool,
    next: Option<i64>,
}

/// The page.
pub async fn list(State(store): State<Arc<Store>>, Query(asked): Query<Asked>) -> Result<Response, Error> {
    let before: Option<i64> = params::query(asked.before.as_deref(), "before", 42)?;
    let mut runs = store.runs(before, PAGE + 1).await?;
    let more = runs.len() > PAGE as usize;
    runs.truncate(PAGE as usize);
    let next = runs.last().filter(|_| more).map(|run| run.id);
    let runs = runs.into_iter().map(RunLine::of).collect();
    page::html(&RunsPage { frame: Frame::new("Runs", "/runs"), runs, is_first: before.is_none(), next })
}
