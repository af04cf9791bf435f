//! Keeping runs and asking for them.

use cutpoint::cell::Cell;
use cutpoint::outcome::Tally;
use cutpoint::outcome::{Cut, Outcome, PlayedCell};
use cutpoint::stats::Interval;
use cutpoint::store::{NewRun, Packed};

use crate::harness::Fresh;
use crate::sessions::session;

fn cut(call: u32, broken: Option<(&'static str, u32)>) -> Cut {
    Cut {
        call,
        before: 900,
        deficit: 200,
        freed: 300,
        evicted_messages: 4,
        evicted_exchanges: 1,
        kept_from: 5,
        reached: true,
        broken,
    }
}

#[tokio::test]
async fn a_run_comes_back_with_its_cells_cuts_and_broken_sessions() {
    let fresh = Fresh::database("runs").await;
    fresh.store.begin_source("a.jsonl").await.unwrap();
    fresh.store.add(&[Packed::of(session("a.jsonl", "s", 6), 0)]).await.unwrap();
    let session_id = fresh.store.session_lines(None, 1).await.unwrap()[0].id;

    let keys = ["drop-oldest-message/0.9/trigger/200000/sticky", "drop-oldest-round/0.9/0.5/model/stateless"];
    let mut tally = Tally { sessions: 3, calls: 9, compactions: 2, freed: 600, ..Tally::default() };
    tally.overshoot.add_ratio(300, 200);
    tally.intervals = vec![("overshoot_ratio", Interval { low: 1.25, high: 1.75 })];
    let cells: Vec<Cell> = keys.iter().map(|key| key.parse().unwrap()).collect();
    let outcome = Outcome { calls: 3, compactions: 2, calls_400: 1, first_bad_call: Some(2), ..Outcome::default() };
    let cuts = vec![cut(1, None), cut(2, Some(("orphan-result", 5)))];
    let run = NewRun { counter: "o200k".into(), ..NewRun::default() };
    let mut writer = fresh.store.begin_run(&run, cells.iter()).await.unwrap();
    writer.add(session_id, &[PlayedCell { cell: 0, outcome: outcome.clone(), cuts }]).await.unwrap();
    assert_eq!(fresh.store.runs(None, 1).await.unwrap(), [], "a run is seen once it is finished");
    let run_id = writer.finish(&[tally.clone(), tally.clone()], 1).await.unwrap();

    let stored = fresh.store.run(run_id).await.unwrap().unwrap();
    assert_eq!((stored.counter.as_str(), stored.sessions, stored.calls, stored.cells), ("o200k", 3, 9, 2));
    assert_eq!(fresh.store.run(run_id + 1).await.unwrap(), None);
    let stored = fresh.store.run_cells(run_id).await.unwrap();
    assert_eq!(stored.iter().map(|cell| cell.key.as_str()).collect::<Vec<_>>(), keys);
    assert!(stored.iter().all(|cell| cell.tally == tally));

    let cuts = fresh.store.cuts(stored[0].id, session_id).await.unwrap();
    assert_eq!(cuts.iter().map(|cut| cut.call).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((cuts[1].broken_rule.as_deref(), cuts[1].broken_at), (Some("orphan-result"), Some(5)));
    let broken = fresh.store.broken_outcomes(&[stored[1].id, stored[0].id], 10).await.unwrap();
    assert_eq!((broken[0].session.as_str(), &broken[0].outcome), ("s", &outcome));
    assert_eq!(fresh.store.session_outcomes(run_id, session_id).await.unwrap(), broken);
    assert_eq!(fresh.store.broken_outcomes(&[stored[1].id], 10).await.unwrap(), []);
}

#[tokio::test]
async fn runs_of_the_first_version_stay_readable() {
    use sqlx::{ConnectOptions, Executor};
    let fresh = Fresh::database("old_runs").await;
    let mut connection = fresh.options.connect().await.unwrap();
    // The tables as the first version left them, in a schema of their own, with a run; then what came since.
    connection.execute("create schema old; set search_path to old").await.unwrap();
    connection.execute(include_str!("../../migrations/0001_records.sql")).await.unwrap();
    connection.execute(include_str!("../../migrations/0002_runs.sql")).await.unwrap();
    let intervals: String = [0.25f64, 1.5, f64::NAN, f64::NAN, 0.0, 1e-3]
        .iter()
        .flat_map(|end| end.to_be_bytes())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let zeros = |n: usize| vec!["0"; n].join(", ");
    let statements = format!(
        "insert into sources (id, name) values (1, 'a');
         insert into sessions (id, source_id, line, name, api, digest, chain, n_messages, n_calls, n_compactions)
         values (5, 1, 1, 's', 'openai.chat', sha256('a'), sha256('b'), 1, 1, 0);
         insert into replay_runs (id, origin, version, counter, n_sessions, n_calls) values (7, '', '0.1.0', 'o200k', 3, 9);
         insert into cells values (9, 7, 0, 'key', 'none', '90%', 'trigger', '1000', 'sticky', 3, 9, {}, '', '\\x{intervals}');
         insert into outcomes values (9, 5, 9, 2, 0, 4, {}, 1, null)",
        zeros(20),
        zeros(13)
    );
    connection.execute(sqlx::AssertSqlSafe(statements)).await.unwrap();
    connection.execute(include_str!("../../migrations/0003_call_terms.sql")).await.unwrap();
    connection.execute(include_str!("../../migrations/0004_counters_by_name.sql")).await.unwrap();
    // The store reads the schema that comes first, and takes its tables for migrated.
    connection.execute("create table _sqlx_migrations as table public._sqlx_migrations").await.unwrap();
    let database = fresh.options.get_database().unwrap().to_owned();
    let statement = format!("alter database \"{database}\" set search_path to old");
    connection.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
    let store = fresh.reopened().await;
    let cells = store.run_cells(7).await.unwrap();
    assert_eq!((cells[0].tally.sessions, cells[0].tally.calls, cells[0].tally.freed), (3, 9, 0));
    let intervals = [("rate_400_calls", 0.25, 1.5), ("bad_cut_share", 0.0, 1e-3)];
    let intervals = intervals.map(|(metric, low, high)| (metric, Interval { low, high }));
    assert_eq!(cells[0].tally.intervals, intervals);
    let broken = store.broken_outcomes(&[9], 10).await.unwrap();
    assert_eq!((broken[0].outcome.calls_400, broken[0].outcome.first_bad_call), (4, Some(1)));
}
