//! Cells with their tallies, told as a table, Markdown, CSV, JSON or pictures.

mod frame;
mod json;
mod table;
pub mod chart;
pub mod text;

use anyhow::Result;

use crate::cell::Cell;
use crate::outcome::Tally;

/// The cells of one replay, side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What counted the tokens; it stands beside every figure.
    pub counter: String,
    pub cells: Vec<(Cell, Tally)>,
}

/// The form in which a comparison is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Table,
    Markdown,
    Csv,
    Json,
}

/// The comparison in a form, ending in a line break.
pub fn write(comparison: &Comparison, form: Form, width: Option<u16>) -> Result<String> {
    match form {
        Form::Table => Ok(table::terminal(comparison, width)),
        Form::Markdown => Ok(table::markdown(comparison)),
        Form::Csv => frame::csv(comparison),
        Form::Json => Ok(json::write(comparison)),
    }
}

/// The columns of the terminal on stdout, if there is one.
pub fn terminal_width() -> Option<u16> {
    table::terminal_width()
}
