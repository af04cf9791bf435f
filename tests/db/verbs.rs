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
