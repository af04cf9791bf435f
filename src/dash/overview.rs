//! `/`: how much is stored, and the latest of it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::Error;
use super::page::{self, Described, Frame};
use super::runs::RunLine;
use crate::store::{Overview, Store, StoredDefect};

static PAGE: Described<Page> = Described::new(|| page::described(include_str!("../../dashboards/overview.toml")));

/// The page as described.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    tile: Vec<Tile>,
    latest_runs: u32,
    latest_defects: u32,
}

/// A number with what it counts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tile {
    count: Count,
    label: String,
    about: String,
    link: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Count {
    Sessions,
    Calls,
    #[serde(rename = "calls-400")]
    Calls400,
    Compactions,
    Defects,
}

impl Count {
    fn of(self, overview: &Overview) -> Option<i64> {
        match self {
            Count::Sessions => Some(overview.sessions),
            Count::Calls => Some(overview.calls),
            Count::Calls400 => overview.calls_400,
            Count::Compactions => Some(overview.compactions),
            Count::Defects => Some(overview.defects),
        }
    }
}

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    frame: Frame,
    overview: Overview,
    tiles: Vec<(&'static Tile, String)>,
    runs: Vec<RunLine>,
    defects: Vec<StoredDefect>,
}

/// The page.
pub async fn show(State(store): State<Arc<Store>>) -> Result<Response, Error> {
    let (overview, runs, defects) = tokio::try_join!(
        store.overview(),
        store.runs(None, PAGE.latest_runs),
        store.defects(None, PAGE.latest_defects)
    )?;
    let tiles = PAGE.tile.iter().map(|tile| (tile, page::maybe_count(&tile.count.of(&overview)))).collect();
    let runs = runs.into_iter().map(RunLine::of).collect();
    page::html(&OverviewPage { frame: Frame::new("Overview", "/"), overview, tiles, runs, defects })
}
