//! `/runs/{id}`: one replay. A block shows the cells of one window, target and mode; the URL chooses it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::extract::{Path, Query};
use super::figures::{self, Block, Setting};
use super::page::{self, Described, Frame};
use super::params::{self, Twin};
use super::runs::RunLine;
use super::{Error, csv};
use crate::metrics::{self, Metric};
use crate::report::chart::distribution::{self, Line};
use crate::report::chart::heat_map::HeatMap;
use crate::report::chart::{Caption, heat_map};
use crate::report::{self, Form, text};
use crate::stats;
use crate::store::{OutcomeLine, Run, RunCell, Store};

static PAGE: Described<Page> = Described::new(|| page::described(include_str!("../../dashboards/run.toml")));

/// Broken sessions shown for each cell.
const BROKEN: u32 = 5;

/// The page as described.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    panel: Vec<Panel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Panel {
    id: String,
    title: String,
    about: String,
    show: Show,
    /// The figures shown, by the ids of their metrics.
    metrics: Vec<String>,
    /// The value at the dark end of a heat map.
    #[serde(default)]
    floor: f64,
}

impl Panel {
    /// Whether two of them fit side by side.
    fn is_narrow(&self, columns: &usize) -> bool {
        self.show == Show::HeatMap && *columns <= 3
    }
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Show {
    HeatMap,
    Figures,
    Distribution,
    Broken,
}

/// Which block of a run is shown.
#[derive(Deserialize)]
pub struct Asked {
    window: Option<String>,
    target: Option<String>,
    mode: Option<String>,
}

impl Asked {
    /// The setting asked for: the first that has all that is named; a run without cells has an empty one.
    fn choose(&self, settings: &[Setting]) -> Result<Setting, Error> {
        if settings.is_empty() {
            return Ok(Setting::default());
        }
        let fits = |asked: &Option<String>, value: &str| asked.as_deref().is_none_or(|a| a.is_empty() || a == value);
        let found = settings.iter().find(|setting| {
            fits(&self.window, &setting.window)
                && fits(&self.target, &setting.target)
                && fits(&self.mode, &setting.mode)
        });
        found
            .cloned()
            .ok_or_else(|| Error::NotFound("This run has no cell of that window, target and mode.".to_owned()))
    }
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    frame: Frame,
    run: RunLine,
    settings: Vec<(Setting, bool)>,
    size: String,
    /// Calls that are invalid as logged.
    invalid: u64,
    panels: Vec<(&'static Panel, String)>,
    /// Columns of a heat map.
    columns: usize,
}

#[derive(Template)]
#[template(path = "run_heat_map.html")]
struct HeatMapPanel<'a> {
    title: &'a str,
    picture: String,
    map: HeatMap,
    run: i64,
}

#[derive(Template)]
#[template(path = "run_figures.html")]
struct FiguresPanel<'a> {
    run: i64,
    metrics: &'a [&'static Metric],
    rows: Vec<FiguresRow<'a>>,
}

struct FiguresRow<'a> {
    cell: &'a RunCell,
    figures: Vec<String>,
}

#[derive(Template)]
#[template(path = "run_distribution.html")]
struct DistributionPanel<'a> {
    pictures: Vec<(&'a str, String)>,
    rows: Vec<FiguresRow<'a>>,
    metrics: &'a [&'static Metric],
    csv: String,
}

#[derive(Template)]
#[template(path = "run_broken.html")]
struct BrokenPanel {
    run: i64,
    limit: u32,
    outcomes: Vec<OutcomeLine>,
}

/// The page, or its figures as CSV or JSON.
pub async fn show(
    State(store): State<Arc<Store>>,
    Path(segment): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Error> {
    let (id, twin) = params::numbered(&segment, "run")?;
    let (run, cells) = stored(&store, id).await?;
    let form = match twin {
        Twin::Html => return show_html(&store, run, &cells, &asked).await,
        Twin::Csv => Form::Csv,
        Twin::Json => Form::Json,
    };
    let text = report::write(&figures::comparison(&run.counter, &cells)?, form, None)?;
    Ok(match twin {
        Twin::Json => csv::file(&format!("run-{id}.json"), "application/json", text),
        _ => csv::download(&format!("run-{id}.csv"), text),
    })
}

async fn stored(store: &Store, id: i64) -> Result<(Run, Vec<RunCell>), Error> {
    let run = store.run(id).await?.ok_or_else(|| Error::NotFound(format!("There is no run {id}.")))?;
    Ok((run, store.run_cells(id).await?))
}

async fn show_html(store: &Store, run: Run, cells: &[RunCell], asked: &Asked) -> Result<Response, Error> {
    let settings = figures::settings(cells);
    let chosen = asked.choose(&settings)?;
    let block = Block::of(cells, &chosen);
    let run = RunLine::of(run);
    let mut panels = Vec::new();
    for panel in &PAGE.panel {
        panels.push((panel, body(store, &run, &chosen, &block, panel).await?));
    }
    let size = format!("{} sessions · {} calls · tokens by {}", run.sessions, run.calls, run.counter);
    let invalid = block.cells.iter().map(|cell| cell.tally.baseline_invalid_calls).max().unwrap_or(0);
    let settings = settings.into_iter().map(|setting| (setting.clone(), setting == chosen)).collect();
    let (frame, columns) = (Frame::new(&run.name, "/runs"), block.triggers.len());
    page::html(&RunPage { frame, run, settings, size, invalid, panels, columns })
}

async fn body(
    store: &Store,
    run: &RunLine,
    setting: &Setting,
    block: &Block<'_>,
    panel: &Panel,
) -> Result<String, Error> {
    let metrics: Vec<&'static Metric> = panel.metrics.iter().filter_map(|id| metrics::metric(id)).collect();
    let rendered = match panel.show {
        Show::HeatMap => heat_map_of(run.id, block, panel, &metrics).render(),
        Show::Figures => FiguresPanel { run: run.id, metrics: &metrics, rows: figures_of(block, &metrics) }.render(),
        Show::Distribution => distribution_of(run.id, setting, block, panel, &metrics).render(),
        Show::Broken => broken_of(store, run.id, block).await?.render(),
    };
    rendered.map_err(|error| Error::Internal(error.into()))
}

fn heat_map_of<'a>(run: i64, block: &Block, panel: &'a Panel, metrics: &[&'static Metric]) -> HeatMapPanel<'a> {
    let map = metrics.first().map(|metric| block.heat_map(metric, panel.floor)).unwrap_or_default();
    let picture = heat_map::svg(&Caption { id: &panel.id, title: &panel.title, about: &panel.about }, &map);
    HeatMapPanel { title: &panel.title, picture, map, run }
}

fn figures_of<'a>(block: &Block<'a>, metrics: &[&'static Metric]) -> Vec<FiguresRow<'a>> {
    let read = |cell: &RunCell| -> Vec<String> {
        metrics.iter().map(|metric| text::with_interval(&(metric.estimate)(&cell.tally), metric.unit)).collect()
    };
    block.cells.iter().map(|cell| FiguresRow { cell, figures: read(cell) }).collect()
}

fn distribution_of<'a>(
    run: i64,
    setting: &Setting,
    block: &Block<'a>,
    panel: &Panel,
    metrics: &'a [&'static Metric],
) -> DistributionPanel<'a> {
    let pictures = block.triggers.iter().enumerate().map(|(number, trigger)| {
        let of_trigger = block.cells.iter().filter(|cell| cell.trigger == **trigger);
        let lines: Vec<Line> =
            of_trigger.map(|cell| Line { name: cell.policy.clone(), sketch: cell.tally.overshoot.clone() }).collect();
        let (id, title) = (format!("{}-{number}", panel.id), format!("{}, trigger {trigger}", panel.title));
        (*trigger, distribution::svg(&Caption { id: &id, title: &title, about: &panel.about }, &lines))
    });
    let rows = figures_of(block, metrics);
    let rows = rows.into_iter().filter(|row| row.cell.tally.overshoot.n() > 0).collect();
    let csv = format!(
        "/runs/{run}/overshoot.csv?window={}&target={}&mode={}",
        page::in_query(&setting.window),
        page::in_query(&setting.target),
        page::in_query(&setting.mode)
    );
    DistributionPanel { pictures: pictures.collect(), rows, metrics, csv }
}

async fn broken_of(store: &Store, run: i64, block: &Block<'_>) -> Result<BrokenPanel, Error> {
    let breaking: Vec<i64> =
        block.cells.iter().filter(|cell| cell.tally.sessions_400 > 0).map(|cell| cell.id).collect();
    let outcomes = store.broken_outcomes(&breaking, BROKEN).await?;
    Ok(BrokenPanel { run, limit: BROKEN, outcomes })
}

/// The distributions of a block as CSV: one row for each cell and bucket.
pub async fn overshoot_csv(
    State(store): State<Arc<Store>>,
    Path(segment): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Error> {
    let id = params::number_of(&segment, "run")?;
    let (_, cells) = stored(&store, id).await?;
    let setting = asked.choose(&figures::settings(&cells))?;
    let mut out = String::new();
    csv::line(&mut out, &["cell", "overshoot_ratio", "cuts", "share_at_most"]);
    for cell in Block::of(&cells, &setting).cells {
        put_buckets(&mut out, cell);
    }
    Ok(csv::download(&format!("run-{id}-overshoot.csv"), out))
}

fn put_buckets(out: &mut String, cell: &RunCell) {
    let mut seen = 0;
    for (bucket, count) in cell.tally.overshoot.buckets() {
        seen += count;
        let share = seen as f64 / cell.tally.overshoot.n() as f64;
        let (ratio, cumulative) = (format!("{:.4}", stats::middle(bucket)), format!("{share:.6}"));
        csv::line(out, &[&cell.key, &ratio, &count.to_string(), &cumulative]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_names_metrics_that_there_are() {
        for panel in &PAGE.panel {
            for id in &panel.metrics {
                assert!(metrics::metric(id).is_some(), "panel `{}` names `{id}`", panel.id);
            }
        }
    }
}
