//! The comparison for people: one table for each window, target and mode, policies and triggers down the side.

use comfy_table::{ContentArrangement, Table, presets};

use crate::cell::{Cell, Mode, Target, Window};
use crate::metrics::{Metric, Tally, metric};

use super::{Comparison, text};

/// What the rows of one table share.
type Setting<'a> = (Window, &'a Target, Mode);

/// A column: its heading and how it is read off a tally.
struct Column {
    heading: &'static str,
    read: fn(&Tally) -> String,
}

const COLUMNS: &[Column] = &[
    Column { heading: "sessions that compact", read: |tally| figure(tally, "rate_compacted") },
    Column { heading: "sessions with a 400", read: |tally| figure(tally, "rate_400") },
    Column { heading: "1 in N", read: |tally| figure(tally, "one_in") },
    Column { heading: "calls with a 400", read: |tally| text::grouped(tally.calls_400) },
    Column { heading: "calls over window", read: |tally| text::grouped(tally.over_window) },
    Column { heading: "bad cuts", read: |tally| format!("{} of {}", tally.bad_cuts, text::grouped(tally.compactions)) },
    Column { heading: "target missed", read: |tally| text::grouped(tally.target_missed) },
    Column { heading: "overshoot", read: |tally| figure(tally, "overshoot_ratio") },
    Column { heading: "tokens for nothing", read: |tally| text::grouped(tally.freed_reached - tally.deficit_reached) },
];

fn figure(tally: &Tally, id: &str) -> String {
    let metric: &Metric = metric(id).expect("a column names a metric of the table");
    text::with_interval(&(metric.estimate)(tally), metric.unit)
}

/// The comparison as tables, laid out for `width` or, without one, for the terminal if there is one.
pub fn terminal(comparison: &Comparison, width: Option<u16>) -> String {
    let mut out = String::new();
    for (setting, cells) in settings(comparison) {
        out.push_str(&format!("{}\n", title(comparison, setting, cells[0])));
        let mut table = filled(&cells, presets::UTF8_HORIZONTAL_ONLY);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        if let Some(width) = width {
            table.set_width(width);
        }
        out.push_str(&format!("{table}\n\n"));
    }
    out.push_str(&footnote(comparison));
    out
}

/// The comparison as Markdown tables.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (setting, cells) in settings(comparison) {
        out.push_str(&format!("### {}\n\n", title(comparison, setting, cells[0])));
        out.push_str(&format!("{}\n\n", filled(&cells, presets::ASCII_MARKDOWN)));
    }
    out.push_str(&footnote(comparison));
    out
}

fn title(comparison: &Comparison, (window, target, mode): Setting, (_, tally): &(Cell, Tally)) -> String {
    let window = match window {
        Window::Tokens(tokens) => format!("window {} tokens", text::grouped(tokens)),
        Window::Model => "window of each model".to_owned(),
    };
    let sizes = format!("{} sessions, {} calls", text::grouped(tally.sessions), text::grouped(tally.calls));
    format!("{window} · target {} · {mode} · {sizes} · tokens by {}", target.text(), comparison.counter)
}

fn footnote(comparison: &Comparison) -> String {
    let invalid = comparison.cells.iter().map(|(_, tally)| tally.baseline_invalid_calls).max().unwrap_or(0);
    let mut note =
        "A 400 is charged to a policy only where the uncompacted request is taken. Overshoot is freed / deficit over \
                    the cuts that reached their target. Intervals are 95 %.\n"
            .to_owned();
    if invalid > 0 {
        note.push_str(&format!("{} calls are invalid as logged and charged to no policy.\n", text::grouped(invalid)));
    }
    note
}

fn filled(cells: &[&(Cell, Tally)], preset: &str) -> Table {
    let mut table = Table::new();
    table.load_preset(preset);
    table.set_header(["policy", "trigger"].into_iter().chain(COLUMNS.iter().map(|column| column.heading)));
    for (cell, tally) in cells {
        let named = [cell.policy.to_string(), cell.trigger.text().to_owned()];
        table.add_row(named.into_iter().chain(COLUMNS.iter().map(|column| (column.read)(tally))));
    }
    table
}

/// The cells by what they share, in the order in which they come.
fn settings(comparison: &Comparison) -> Vec<(Setting<'_>, Vec<&(Cell, Tally)>)> {
    let mut settings: Vec<(Setting, Vec<&(Cell, Tally)>)> = Vec::new();
    for entry in &comparison.cells {
        let setting = (entry.0.window, &entry.0.target, entry.0.mode);
        match settings.iter_mut().find(|(known, _)| *known == setting) {
            Some((_, cells)) => cells.push(entry),
            None => settings.push((setting, vec![entry])),
        }
    }
    for (_, cells) in &mut settings {
        let order: Vec<String> = cells.iter().map(|(cell, _)| cell.policy.to_string()).collect();
        cells.sort_by_key(|(cell, _)| order.iter().position(|policy| *policy == cell.policy.to_string()));
    }
    settings
}
