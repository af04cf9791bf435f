//! The comparison as a polars frame, one row a cell: what is grouped, filtered and written as columns.

use anyhow::{Context, Result};
use polars::prelude::{Column, CsvWriter, DataFrame, SerWriter};

use crate::cell::Cell;
use crate::metrics::{Estimate, METRICS};
use crate::outcome::Tally;

use super::Comparison;

/// The comparison as CSV with a heading line.
pub fn csv(comparison: &Comparison) -> Result<String> {
    let mut frame = cells(comparison).context("could not lay out the cells as columns")?;
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).finish(&mut frame).context("could not write the cells as CSV")?;
    String::from_utf8(bytes).context("the CSV is no UTF-8")
}

/// One row a cell: its setting, its counters, its estimates with both ends of their intervals.
fn cells(comparison: &Comparison) -> polars::prelude::PolarsResult<DataFrame> {
    let settings = SETTINGS.iter().map(|(name, read)| {
        let values: Vec<String> = comparison.cells.iter().map(|(cell, _)| read(cell)).collect();
        Column::new((*name).into(), values)
    });
    let counters = Tally::COUNTERS.iter().enumerate().map(|(at, counter)| {
        let values: Vec<u64> = comparison.cells.iter().map(|(_, tally)| tally.counters()[at]).collect();
        Column::new(counter.name.into(), values)
    });
    let counter = Column::new("counter".into(), vec![comparison.counter.as_str(); comparison.cells.len()]);
    let estimates = METRICS.iter().flat_map(|metric| {
        let values: Vec<Estimate> = comparison.cells.iter().map(|(_, tally)| (metric.estimate)(tally)).collect();
        let part = |suffix: &str, read: fn(&Estimate) -> Option<f64>| {
            Column::new(format!("{}{suffix}", metric.id).into(), values.iter().map(read).collect::<Vec<_>>())
        };
        [part("", |e| e.value), part("_low", |e| e.low), part("_high", |e| e.high)]
    });
    DataFrame::new(comparison.cells.len(), settings.chain([counter]).chain(counters).chain(estimates).collect())
}

/// How a setting is read off a cell.
type ReadCell = fn(&Cell) -> String;

/// The columns that name a cell.
const SETTINGS: &[(&str, ReadCell)] = &[
    ("cell", |cell| cell.to_string()),
    ("window", |cell| cell.window.to_string()),
    ("trigger", |cell| cell.trigger.text().to_owned()),
    ("target", |cell| cell.target.text().to_owned()),
    ("policy", |cell| cell.policy.to_string()),
    ("mode", |cell| cell.mode.to_string()),
];
