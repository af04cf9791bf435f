//! The form in which a verb tells its result on stdout.

use std::io::Write;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::report::{self, Comparison};

/// The form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    Table,
    Json,
    Csv,
    Markdown,
}

/// How to tell a comparison.
#[derive(Clone, Debug, Args)]
pub struct Output {
    /// The form of the result on stdout
    #[arg(short, long, value_enum, default_value_t = Form::Table, env = "CUTPOINT_OUTPUT")]
    pub output: Form,
}

impl Output {
    /// Prints a comparison.
    pub fn print(&self, comparison: &Comparison) -> Result<()> {
        let form = match self.output {
            Form::Table => report::Form::Table,
            Form::Json => report::Form::Json,
            Form::Csv => report::Form::Csv,
            Form::Markdown => report::Form::Markdown,
        };
        print(&report::write(comparison, form, stated_width())?)
    }
}

/// Writes to stdout; a reader that left early, like `head`, is no error.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("could not write to stdout"),
    }
}

/// The width to lay out for where `COLUMNS` states one; otherwise the terminal's own counts.
pub fn stated_width() -> Option<u16> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}
