//! What replay made of the sessions: runs with their cells, and per session what was cut and what broke.

use anyhow::{Context, Result};
use sqlx::PgConnection;

use super::Store;
use super::copy::{Rows, as_bigint, as_integer};
use crate::cell::Cell;
use crate::metrics::{Intervals, Tally};
use crate::model::Time;
use crate::replay::{Cut, Outcome};
use crate::stats::{Interval, Sketch};

const COPY_CELLS: &str = "copy cells (id, run_id, position, key, policy, trigger, target, \"window\", mode, sketch, intervals, \
     sessions, calls, sessions_compacted, compactions, bad_cuts, sessions_400, calls_400, depends_calls, \
     baseline_invalid_calls, target_missed, sessions_over_window, over_window, sessions_exact, freed, \
     deficit, freed_reached, deficit_reached, tokens_before, tokens_after, prefix_tokens, \
     evicted_messages, truncated_tokens) from stdin (format binary)";

const COPY_OUTCOMES: &str = "copy outcomes (cell_id, session_id, \
     calls, compactions, bad_cuts, calls_400, depends_calls, baseline_invalid_calls, target_missed, \
     over_window, freed, deficit, freed_reached, deficit_reached, tokens_before, tokens_after, \
     prefix_tokens, evicted_messages, truncated_tokens, \
     first_bad_call, diverged_at) from stdin (format binary)";

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
    pub sessions: u64,
    pub calls: u64,
    pub duration_ms: u64,
}

/// What one cell of a run did to one stored session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// The number of the cell in the run.
    pub cell: usize,
    /// The number of the session in the database.
    pub session_id: i64,
    pub outcome: Outcome,
    pub cuts: Vec<Cut>,
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

/// What a cell did to a session, as far as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeLine {
    pub cell_id: i64,
    pub cell: String,
    pub session_id: i64,
    pub session: String,
    pub calls: i64,
    pub compactions: i64,
    pub bad_cuts: i64,
    pub calls_400: i64,
    pub target_missed: i64,
    pub over_window: i64,
    pub freed: i64,
    pub deficit: i64,
    pub evicted_messages: i64,
    pub first_bad_call: Option<i32>,
    pub diverged_at: Option<i32>,
}

impl Store {
    /// Keeps a run, all or nothing; gives its number.
    pub async fn save_run(&self, run: &NewRun, cells: &[(Cell, Tally)], rows: &[RunRow]) -> Result<i64> {
        let mut transaction = self.pool.begin().await?;
        let run_id = sqlx::query_scalar!(
            "insert into replay_runs (origin, version, counter, n_sessions, n_calls, duration_ms)
             values ($1, $2, $3, $4, $5, $6) returning id",
            run.origin,
            run.version,
            run.counter,
            as_bigint(run.sessions),
            as_bigint(run.calls),
            as_bigint(run.duration_ms)
        )
        .fetch_one(&mut *transaction)
        .await?;
        let cell_ids = save_cells(&mut transaction, run_id, cells).await?;
        save_rows(&mut transaction, &cell_ids, rows).await?;
        transaction.commit().await.context("could not commit the run")?;
        Ok(run_id)
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
            r#"select id, position, key, policy, trigger, target, "window", mode, sketch, intervals,
                      sessions, calls, sessions_compacted, compactions, bad_cuts, sessions_400, calls_400, depends_calls,
                      baseline_invalid_calls, target_missed, sessions_over_window, over_window, sessions_exact, freed,
                      deficit, freed_reached, deficit_reached, tokens_before, tokens_after, prefix_tokens,
                      evicted_messages, truncated_tokens
               from cells where run_id = $1 order by position"#,
            run_id
        );
        let rows = rows.fetch_all(&self.pool).await?;
        let cells = rows.into_iter().map(|row| {
            let counters = [
                row.sessions,
                row.calls,
                row.sessions_compacted,
                row.compactions,
                row.bad_cuts,
                row.sessions_400,
                row.calls_400,
                row.depends_calls,
                row.baseline_invalid_calls,
                row.target_missed,
                row.sessions_over_window,
                row.over_window,
                row.sessions_exact,
                row.freed,
                row.deficit,
                row.freed_reached,
                row.deficit_reached,
                row.tokens_before,
                row.tokens_after,
                row.prefix_tokens,
                row.evicted_messages,
                row.truncated_tokens,
            ];
            let overshoot = sketch(&row.sketch);
            let tally = Tally::from_counters(counters.map(|counter| counter as u64), overshoot);
            RunCell {
                id: row.id,
                position: row.position,
                key: row.key,
                policy: row.policy,
                trigger: row.trigger,
                target: row.target,
                window: row.window,
                mode: row.mode,
                tally: Tally { intervals: intervals(&row.intervals), ..tally },
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
        Ok(sqlx::query_as!(
            OutcomeLine,
            "select o.cell_id, c.key as cell, o.session_id, s.name as session, o.calls, o.compactions, o.bad_cuts,
                    o.calls_400, o.target_missed, o.over_window, o.freed, o.deficit, o.evicted_messages,
                    o.first_bad_call, o.diverged_at
             from cells c
             cross join lateral (
                 select * from outcomes where cell_id = c.id and calls_400 > 0
                 order by calls_400 desc, session_id limit $2
             ) o
             join sessions s on s.id = o.session_id
             where c.id = any($1) order by c.position, o.calls_400 desc, o.session_id",
            cell_ids,
            i64::from(limit)
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// What the cells of a run did to one session, in the order of the cells; cells that never touched it are absent.
    pub async fn session_outcomes(&self, run_id: i64, session_id: i64) -> Result<Vec<OutcomeLine>> {
        Ok(sqlx::query_as!(
            OutcomeLine,
            "select o.cell_id, c.key as cell, o.session_id, s.name as session, o.calls, o.compactions, o.bad_cuts,
                    o.calls_400, o.target_missed, o.over_window, o.freed, o.deficit, o.evicted_messages,
                    o.first_bad_call, o.diverged_at
             from outcomes o join cells c on c.id = o.cell_id join sessions s on s.id = o.session_id
             where c.run_id = $1 and o.session_id = $2 order by c.position",
            run_id,
            session_id
        )
        .fetch_all(&self.pool)
        .await?)
    }
}

async fn save_cells(connection: &mut PgConnection, run_id: i64, cells: &[(Cell, Tally)]) -> Result<Vec<i64>> {
    let ids = sqlx::query_scalar!(
        r#"select nextval(pg_get_serial_sequence('cells', 'id')) as "id!" from generate_series(1, $1)"#,
        cells.len() as i32
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut rows = Rows::new(11 + Tally::COUNTERS.len() as i16);
    for ((position, (cell, tally)), id) in (0..).zip(cells).zip(&ids) {
        rows.row().bigint(*id).bigint(run_id).integer(position).text(&cell.to_string());
        rows.text(&cell.policy.to_string()).text(cell.trigger.text()).text(cell.target.text());
        rows.text(&cell.window.to_string()).text(cell.mode.as_str()).bytes(&sketch_bytes(&tally.overshoot));
        rows.bytes(&interval_bytes(&tally.intervals));
        for counter in tally.counters() {
            rows.bigint(as_bigint(counter));
        }
    }
    rows.send(connection, COPY_CELLS).await?;
    Ok(ids)
}

async fn save_rows(connection: &mut PgConnection, cell_ids: &[i64], rows: &[RunRow]) -> Result<()> {
    let (mut outcomes, mut cuts) = (Rows::new(21), Rows::new(12));
    for row in rows {
        let cell_id = cell_ids[row.cell];
        put_outcome(outcomes.row().bigint(cell_id).bigint(row.session_id), &row.outcome);
        for cut in &row.cuts {
            put_cut(cuts.row().bigint(cell_id).bigint(row.session_id), cut);
        }
    }
    outcomes.send(connection, COPY_OUTCOMES).await?;
    cuts.send(connection, COPY_CUTS).await?;
    Ok(())
}

fn put_outcome(row: &mut Rows, outcome: &Outcome) {
    for count in [
        outcome.calls,
        outcome.compactions,
        outcome.bad_cuts,
        outcome.calls_400,
        outcome.depends_calls,
        outcome.baseline_invalid_calls,
        outcome.target_missed,
        outcome.over_window,
        outcome.freed,
        outcome.deficit,
        outcome.freed_reached,
        outcome.deficit_reached,
        outcome.tokens_before,
        outcome.tokens_after,
        outcome.prefix_tokens,
        outcome.evicted_messages,
        outcome.truncated_tokens,
    ] {
        row.bigint(as_bigint(count));
    }
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

/// A sketch as pairs of bucket (4 bytes) and count (8 bytes), big-endian.
fn sketch_bytes(sketch: &Sketch) -> Vec<u8> {
    sketch.buckets().flat_map(|(bucket, count)| [&bucket.to_be_bytes()[..], &count.to_be_bytes()].concat()).collect()
}

fn sketch(bytes: &[u8]) -> Sketch {
    let (pairs, _) = bytes.as_chunks::<12>();
    Sketch::from_buckets(pairs.iter().map(|pair| {
        let bucket = i32::from_be_bytes([pair[0], pair[1], pair[2], pair[3]]);
        let count = u64::from_be_bytes([pair[4], pair[5], pair[6], pair[7], pair[8], pair[9], pair[10], pair[11]]);
        (bucket, count)
    }))
}

/// Intervals as pairs of both ends (8 bytes each, big-endian), no numbers where there is none.
fn interval_bytes(intervals: &Intervals) -> Vec<u8> {
    let ends = |interval: &Option<Interval>| interval.map_or([f64::NAN; 2], |interval| [interval.low, interval.high]);
    intervals.iter().flat_map(ends).flat_map(f64::to_be_bytes).collect()
}

/// The intervals in these bytes; none where another version wrote others.
fn intervals(bytes: &[u8]) -> Intervals {
    let (ends, _) = bytes.as_chunks::<8>();
    let (pairs, _) = ends.as_chunks::<2>();
    let interval =
        |[low, high]: &[[u8; 8]; 2]| Interval { low: f64::from_be_bytes(*low), high: f64::from_be_bytes(*high) };
    let read: Vec<Option<Interval>> = pairs.iter().map(interval).map(|i| (!i.low.is_nan()).then_some(i)).collect();
    read.try_into().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_survive_their_bytes() {
        let mut some = Intervals::default();
        some[1] = Some(Interval { low: 0.25, high: 1.5 });
        assert_eq!(intervals(&interval_bytes(&some)), some);
        assert_eq!(intervals(&[0; 16]), Intervals::default());
    }

    #[test]
    fn cells_are_copied_in_the_order_of_the_counters() {
        assert!(COPY_CELLS.contains(&Tally::COUNTERS.join(", ")));
    }

    #[test]
    fn a_sketch_survives_its_bytes() {
        let mut full = Sketch::default();
        full.add_ratio(3, 2);
        full.add_ratio(3, 2);
        full.add_ratio(1, 7);
        assert_eq!(sketch(&sketch_bytes(&full)), full);
    }
}
