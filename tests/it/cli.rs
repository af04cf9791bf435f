//! The program as a user runs it: verbs that need no database.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What the program gave.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("the program ended by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The one line that says what is wrong.
    #[track_caller]
    pub fn refuses(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "stdout: {} stderr: {}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing in: {}", self.stderr);
        }
    }
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutpoint"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// Runs the program.
pub fn run(arguments: &[&str]) -> Ran {
    Ran::of(program(arguments).output().unwrap())
}

/// Runs the program with that on its standard input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = program(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may refuse its arguments before it reads.
    let _ = stdin.write_all(input);
    drop(stdin);
    Ran::of(child.wait_with_output().unwrap())
}

const SAMPLE: &str = "samples/demo.jsonl";

fn replay(more: &[&str]) -> Ran {
    run(&[&["replay", SAMPLE, "--window", "16000", "--counter", "chars4"], more].concat())
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let one = replay(&["--threads", "1", "--output", "json", "--mode", "sticky,stateless"]);
    let many = replay(&["--threads", "7", "--output", "json", "--mode", "sticky,stateless"]);
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, many.stdout);
}

#[test]
fn json_states_settings_as_given_and_counts_as_whole_numbers() {
    let ran = replay(&["--trigger", "70%,0.9", "--target", "trigger,50%", "--output", "json"]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["counter"], "chars4");
    assert!(document["schema_version"].is_u64());
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2 * 2 * 3);
    assert_eq!((&cells[0]["trigger"], &cells[0]["target"]), (&Value::from("70%"), &Value::from("trigger")));
    assert_eq!((&cells[11]["trigger"], &cells[11]["target"]), (&Value::from("0.9"), &Value::from("50%")));
    assert!(cells.iter().all(|cell| cell["window"] == 16_000 && cell["sessions"] == 64));
    assert!(cells.iter().all(|cell| cell["estimates"]["rate_400"]["n"] == 64));
}

#[test]
fn csv_has_a_line_a_cell_and_a_heading() {
    let ran = replay(&["--output", "csv"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 6);
    assert!(lines[0].starts_with("cell,window,trigger,target,policy,mode,counter,sessions,sessions_compacted,"));
    assert!(lines[1].starts_with("drop-oldest-message/0.7/trigger/16000/sticky,16000,70%,trigger,"));
}

#[test]
fn tables_fit_a_narrow_terminal() {
    let ran = Ran::of(program(&["replay", SAMPLE, "--window", "16000"]).env("COLUMNS", "80").output().unwrap());
    let tables = ran.stdout.lines().filter(|line| line.starts_with(' '));
    assert!(tables.clone().count() > 6);
    assert!(tables.clone().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
}

#[test]
fn round_policies_break_nothing_where_the_plain_trimmer_does() {
    let ran = replay(&["--output", "json"]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let refused = |policy: &str| -> u64 {
        let cells = document["cells"].as_array().unwrap().iter().filter(|cell| cell["policy"] == policy);
        cells.map(|cell| cell["calls_400"].as_u64().unwrap()).sum()
    };
    assert!(refused("drop-oldest-message") > 0);
    assert_eq!(refused("drop-oldest-round") + refused("drop-oldest-exchange"), 0);
}

#[test]
fn check_names_the_rule_the_place_and_the_remedy() {
    let body = r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "tide?"},
                   {"role": "tool", "tool_call_id": "call_1", "content": "rising"}]}"#;
    let ran = run_with(&["check", "-"], body.as_bytes());
    assert_eq!(ran.code, 100, "{}", ran.stderr);
    assert!(ran.stdout.contains("orphan_tool_result") && ran.stdout.contains("messages.[1].role"), "{}", ran.stdout);
    let valid =
        run_with(&["check", "-"], br#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "tide?"}]}"#);
    assert_eq!((valid.code, valid.stdout.as_str()), (0, "1 request: 0 would be refused, 1 would be taken\n"));
}

#[test]
fn explain_prints_a_rule_and_lists_all() {
    let ran = run(&["explain", "orphan_tool_result"]);
    assert!(ran.code == 0 && ran.stdout.starts_with("# `orphan_tool_result`\n"), "{}", ran.stdout);
    let list = run(&["explain", "--list"]);
    assert_eq!(list.stdout.lines().count(), cutpoint::rules::RULES.len());
    run(&["explain", "orphan"]).refuses(2, &["no rule is called `orphan`", "orphan_tool_result"]);
}

#[test]
fn every_verb_has_help_with_an_example() {
    let verbs =
        ["demo", "replay", "check", "explain", "ingest", "report", "runs", "serve", "generate", "completions", "man"];
    for verb in verbs {
        let ran = run(&[verb, "--help"]);
        assert!(ran.code == 0 && ran.stdout.contains("Example"), "{verb}: {}", ran.stdout);
    }
}

#[test]
fn completions_and_manual_pages_name_every_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(&["completions", shell]);
        assert!(ran.code == 0 && ran.stdout.contains("replay") && ran.stdout.contains("allow-host"), "{shell}");
    }
    run(&["completions", "cobol"]).refuses(2, &["cobol", "bash"]);
    let page = run(&["man"]).stdout;
    assert!(page.contains(".TH cutpoint 1") && page.contains("cutpoint\\-replay(1)"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man1");
    assert_eq!(run(&["man", "--dir", path.to_str().unwrap()]).code, 0);
    for name in ["cutpoint.1", "cutpoint-replay.1", "cutpoint-serve.1", "cutpoint-runs-delete.1"] {
        let page = std::fs::read_to_string(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
}

#[test]
fn generated_traffic_is_replayed_from_standard_input() {
    let log = run(&["generate", "--sessions", "20", "--seed", "3", "--out", "-"]);
    assert_eq!(log.code, 0, "{}", log.stderr);
    let ran = run_with(&["replay", "-", "--window", "8k", "--output", "json"], log.stdout.as_bytes());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    assert!(document["cells"][0]["sessions"].as_u64().unwrap() >= 20);
}

#[test]
fn a_file_is_written_where_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    let ran = run(&["generate", "--sessions", "2", "--out", file.to_str().unwrap()]);
    assert!(ran.code == 0 && Path::new(&file).metadata().unwrap().len() > 0);
    run(&["generate", "--out", "/no/such/folder/x"]).refuses(1, &["could not create `/no/such/folder/x`"]);
}

#[test]
fn an_interrupt_ends_the_program_with_code_130() {
    let mut command = program(&["replay", "-", "--window", "8k"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A first line shows that the program reads; it then waits for more.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&std::fs::read(SAMPLE).unwrap()[..200_000]).unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
