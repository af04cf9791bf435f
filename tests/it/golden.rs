//! The replay against an independent simulator's figures, where its input and output are at hand.
//!
//! They are looked for in the folder that `CUTPOINT_SHARED` names, or in `shared` beside the repository. The public trace
//! from which the figures were made is 21 characters longer than the copy there: five tokens in sessions that no cell
//! compacts. So the sizes of all prompts, added up, may differ by one amount, which is the same in every cell; every
//! other figure must be equal.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cutpoint::cell::Grid;
use cutpoint::outcome::Tally;
use cutpoint::source::{self, Input};
use cutpoint::sweep::Plan;
use cutpoint::transcript::size;
use serde_json::Value;

/// Figures that must be equal: their names in the reference and among our counters.
const EQUAL: &[(&str, &str)] = &[
    ("sessions", "sessions"),
    ("calls", "calls"),
    ("sessions_compacted", "sessions_compacted"),
    ("compactions", "compactions"),
    ("bad_cuts", "bad_cuts"),
    ("sessions_400", "sessions_400"),
    ("calls_400", "calls_400"),
    ("baseline_invalid_calls", "baseline_invalid_calls"),
    ("floor", "target_missed"),
    ("over_window", "over_window"),
    ("freed", "freed"),
    ("deficit", "deficit"),
];

/// Figures that may differ by one amount.
const SHIFTED: &[(&str, &str)] =
    &[("tok_before", "tokens_before"), ("tok_after", "tokens_after"), ("tok_prefix", "prefix_tokens")];

fn shared() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("CUTPOINT_SHARED").map_or(beside, PathBuf::from);
    folder.join("golden/replay").is_dir().then_some(folder)
}

fn list<T: std::str::FromStr>(texts: &[&str]) -> Vec<T>
where
    T::Err: std::fmt::Debug,
{
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn grid() -> Grid {
    Grid {
        windows: list(&["6000", "8000", "16000"]),
        triggers: list(&["0.7", "0.9"]),
        targets: list(&["trigger", "0.5"]),
        policies: list(&["drop-oldest-message", "drop-oldest-exchange", "drop-oldest-round"]),
        modes: list(&["sticky", "stateless"]),
    }
}

/// The key of a reference cell in our words.
fn key(cell: &Value) -> String {
    let text = |name: &str| cell[name].as_str().unwrap();
    let policy = match text("policy") {
        "drop_oldest_pair" => "drop-oldest-round".to_owned(),
        policy => policy.replace('_', "-"),
    };
    let target = if text("g") == text("t") { "trigger" } else { text("g") };
    format!("{policy}/{}/{target}/{}/{}", text("t"), cell["W"], text("mode"))
}

fn counter(tally: &Tally, name: &str) -> u64 {
    tally.counters()[Tally::COUNTERS.iter().position(|counter| counter.name == name).unwrap()]
}

#[test]
fn the_replay_equals_an_independent_simulator() {
    let Some(shared) = shared() else {
        eprintln!("not run: the reference figures are not at hand");
        return;
    };
    let trace = shared.join("traces/tau-bench/gpt-4o-airline.json").display().to_string();
    let plan = Plan::new(grid().cells().unwrap(), size::counter("chars4").unwrap(), 0);
    let feed = |play: &mut dyn FnMut((), cutpoint::model::Session)| {
        source::sessions(Input { paths: &[trace], ..Input::default() }, &mut |session| play((), session))
    };
    let (tallies, report) = plan.run(feed, None).unwrap();
    assert_eq!(report.unwrap().n_defects, 0);
    let reference: Vec<Value> =
        serde_json::from_slice(&std::fs::read(shared.join("golden/replay/tau-airline.json")).unwrap()).unwrap();
    assert_eq!(reference.len(), 72);
    let mut shifts: BTreeSet<Vec<u64>> = BTreeSet::new();
    for cell in &reference {
        let at = plan.cells().position(|ours| ours.to_string() == key(cell)).unwrap();
        let tally = &tallies[at];
        for (theirs, ours) in EQUAL {
            assert_eq!(counter(tally, ours), cell[theirs].as_u64().unwrap(), "{ours} of {}", key(cell));
        }
        let shift = |(theirs, ours): &(&str, &str)| cell[theirs].as_u64().unwrap() - counter(tally, ours);
        shifts.insert(SHIFTED.iter().map(shift).collect());
        assert_eq!(tally.overshoot.n(), cell["r_n"].as_u64().unwrap(), "cuts that reached the target of {}", key(cell));
        check_median(tally, cell);
    }
    assert!(shifts.len() == 1 && shifts.iter().all(|shift| shift.iter().all(|tokens| *tokens < 60)), "{shifts:?}");
}

/// A median within the accuracy of the sketch.
fn check_median(tally: &Tally, cell: &Value) {
    match (tally.overshoot.percentile(50), cell["reached_median"].as_f64()) {
        (Some(ours), Some(theirs)) => {
            assert!((ours / theirs - 1.0).abs() < 0.001, "{ours} for {theirs} in {}", key(cell))
        }
        (ours, theirs) => assert_eq!(ours, theirs),
    }
}
