//! Predicted against observed: on recorded traffic, and as `cutpoint check --observed` tells it.

use cutpoint::agreement::{Agreement, Disagreement, Observed, Outcome};
use cutpoint::judge::Aim;
use cutpoint::model::Record;
use cutpoint::rules::Verdict;
use cutpoint::source::{self, Input};
use cutpoint::transcript::History;
use insta::assert_snapshot;
use serde_json::Value;

use crate::cli::{run, run_with};
use crate::formats::shared;

#[test]
fn the_rules_agree_with_recorded_traffic() {
    let Some(traces) = shared().map(|shared| shared.join("traces")).filter(|folder| folder.is_dir()) else {
        eprintln!("skipped: no shared traces (CUTPOINT_SHARED)");
        return;
    };
    let (mut agreement, mut history) = (Agreement::default(), History::new());
    let mut contradicted: Vec<(String, Disagreement)> = Vec::new();
    let paths = [traces.display().to_string()];
    source::records(Input { paths: &paths, ..Input::default() }, &mut |record| {
        let Record::Call(mut call) = record else { return };
        let observed = Observed::of(&call.reply);
        if observed.outcome == Outcome::Unknown {
            return;
        }
        let disagreement = agreement.add(&Aim::default().judge(&mut call, &mut history).judgement, &observed);
        contradicted.extend(disagreement.map(|disagreement| (call.place.to_string(), disagreement)));
    })
    .unwrap();
    assert!(contradicted.is_empty(), "{contradicted:?}");
    let refused_but_not_predicted =
        agreement.observed(Outcome::Refused) - agreement.count(Verdict::Reject, Outcome::Refused);
    assert_eq!(refused_but_not_predicted, 0);
    assert_snapshot!(told(&agreement));
}

/// The counts, a fact a line.
fn told(agreement: &Agreement) -> String {
    let mut text = String::new();
    for verdict in Verdict::ALL {
        let counts = Outcome::ALL.iter().map(|outcome| (outcome, agreement.count(*verdict, *outcome)));
        for (outcome, count) in counts.filter(|(_, count)| *count > 0) {
            text.push_str(&format!("{} {}: {count}\n", verdict.as_str(), outcome.as_str()));
        }
    }
    for (rule, count) in &agreement.rules {
        let (predicted, observed, both) = (count.predicted, count.observed, count.both);
        text.push_str(&format!("{rule}: predicted {predicted}, observed {observed}, both {both}\n"));
    }
    for (fingerprint, known) in &agreement.unclassified {
        text.push_str(&format!("unclassified {fingerprint}: {}\n", known.calls));
    }
    text
}

const REQUEST: &str = r#"{"model": "gpt-4.1", "messages": [{"role": "tool", "tool_call_id": "k1", "content": "hot"}]}"#;
const REFUSED: &str = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";

/// A log of calls with these outcomes.
fn log(outcomes: &[(u16, &str)]) -> String {
    let line = |(status, error): &(u16, &str)| {
        format!("{{\"request\": {REQUEST}, \"status\": {status}, \"error\": {}}}\n", Value::from(*error))
    };
    outcomes.iter().map(line).collect()
}

#[test]
fn agreement_passes_and_a_contradiction_fails() {
    let agreed = run(&["check", "tests/fixtures/vcr", "--observed"]);
    assert_eq!(agreed.code, 0, "{} {}", agreed.stdout, agreed.stderr);
    assert!(
        agreed.stdout.contains("precision 100 %") && agreed.stdout.contains("0 disagreements"),
        "{}",
        agreed.stdout
    );
    let input = log(&[(400, REFUSED), (200, ""), (400, "the kiln is cold"), (429, "slow down")]);
    let ran = run_with(&["check", "-", "--observed"], input.as_bytes());
    assert_eq!(ran.code, 100, "{}", ran.stderr);
    assert!(ran.stdout.contains("-:2: predicted to be refused, and taken"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the kiln is cold"), "{}", ran.stdout);
}

#[test]
fn programs_get_the_matrix_and_every_contradiction() {
    let input = log(&[(400, REFUSED), (200, ""), (429, "slow down"), (200, "")]);
    let ran = run_with(&["check", "-", "--observed", "--output", "json"], input.as_bytes());
    let told: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout));
    let lines: Vec<u64> =
        told["disagreements"].as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect();
    assert_eq!((lines, &told["disagreements"][0]["kind"]), (vec![2, 4], &Value::from("taken")));
    let row = &told["matrix"]["reject"];
    assert_eq!((&row["refused"], &row["accepted"], &row["not_structural"]), (&1.into(), &2.into(), &1.into()));
    assert_eq!(told["rules"]["orphan_tool_result"]["precision"]["n"], 3);
    let empty = run(&["check", "tests/fixtures/vcr", "--observed", "-o", "json"]);
    let told: Value = serde_json::from_str(&empty.stdout).unwrap();
    assert_eq!(told["disagreements"], Value::Array(Vec::new()));
}

#[test]
fn what_cannot_be_held_against_anything_is_named() {
    run_with(&["check", "-", "--observed"], REQUEST.as_bytes()).refuses(4, &["no call of the log says how it ended"]);
    run(&["check", "tests/fixtures/vcr", "--observed", "-o", "sarif"]).refuses(2, &["table and json"]);
}
