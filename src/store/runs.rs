//! What replay made of the sessions: runs with their cells, and per session what was cut and what broke.

use std::mem;

use anyhow::{Context, Result};
use serde_json::Value;
use sqlx::{PgConnection, Postgres, Transaction};

use super::copy::{Rows, as_bigint, as_integer};
use super::{Store, named};
use crate::cell::Cell;
use crate::model::Time;
use crate::outcome::{Cut, Outcome, PlayedCell, Tally};

const COPY_CELLS: &str = "copy cells (id, run_id, position, key, policy, trigger, target, \"window\", mode) \
     from stdin (format binary)";

const COPY_OUTCOMES: &str = "copy outcomes (cell_id, session_id, counters, first_bad_call, diverged_at) \
     from stdin (format binary)";

const COPY_CUTS: &str = "copy cuts (cell_id, session_id, call, before, deficit, freed, evicted_messages, \
     evicted_exchanges, kept_from, reached, broken_rule, broken_at) from stdin (format binary)";

/// A run to be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The command line or page that asked for it.
    pub origin: String,
    /// The version of Cutpoint that made it.
    pub version: String,
    /// The token counter under which all its figures stand.
    pub counter: String,
}

/// A run that is being kept: outcomes go in while it is played, and all of it is there once it is finished.
pub struct RunWriter {
    transaction: Transaction<'static, Postgres>,
    run_id: i64,
    cell_ids: Vec<i64>,
    outcomes: Rows,
    cuts: Rows,
}

/// A run that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub id: i64,
    pub created_at: Time,
    pub tag: Option<String>,
    pub origin: String,
    pub version: String,
    pub counter: String,
    pub sessions: i64,
    pub calls: i64,
    pub duration_ms: Option<i64>,
    pub cells: i64,
}

/// One cell of a run that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCell {
    pub id: i64,
    /// Its number in the run.
    pub position: i32,
    /// The canonical text of the cell.
    pub key: String,
    pub policy: String,
    /// As typed.
    pub trigger: String,
    pub target: String,
    pub window: String,
    pub mode: String,
    pub tally: Tally,
}

/// One cut that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCut {
    pub call: i32,
    pub before: i64,
    pub deficit: i64,
    pub freed: i64,
    pub evicted_messages: i32,
    pub evicted_exchanges: i32,
    pub kept_from: i32,
    pub reached: bool,
    pub broken_rule: Option<String>,
    pub broken_at: Option<i32>,
}

/// What a cell did to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeLine {
    pub cell_id: i64,
    pub cell: String,
    pub session_id: i64,
    pub session: String,
    pub outcome: Outcome,
}

/// The same as the statements give it.
struct OutcomeRow {
    cell_id: i64,
    cell: String,
    session_id: i64,
    session: String,
    counters: Value,
    first_bad_call: Option<i32>,
    diverged_at: Option<i32>,
}

impl From<OutcomeRow> for OutcomeLine {
    fn from(row: OutcomeRow) -> OutcomeLine {
        let index = |call: Option<i32>| call.map(|call| call as u32);
        let outcome = Outcome {
            first_bad_call: index(row.first_bad_call),
            diverged_at: index(row.diverged_at),
            ..named::outcome(&row.counters)
        };
        let OutcomeRow { cell_id, cell, session_id, session, .. } = row;
        OutcomeLine { cell_id, cell, session_id, session, outcome }
    }
}

impl Store {
    /// Begins to keep a run of these cells.
    pub async fn begin_run(&self, run: &NewRun, cells: impl Iterator<Item = &Cell>) -> Result<RunWriter> {
        let mut transaction = self.pool.begin().await?;
        let run_id = sqlx::query_scalar!(
            "insert into replay_runs (origin, version, counter, n_sessions, n_calls)
             values ($1, $2, $3, 0, 0) returning id",
            run.origin,
            run.version,
            run.counter
        )
        .fetch_one(&mut *transaction)
        .await?;
        let cell_ids = save_cells(&mut transaction, run_id, cells).await?;
        Ok(RunWriter { transaction, run_id, cell_ids, outcomes: outcome_rows(), cuts: cut_rows() })
    }

    /// Runs, newest first; `before` is the number of the last one of the page before.
    pub async fn runs(&self, before: Option<i64>, limit: u32) -> Result<Vec<Run>> {
        Ok(sqlx::query_as!(
            Run,
            r#"select r.id, r.created_at, r.tag, r.origin, r.version, r.counter, r.n_sessions as sessions,
                      r.n_calls as calls, r.duration_ms,
                      (select count(*) from cells c where c.run_id = r.id) as "cells!"
               from replay_runs r where r.id < coalesce($1, 9223372036854775807) order by r.id desc limit $2"#,
            before,
            i64::from(limit)
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// The run of that number.
    pub async fn run(&self, id: i64) -> Result<Option<Run>> {
        let following = self.runs(id.checked_add(1), 1).await?;
        Ok(following.into_iter().find(|run| run.id == id))
    }

    /// The cells of a run, in their order.
    pub async fn run_cells(&self, run_id: i64) -> Result<Vec<RunCell>> {
        let rows = sqlx::query!(
            r#"select id, position, key, policy, trigger, target, "window", mode, sketch, counters, intervals
               from cells where run_id = $1 order by position"#,
            run_id
        );
        let rows = rows.fetch_all(&self.pool).await?;
        let cells = rows.into_iter().map(|row| {
            let tally = named::tally(&row.counters.unwrap_or_default());
            let overshoot = named::sketch(&row.sketch.unwrap_or_default());
            let intervals = named::intervals(&row.intervals.unwrap_or_default());
            RunCell {
                id: row.id,
                position: row.position,
                key: row.key,
                policy: row.policy,
                trigger: row.trigger,
                target: row.target,
                window: row.window,
                mode: row.mode,
                tally: Tally { overshoot, intervals, ..tally },
            }
        });
        Ok(cells.collect())
    }

    /// What a cell cut from a session, in the order of the calls.
    pub async fn cuts(&self, cell_id: i64, session_id: i64) -> Result<Vec<StoredCut>> {
        Ok(sqlx::query_as!(
            StoredCut,
            "select call, before, deficit, freed, evicted_messages, evicted_exchanges, kept_from, reached, broken_rule,
                    broken_at
             from cuts where cell_id = $1 and session_id = $2 order by call",
            cell_id,
            session_id
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// For each of some cells the sessions that it broke, those with the most refused calls first, at most `limit`.
    pub async fn broken_outcomes(&self, cell_ids: &[i64], limit: u32) -> Result<Vec<OutcomeLine>> {
        let rows = sqlx::query_as!(
            OutcomeRow,
            r#"select o.cell_id, c.key as cell, o.session_id, s.name as session, o.counters as "counters!: Value",
                    o.first_bad_call, o.diverged_at
             from cells c
             cross join lateral (
                 select * from outcomes where cell_id = c.id and calls_400 > 0
                 order by calls_400 desc, session_id limit $2
             ) o
             join sessions s on s.id = o.session_id
             where c.id = any($1) order by c.position, o.calls_400 desc, o.session_id"#,
            cell_ids,
            i64::from(limit)
        );
        Ok(rows.fetch_all(&self.pool).await?.into_iter().map(OutcomeLine::from).collect())
    }

    /// What the cells of a run did to one session, in the order of the cells; cells that never touched it are absent.
    pub async fn session_outcomes(&self, run_id: i64, session_id: i64) -> Result<Vec<OutcomeLine>> {
        let rows = sqlx::query_as!(
            OutcomeRow,
            r#"select o.cell_id, c.key as cell, o.session_id, s.name as session, o.counters as "counters!: Value",
                    o.first_bad_call, o.diverged_at
             from outcomes o join cells c on c.id = o.cell_id join sessions s on s.id = o.session_id
             where c.run_id = $1 and o.session_id = $2 order by c.position"#,
            run_id,
            session_id
        );
        Ok(rows.fetch_all(&self.pool).await?.into_iter().map(OutcomeLine::from).collect())
    }
}

/// How many bytes of outcomes and cuts wait to be sent together.
const BATCH: usize = 1 << 20;

fn outcome_rows() -> Rows {
    Rows::new(5)
}

fn cut_rows() -> Rows {
    Rows::new(12)
}

impl RunWriter {
    /// Takes in what the cells of the run did to a stored session.
    pub async fn add(&mut self, session_id: i64, cells: &[PlayedCell]) -> Result<()> {
        for PlayedCell { cell, outcome, cuts } in cells {
            let cell_id = self.cell_ids[*cell];
            put_outcome(self.outcomes.row().bigint(cell_id).bigint(session_id), outcome);
            for cut in cuts {
                put_cut(self.cuts.row().bigint(cell_id).bigint(session_id), cut);
            }
        }
        if self.outcomes.as_bytes().len() + self.cuts.as_bytes().len() > BATCH { self.send().await } else { Ok(()) }
    }

    async fn send(&mut self) -> Result<()> {
        let outcomes = mem::replace(&mut self.outcomes, outcome_rows());
        let cuts = mem::replace(&mut self.cuts, cut_rows());
        outcomes.send(&mut self.transaction, COPY_OUTCOMES).await?;
        cuts.send(&mut self.transaction, COPY_CUTS).await?;
        Ok(())
    }

    /// Ends the run with the tallies of its cells, in their order; gives its number.
    pub async fn finish(mut self, tallies: &[Tally], duration_ms: u64) -> Result<i64> {
        self.send().await?;
        for (cell_id, tally) in self.cell_ids.iter().zip(tallies) {
            sqlx::query!(
                "update cells set counters = $2, intervals = $3, sketch = $4 where id = $1",
                cell_id,
                named::of_tally(tally),
                named::of_intervals(tally),
                named::sketch_bytes(&tally.overshoot)
            )
            .execute(&mut *self.transaction)
            .await?;
        }
        let (sessions, calls) = tallies.first().map_or((0, 0), |tally| (tally.sessions, tally.calls));
        sqlx::query!(
            "update replay_runs set n_sessions = $2, n_calls = $3, duration_ms = $4 where id = $1",
            self.run_id,
            as_bigint(sessions),
            as_bigint(calls),
            as_bigint(duration_ms)
        )
        .execute(&mut *self.transaction)
        .await?;
        self.transaction.commit().await.context("could not commit the run")?;
        Ok(self.run_id)
    }
}

async fn save_cells<'c>(
    connection: &mut PgConnection,
    run_id: i64,
    cells: impl Iterator<Item = &'c Cell>,
) -> Result<Vec<i64>> {
    let cells: Vec<&Cell> = cells.collect();
    let ids = sqlx::query_scalar!(
        r#"select nextval(pg_get_serial_sequence('cells', 'id')) as "id!" from generate_series(1, $1)"#,
        cells.len() as i32
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut rows = Rows::new(9);
    for ((position, cell), id) in (0..).zip(cells).zip(&ids) {
        rows.row().bigint(*id).bigint(run_id).integer(position).text(&cell.to_string());
        rows.text(&cell.policy.to_string()).text(cell.trigger.text()).text(cell.target.text());
        rows.text(&cell.window.to_string()).text(cell.mode.as_str());
    }
    rows.send(connection, COPY_CELLS).await?;
    Ok(ids)
}

fn put_outcome(row: &mut Rows, outcome: &Outcome) {
    row.jsonb(&named::of_outcome(outcome));
    row.maybe(outcome.first_bad_call.map(as_integer), Rows::integer);
    row.maybe(outcome.diverged_at.map(as_integer), Rows::integer);
}

fn put_cut(row: &mut Rows, cut: &Cut) {
    row.integer(as_integer(cut.call)).bigint(as_bigint(cut.before)).bigint(as_bigint(cut.deficit));
    row.bigint(as_bigint(cut.freed)).integer(as_integer(cut.evicted_messages));
    row.integer(as_integer(cut.evicted_exchanges)).integer(as_integer(cut.kept_from)).boolean(cut.reached);
    row.maybe(cut.broken.map(|(rule, _)| rule), Rows::text);
    row.maybe(cut.broken.map(|(_, message)| as_integer(message)), Rows::integer);
}
