//! Keeping runs and asking for them.

use cutpoint::cell::Cell;
use cutpoint::metrics::Tally;
use cutpoint::replay::{Cut, Outcome};
use cutpoint::store::{NewRun, Packed, RunRow};

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
    let mut tally = Tally { sessions: 3, compactions: 2, freed: 600, ..Tally::default() };
    tally.overshoot.add_ratio(300, 200);
    let cells: Vec<(Cell, Tally)> = keys.iter().map(|key| (key.parse().unwrap(), tally.clone())).collect();
    let outcome = Outcome { calls: 3, compactions: 2, calls_400: 1, first_bad_call: Some(2), ..Outcome::default() };
    let cuts = vec![cut(1, None), cut(2, Some(("orphan-result", 5)))];
    let run = NewRun { counter: "o200k".into(), sessions: 3, calls: 9, ..NewRun::default() };
    let row = RunRow { cell: 0, session_id, outcome, cuts };
    let run_id = fresh.store.save_run(&run, &cells, &[row]).await.unwrap();

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
    assert_eq!((broken[0].session.as_str(), broken[0].first_bad_call), ("s", Some(2)));
    assert_eq!(fresh.store.session_outcomes(run_id, session_id).await.unwrap(), broken);
    assert_eq!(fresh.store.broken_outcomes(&[stored[1].id], 10).await.unwrap(), []);
}
