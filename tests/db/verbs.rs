//! The program as a user runs it: verbs that need a database.

use std::fs;
use std::process::{Command, Stdio};

use crate::harness::Fresh;

/// What the program gave: its exit code, its result, and what it said besides.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(fresh: &Fresh, test: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutpoint"));
    command.args(arguments).env("DATABASE_URL", fresh.lease.url(&format!("test_{test}"))).stdin(Stdio::null());
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("COLUMNS").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[tokio::test]
async fn logs_in_which_nothing_was_read_are_told_from_known_ones() {
    let fresh = Fresh::database("verbs_nothing").await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let broken = file("broken.jsonl", "{\"session\": 1}\n{\"session\"\n");
    let blank = file("blank.jsonl", r#"{"type": "summary", "summary": "A kiln", "leafUuid": "b7"}"#);
    let size = file("size.jsonl", r#"{"model": "gpt-4.1", "prompt_tokens": 300000, "max_tokens": 10}"#);
    let ingest = |path: &str, format: &str| run(&fresh, "verbs_nothing", &["ingest", path, "--format", format]);
    for (path, format) in [(&broken, "native"), (&blank, "claude-code"), (&size, "counts")] {
        let ran = ingest(path, format);
        assert_eq!(ran.code, Some(4), "{ran:?}");
        assert!(ran.stderr.contains("nothing was read") && !ran.stdout.contains("stored before"), "{ran:?}");
    }
    let ran = run(&fresh, "verbs_nothing", &["ingest", &folder.path().display().to_string()]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    for again in ["stored 64 new sessions", "all of it was stored before"] {
        let ran = run(&fresh, "verbs_nothing", &["ingest", "samples/demo.jsonl"]);
        assert!(ran.code == Some(0) && ran.stdout.contains(again), "{ran:?}");
    }
}

#[tokio::test]
async fn a_demo_run_twice_is_kept_once() {
    let fresh = Fresh::database("verbs_demo").await;
    let demo = |more: &[&str]| run(&fresh, "verbs_demo", &[&["demo", "--no-serve"], more].concat());
    let (first, second) = (demo(&[]), demo(&["--output", "json"]));
    assert!(first.code == Some(0) && second.code == Some(0), "{first:?} {second:?}");
    assert!(first.stderr.contains("kept as run 1") && second.stderr.contains("kept as run 1"), "{second:?}");
    demo(&["--trigger", "80%"]);
    assert_eq!(fresh.store.runs(None, 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn runs_are_listed_shown_tagged_and_deleted() {
    let fresh = Fresh::database("verbs_runs").await;
    let cutpoint = |arguments: &[&str]| run(&fresh, "verbs_runs", arguments);
    let runs = |arguments: &[&str]| cutpoint(&[&["runs"], arguments].concat());
    assert!(runs(&["list"]).stderr.contains("no run was kept yet"));
    assert_eq!(runs(&["show", "latest"]).code, Some(4));
    cutpoint(&["ingest", "samples/demo.jsonl"]);
    for trigger in ["70%", "80%", "90%"] {
        let ran = cutpoint(&["replay", "--stored", "--window", "16k", "--trigger", trigger]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert!(runs(&["tag", "2", "before-upgrade"]).stderr.contains("run 2 is tagged `before-upgrade`"));
    let listed = runs(&["list"]).stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 4, "{listed}");
    assert!(lines[0].starts_with("run  tag") && lines[1].starts_with("  3  "), "{listed}");
    assert!(lines[2].contains("before-upgrade") && lines[2].ends_with("--trigger 80%"), "{listed}");
    let json: serde_json::Value = serde_json::from_str(&runs(&["list", "--output", "json"]).stdout).unwrap();
    assert_eq!((&json["runs"][0]["run"], &json["runs"][1]["tag"]), (&3.into(), &"before-upgrade".into()));
    let shown = runs(&["show", "before-upgrade"]).stdout;
    assert!(shown.contains("drop-oldest-round/0.8/trigger/16000/sticky") && shown.contains("run         2"), "{shown}");
    assert_eq!(cutpoint(&["report", "before-upgrade"]).stdout, cutpoint(&["report", "2"]).stdout);
    for (arguments, code, words) in [
        (&["tag", "1", "before-upgrade"][..], 2, "run 2 is tagged `before-upgrade` already"),
        (&["tag", "1", "12"], 2, "neither a number nor `latest`"),
        (&["tag", "1"], 2, "<TAG>"),
        (&["show", "9"], 4, "there is no run 9; `cutpoint runs list`"),
        (&["show", "no-such-tag"], 4, "no run is tagged `no-such-tag`"),
        (&["delete", "1", "9"], 4, "there is no run 9"),
    ] {
        let ran = runs(arguments);
        assert!(ran.code == Some(code) && ran.stderr.contains(words), "{arguments:?}: {ran:?}");
    }
    assert_eq!(fresh.store.runs(None, 10).await.unwrap().len(), 3);
    assert_eq!(runs(&["tag", "2", "--remove"]).code, Some(0));
    let ran = runs(&["delete", "latest", "1", "3"]);
    assert!(ran.code == Some(0) && ran.stderr == "deleted run 1\ndeleted run 3\n", "{ran:?}");
    let left = fresh.store.runs(None, 10).await.unwrap();
    assert_eq!(left.iter().map(|run| (run.id, run.tag.clone())).collect::<Vec<_>>(), [(2, None)]);
    assert_eq!(fresh.store.overview().await.unwrap().sessions, 64);
}
