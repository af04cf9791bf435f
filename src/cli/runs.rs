//! `cutpoint runs`: the runs that were kept: list, show, tag and delete them.

use std::str::FromStr;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::report::text;
use crate::store::{Run, RunCell, Store};

use super::Database;
use super::exit::{Exit, NothingSelected, Usage};
use super::output::print;
use super::runtime::block_on;

/// The longest tag, in characters.
const TAG_MAX: usize = 100;

/// List, show, tag and delete the runs that were kept
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cutpoint runs list\n  cutpoint runs show latest\n  cutpoint runs tag 12 before-upgrade\n  \
                        cutpoint report before-upgrade\n  cutpoint runs delete 3 4"
)]
pub struct Runs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Tag(Tag),
    Delete(Delete),
}

/// List runs, newest first
#[derive(Debug, Args)]
struct List {
    /// The most runs to list
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// The form of the result on stdout
    #[arg(short, long, value_enum, default_value_t = Form::Table)]
    output: Form,
    #[command(flatten)]
    database: Database,
}

/// Show a run: what asked for it, when, over what, and its cells
#[derive(Debug, Args)]
struct Show {
    /// The number of the run, its tag, or `latest`
    run: RunName,
    /// The form of the result on stdout
    #[arg(short, long, value_enum, default_value_t = Form::Table)]
    output: Form,
    #[command(flatten)]
    database: Database,
}

/// Give a run a tag, by which it can be named
#[derive(Debug, Args)]
struct Tag {
    /// The number of the run, its tag, or `latest`
    run: RunName,
    /// The tag
    #[arg(value_parser = tag_of, required_unless_present = "remove")]
    tag: Option<String>,
    /// Take the tag away
    #[arg(long, conflicts_with = "tag")]
    remove: bool,
    #[command(flatten)]
    database: Database,
}

/// Delete runs, with all that they hold; sessions stay
#[derive(Debug, Args)]
struct Delete {
    /// The numbers of the runs, their tags, or `latest`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<RunName>,
    #[command(flatten)]
    database: Database,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Table,
    Json,
}

/// How a run is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunName {
    Latest,
    Number(i64),
    Tag(String),
}

impl FromStr for RunName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<RunName, Self::Err> {
        Ok(match (text, text.parse()) {
            ("latest", _) => RunName::Latest,
            (_, Ok(number)) => RunName::Number(number),
            _ => RunName::Tag(text.to_owned()),
        })
    }
}

/// A tag that names a run and nothing else.
fn tag_of(text: &str) -> Result<String, String> {
    let length = text.chars().count();
    match text.parse() {
        Ok(RunName::Latest | RunName::Number(_)) => Err("a tag is neither a number nor `latest`".to_owned()),
        _ if length == 0 || length > TAG_MAX => Err(format!("a tag has from 1 to {TAG_MAX} characters")),
        _ if text.chars().any(|character| character.is_control() || character.is_whitespace()) => {
            Err("a tag holds no blanks".to_owned())
        }
        _ => Ok(text.to_owned()),
    }
}

/// The run of that name.
pub async fn find(store: &Store, name: &RunName) -> Result<Run> {
    let found = match name {
        RunName::Latest => store.runs(None, 1).await?.pop(),
        RunName::Number(id) => store.run(*id).await?,
        RunName::Tag(tag) if tag.contains('\0') => None,
        RunName::Tag(tag) => store.run_tagged(tag).await?,
    };
    found.ok_or_else(|| {
        let missing = match name {
            RunName::Latest => "no run was kept yet; make one with `cutpoint replay --stored`".to_owned(),
            RunName::Number(id) => format!("there is no run {id}; `cutpoint runs list` lists them"),
            RunName::Tag(tag) => format!("no run is tagged `{tag}`; `cutpoint runs list` lists them"),
        };
        NothingSelected(missing).into()
    })
}

impl Runs {
    pub fn run(self) -> Result<Exit> {
        block_on(async {
            match self.verb {
                Verb::List(verb) => verb.run().await,
                Verb::Show(verb) => verb.run().await,
                Verb::Tag(verb) => verb.run().await,
                Verb::Delete(verb) => verb.run().await,
            }
        })
    }
}

impl List {
    async fn run(self) -> Result<Exit> {
        let store = self.database.open().await?;
        let runs = store.runs(None, self.limit).await;
        let runs = store.close_after(runs).await?;
        match self.output {
            Form::Json => print(&format!("{:#}\n", json!({ "runs": runs.iter().map(as_json).collect::<Vec<_>>() })))?,
            Form::Table if runs.is_empty() => {
                eprintln!("no run was kept yet; make one with `cutpoint replay --stored`")
            }
            Form::Table => print(&table(&runs))?,
        }
        Ok(Exit::Pass)
    }
}

impl Show {
    async fn run(self) -> Result<Exit> {
        let store = self.database.open().await?;
        let found = async {
            let run = find(&store, &self.run).await?;
            let cells = store.run_cells(run.id).await?;
            Ok((run, cells))
        };
        let found = found.await;
        let (run, cells) = store.close_after(found).await?;
        print(&match self.output {
            Form::Table => shown(&run, &cells),
            Form::Json => {
                let mut value = as_json(&run);
                value["cells"] = cells.iter().map(|cell| Value::from(cell.key.as_str())).collect();
                format!("{value:#}\n")
            }
        })?;
        Ok(Exit::Pass)
    }
}

impl Tag {
    async fn run(self) -> Result<Exit> {
        let store = self.database.open().await?;
        let tagged = tag(&store, &self.run, self.tag.as_deref()).await;
        let run = store.close_after(tagged).await?;
        match self.tag {
            Some(tag) => eprintln!("run {} is tagged `{tag}`", run.id),
            None => eprintln!("run {} has no tag any more", run.id),
        }
        Ok(Exit::Pass)
    }
}

async fn tag(store: &Store, name: &RunName, tag: Option<&str>) -> Result<Run> {
    let run = find(store, name).await?;
    if let Some(tag) = tag
        && let Some(other) = store.run_tagged(tag).await?.filter(|other| other.id != run.id)
    {
        let words =
            format!("run {0} is tagged `{tag}` already; `cutpoint runs tag {0} --remove` takes it away", other.id);
        return Err(Usage(words).into());
    }
    store.tag_run(run.id, tag).await?;
    Ok(run)
}

impl Delete {
    async fn run(self) -> Result<Exit> {
        let store = self.database.open().await?;
        let deleted = delete(&store, &self.runs).await;
        for run in store.close_after(deleted).await? {
            eprintln!("deleted run {run}");
        }
        Ok(Exit::Pass)
    }
}

/// Deletes all of these runs, or none where one of them is missing.
async fn delete(store: &Store, names: &[RunName]) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for name in names {
        ids.push(find(store, name).await?.id);
    }
    ids.sort_unstable();
    ids.dedup();
    store.delete_runs(&ids).await?;
    Ok(ids)
}

fn as_json(run: &Run) -> Value {
    json!({
        "run": run.id,
        "tag": run.tag,
        "created_at": text::timestamp(&run.created_at),
        "origin": run.origin,
        "version": run.version,
        "counter": run.counter,
        "sessions": run.sessions,
        "calls": run.calls,
        "n_cells": run.cells,
        "duration_ms": run.duration_ms,
    })
}

/// The facts of a run in the order of the columns.
fn facts(run: &Run) -> [String; 8] {
    let count = |number: i64| text::grouped(number.unsigned_abs());
    [
        run.id.to_string(),
        run.tag.clone().unwrap_or_default(),
        text::when(&run.created_at),
        count(run.sessions),
        count(run.calls),
        count(run.cells),
        run.counter.clone(),
        run.origin.clone(),
    ]
}

const HEADINGS: [&str; 8] = ["run", "tag", "made (UTC)", "sessions", "calls", "cells", "tokens by", "made by"];

/// The columns that hold numbers.
const NUMBERS: [bool; 8] = [true, false, false, true, true, true, false, false];

/// Runs a line, in columns; the last one is as long as it is.
fn table(runs: &[Run]) -> String {
    let rows: Vec<[String; 8]> = std::iter::once(HEADINGS.map(str::to_owned)).chain(runs.iter().map(facts)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(widths).zip(NUMBERS).map(|((cell, width), is_number)| {
            if is_number { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A run for people: a fact a line, then its cells.
fn shown(run: &Run, cells: &[RunCell]) -> String {
    let mut text = String::new();
    for (heading, fact) in HEADINGS.iter().zip(facts(run)) {
        text.push_str(format!("{heading:10}  {fact}").trim_end());
        text.push('\n');
    }
    text.push_str(&format!("{:10}  {}\n", "version", run.version));
    for cell in cells {
        text.push_str(&format!("  {}\n", cell.key));
    }
    text.push_str(&format!("figures: `cutpoint report {}`\n", run.id));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_told_from_a_number_and_from_latest() {
        assert_eq!(tag_of("before-upgrade"), Ok("before-upgrade".to_owned()));
        for text in ["", "12", "-3", "latest", "two words", "a\0b", "line\n", &"x".repeat(TAG_MAX + 1)] {
            assert!(tag_of(text).is_err(), "{text:?}");
        }
    }
}
