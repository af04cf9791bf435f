//! The comparison for programs: one object a cell, counters as whole numbers, estimates with their intervals.

use serde_json::{Map, Value, json};

use crate::cell::{Cell, Window};
use crate::metrics::{Estimate, METRICS};
use crate::outcome::Tally;

use super::Comparison;

/// The version of the form; it grows when a member changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// The comparison as one JSON document.
pub fn write(comparison: &Comparison) -> String {
    let cells: Vec<Value> = comparison.cells.iter().map(|(cell, tally)| of_cell(cell, tally)).collect();
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "cutpoint_version": env!("CARGO_PKG_VERSION"),
        "counter": comparison.counter,
        "cells": cells,
    });
    format!("{document:#}\n")
}

fn of_cell(cell: &Cell, tally: &Tally) -> Value {
    let mut object = Map::new();
    object.insert("cell".to_owned(), json!(cell.to_string()));
    object.insert(
        "window".to_owned(),
        match cell.window {
            Window::Tokens(tokens) => json!(tokens),
            Window::Model => json!("model"),
        },
    );
    object.insert("trigger".to_owned(), json!(cell.trigger.text()));
    object.insert("target".to_owned(), json!(cell.target.text()));
    object.insert("policy".to_owned(), json!(cell.policy.to_string()));
    object.insert("mode".to_owned(), json!(cell.mode.as_str()));
    for (counter, count) in Tally::COUNTERS.iter().zip(tally.counters()) {
        object.insert(counter.name.to_owned(), json!(count));
    }
    let estimates = METRICS.iter().map(|metric| (metric.id.to_owned(), of_estimate(&(metric.estimate)(tally))));
    object.insert("estimates".to_owned(), Value::Object(estimates.collect()));
    Value::Object(object)
}

fn of_estimate(estimate: &Estimate) -> Value {
    json!({ "value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n })
}
