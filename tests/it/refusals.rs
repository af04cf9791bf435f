//! Logged errors: as `cutpoint explain --error` tells them, and as captured logs hold them.

use std::path::Path;

use cutpoint::refusal::{Recognised, recognise};
use serde_json::Value;

use crate::cli::{Ran, run, run_with};
use crate::formats::shared;

const ORPHAN: &str = "litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\
                      \"invalid_request_error\",\"message\":\"messages.2.content.0: unexpected `tool_use_id` found in \
                      `tool_result` blocks: toolu_01. Each `tool_result` block\"}}";

fn explain(text: &str) -> Ran {
    run(&["explain", "--error", text])
}

#[test]
fn an_error_is_explained_with_its_rule_place_and_remedy() {
    let ran = explain(ORPHAN);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for words in
        ["orphan_tool_result: ", "remedy: Cut before", "at: message 2, block 0", "ids: toolu_01", "said: messages.2"]
    {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let json = run_with(&["explain", "--error", "-", "--output", "json"], ORPHAN.as_bytes());
    let told: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&told["kind"], &told["rules"][0]), (&Value::from("refused"), &Value::from("orphan_tool_result")));
    assert_eq!((&told["message_index"], &told["ids"][0]), (&Value::from(2), &Value::from("toolu_01")));
}

#[test]
fn an_error_that_no_rule_is_about_is_named_for_what_it_is() {
    let long = explain("prompt is too long: 210000 tokens > 200000 maximum").stdout;
    assert!(long.starts_with("overflow: ") && long.contains("limit: ") && long.contains("requested: "), "{long}");
    assert!(explain("Error code: 529 - {'error': {'type': 'overloaded_error'}}").stdout.starts_with("overloaded: "));
    let unknown = explain("the kiln 7 is cold").stdout;
    assert!(unknown.starts_with("unclassified: ") && unknown.contains("fingerprint"), "{unknown}");
    explain(" ").refuses(4, &["the text is empty"]);
    run(&["explain"]).refuses(2, &["<RULE>"]);
    run(&["explain", "orphan_tool_result", "--error", "x"]).refuses(2, &["cannot be used with"]);
}

/// The texts of a document that hold these words, long ones left out: they are whole logs.
fn texts<'v>(value: &'v Value, words: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if text.contains(words) && text.len() < 2000 => found.push(text),
        Value::Array(entries) => entries.iter().for_each(|entry| texts(entry, words, found)),
        Value::Object(fields) => fields.values().for_each(|entry| texts(entry, words, found)),
        _ => {}
    }
}

#[test]
fn errors_in_captured_logs_are_recognised() {
    let Some(captures) = shared().map(|shared| shared.join("captures")).filter(|folder| folder.is_dir()) else {
        eprintln!("skipped: no shared captures (CUTPOINT_SHARED)");
        return;
    };
    let mut n_recognised = 0;
    for folder in super::rules::folders(&captures) {
        n_recognised += std::fs::read_dir(folder).unwrap().map(|file| check_file(&file.unwrap().path())).sum::<usize>();
    }
    assert!(n_recognised > 0);
}

/// How many errors a captured file holds, each of which is recognised.
fn check_file(file: &Path) -> usize {
    let Ok(document) = serde_json::from_slice::<Value>(&std::fs::read(file).unwrap()) else { return 0 };
    let mut found = Vec::new();
    for words in ["unexpected `tool_use_id`", "must be a response to a preceeding"] {
        texts(&document, words, &mut found);
    }
    for text in &found {
        let recognised = recognise(text, None).recognised;
        let is_orphan = matches!(&recognised, Recognised::Broken(broken) if broken.rules[0] == "orphan_tool_result");
        assert!(is_orphan, "{}: {text}: {recognised:?}", file.display());
    }
    found.len()
}

/// What a case of the shared list says of an error, and what the program says.
fn agrees(case: &Value, told: &Value) -> bool {
    let is_one_of = |rules: &Vec<Value>| told["rules"].as_array().is_some_and(|told| rules.contains(&told[0]));
    match case["kind"].as_str() {
        Some("not overflow") => told["kind"] != "overflow",
        Some(kind) => told["kind"] == kind && case["rules"].as_array().is_none_or(is_one_of),
        None => false,
    }
}

#[test]
fn errors_of_the_shared_list_are_told_as_it_says() {
    let list = shared().map(|shared| shared.join("cases/errors/cases.jsonl")).filter(|list| list.is_file());
    let Some(list) = list else {
        eprintln!(
            "not run: errors_of_the_shared_list_are_told_as_it_says, for there is no cases/errors (CUTPOINT_SHARED)"
        );
        return;
    };
    let text = std::fs::read_to_string(&list).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |case: &Value| recognise(case["text"].as_str().unwrap(), None).to_json();
    let wrong: Vec<String> =
        cases.iter().filter(|case| !agrees(case, &told(case))).map(|case| format!("{case}: {}", told(case))).collect();
    assert!(!cases.is_empty() && wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), cases.len());
}
