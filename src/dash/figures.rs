//! The cells of a run as pages need them: blocks of cells that differ only in policy and trigger, and their figures.

use anyhow::{Context, Result};

use crate::cell::Cell;
use crate::metrics::{Estimate, Metric, Unit};
use crate::outcome::Tally;
use crate::report::chart::heat_map::{HeatMap, Row, Tile};
use crate::report::{Comparison, text};
use crate::store::RunCell;

/// What the cells of a block share, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    pub window: String,
    pub target: String,
    pub mode: String,
}

impl Setting {
    /// The setting of a cell.
    pub fn of(cell: &RunCell) -> Setting {
        Setting { window: cell.window.clone(), target: cell.target.clone(), mode: cell.mode.clone() }
    }

    /// The setting in words.
    pub fn words(&self) -> String {
        let window = match self.window.parse() {
            Ok(tokens) => format!("window {} tokens", text::grouped(tokens)),
            Err(_) => "window of each model".to_owned(),
        };
        format!("{window} · target {} · {}", self.target, self.mode)
    }
}

/// The distinct settings of cells, in the order in which they come.
pub fn settings(cells: &[RunCell]) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for setting in cells.iter().map(Setting::of) {
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    settings
}

/// Cells of one setting.
pub struct Block<'a> {
    pub cells: Vec<&'a RunCell>,
    pub policies: Vec<&'a str>,
    pub triggers: Vec<&'a str>,
}

impl<'a> Block<'a> {
    /// The cells of a setting.
    pub fn of(cells: &'a [RunCell], setting: &Setting) -> Block<'a> {
        let mut cells: Vec<&RunCell> = cells.iter().filter(|cell| Setting::of(cell) == *setting).collect();
        let policies = distinct(cells.iter().map(|cell| cell.policy.as_str()));
        let triggers = distinct(cells.iter().map(|cell| cell.trigger.as_str()));
        cells.sort_by_key(|cell| policies.iter().position(|policy| *policy == cell.policy));
        Block { cells, policies, triggers }
    }

    /// A figure of every cell as a heat map.
    pub fn heat_map(&self, metric: &Metric, floor: f64) -> HeatMap {
        let rows = self.policies.iter().map(|policy| {
            let tiles = self.triggers.iter().map(|trigger| match self.cell(policy, trigger) {
                Some(cell) => tile(metric, &cell.tally),
                None => Tile::default(),
            });
            Row { name: (*policy).to_owned(), tiles: tiles.collect() }
        });
        let columns = self.triggers.iter().map(|trigger| (*trigger).to_owned()).collect();
        HeatMap { across: "policy / trigger".to_owned(), columns, rows: rows.collect(), floor }
    }

    fn cell(&self, policy: &str, trigger: &str) -> Option<&RunCell> {
        self.cells.iter().copied().find(|cell| cell.policy == policy && cell.trigger == trigger)
    }
}

fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    distinct
}

fn tile(metric: &Metric, tally: &Tally) -> Tile {
    let estimate = (metric.estimate)(tally);
    Tile { value: estimate.value, figure: text::value(&estimate, metric.unit), detail: detail(&estimate, metric.unit) }
}

/// The interval of a tile, or what it rests on where it has none or says it already.
fn detail(estimate: &Estimate, unit: Unit) -> String {
    match (estimate.value, estimate.low, estimate.high) {
        (Some(value), Some(low), Some(high)) if value > 0.0 && unit == Unit::Share => {
            format!("{} – {}", text::percent(low).trim_end_matches(" %"), text::percent(high))
        }
        (None, ..) => "nothing to measure".to_owned(),
        _ => format!("n = {}", text::grouped(estimate.n)),
    }
}

/// The cells of a run for the forms of `report`.
pub fn comparison(counter: &str, cells: &[RunCell]) -> Result<Comparison> {
    let read = |cell: &RunCell| Ok((parsed(cell)?, cell.tally.clone()));
    let cells = cells.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(Comparison { counter: counter.to_owned(), cells })
}

/// The cell as it was typed.
fn parsed(cell: &RunCell) -> Result<Cell> {
    let unreadable = || format!("could not read the stored cell `{}`", cell.key);
    Cell::new(
        cell.policy.parse().with_context(unreadable)?,
        cell.trigger.parse().with_context(unreadable)?,
        cell.target.parse().with_context(unreadable)?,
        cell.window.parse().with_context(unreadable)?,
        cell.mode.parse().with_context(unreadable)?,
    )
    .with_context(unreadable)
}
