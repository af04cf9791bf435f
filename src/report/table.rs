//! The comparison for people: one table for each window, target and mode, policies and triggers down the side.

use comfy_table::{CellAlignment, Table, presets};

use crate::cell::{Cell, Mode, Target, Window};
use crate::metrics::{Metric, metric};
use crate::outcome::Tally;

use super::{Comparison, text};

/// The width to lay out for where there is no terminal.
const WIDTH: u16 = 120;

/// Columns apart by space, a rule above and under the heading.
const PLAIN: &str = "  ─  ──      ─     ";

/// What the rows of one table share.
type Setting<'a> = (Window, &'a Target, Mode);

/// A column: its heading and how it is read off a tally.
struct Column {
    heading: &'static str,
    read: fn(&Tally) -> String,
}

const COLUMNS: &[Column] = &[
    Column { heading: "sessions with 400", read: |tally| counted(tally.sessions_400, figure(tally, "rate_400")) },
    Column {
        heading: "of those compacted",
        read: |tally| format!("{} of {}", tally.sessions_400, tally.sessions_compacted),
    },
    Column { heading: "1 in N", read: |tally| figure(tally, "one_in") },
    Column { heading: "400s", read: |tally| text::grouped(tally.calls_400) },
    Column { heading: "over window", read: |tally| text::grouped(tally.over_window) },
    Column { heading: "bad cuts", read: |tally| format!("{} of {}", tally.bad_cuts, text::grouped(tally.compactions)) },
    Column { heading: "overshoot", read: |tally| figure(tally, "overshoot_ratio") },
    Column { heading: "tokens for nothing", read: |tally| text::grouped(tally.freed_reached - tally.deficit_reached) },
    Column { heading: "target missed", read: |tally| text::grouped(tally.target_missed) },
    Column {
        heading: "sessions compacted",
        read: |tally| counted(tally.sessions_compacted, figure(tally, "rate_compacted")),
    },
];

/// A count with the rate that it gives; none at all has its own words there.
fn counted(count: u64, rate: String) -> String {
    if count == 0 { rate } else { format!("{} · {rate}", text::grouped(count)) }
}

fn figure(tally: &Tally, id: &str) -> String {
    let metric: &Metric = metric(id).expect("a column names a metric of the table");
    text::with_interval(&(metric.estimate)(tally), metric.unit)
}

/// The comparison as tables, laid out for `width` or, without one, for the terminal if there is one: what does not fit
/// beside each other goes below.
pub fn terminal(comparison: &Comparison, width: Option<u16>) -> String {
    let width = usize::from(width.or_else(terminal_width).unwrap_or(WIDTH));
    let mut out = String::new();
    for (setting, cells) in settings(comparison) {
        out.push_str(&format!("{}\n", title(comparison, setting, cells[0])));
        let columns = columns(&cells);
        for fitting in pack(&columns, width) {
            out.push_str(&format!("{}\n", table(&fitting, PLAIN)));
        }
        out.push('\n');
    }
    out.push_str(&footnote(comparison));
    out
}

/// The columns of the terminal on stdout, if there is one.
pub fn terminal_width() -> Option<u16> {
    Table::new().width()
}

/// The comparison as Markdown tables.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (setting, cells) in settings(comparison) {
        out.push_str(&format!("### {}\n\n", title(comparison, setting, cells[0])));
        let columns = columns(&cells);
        let all: Vec<&Filled> = columns.iter().collect();
        out.push_str(&format!("{}\n\n", table(&all, presets::ASCII_MARKDOWN)));
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

/// A column with its texts, heading first.
struct Filled {
    texts: Vec<String>,
}

impl Filled {
    fn new(heading: &str, texts: impl Iterator<Item = String>) -> Filled {
        Filled { texts: [heading.to_owned()].into_iter().chain(texts).collect() }
    }

    /// The columns of a terminal that it takes, the space around it included.
    fn width(&self) -> usize {
        self.texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) + 3
    }
}

/// The columns that stand in every table.
const NAMING: usize = 2;

fn columns(cells: &[&(Cell, Tally)]) -> Vec<Filled> {
    let naming = [
        Filled::new("policy", cells.iter().map(|(cell, _)| cell.policy.to_string())),
        Filled::new("trigger", cells.iter().map(|(cell, _)| cell.trigger.text().to_owned())),
    ];
    let figures =
        COLUMNS.iter().map(|column| Filled::new(column.heading, cells.iter().map(|(_, tally)| (column.read)(tally))));
    naming.into_iter().chain(figures).collect()
}

/// The columns as tables that fit a width, each with the columns that name a cell in front.
fn pack(columns: &[Filled], width: usize) -> Vec<Vec<&Filled>> {
    let (naming, figures) = columns.split_at(NAMING);
    let named: usize = naming.iter().map(Filled::width).sum();
    let mut tables: Vec<Vec<&Filled>> = Vec::new();
    let mut taken = named;
    for figure in figures {
        if tables.is_empty() || taken + figure.width() > width {
            tables.push(naming.iter().collect());
            taken = named;
        }
        taken += figure.width();
        tables.last_mut().expect("the first column begins a table").push(figure);
    }
    tables
}

fn table(columns: &[&Filled], preset: &str) -> Table {
    let mut table = Table::new();
    table.load_preset(preset);
    let row = |at: usize| columns.iter().map(move |column| column.texts[at].as_str());
    table.set_header(row(0)).add_rows((1..columns[0].texts.len()).map(row));
    let figures = table.column_iter_mut().skip(NAMING);
    figures.for_each(|figure| figure.set_cell_alignment(CellAlignment::Right));
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
