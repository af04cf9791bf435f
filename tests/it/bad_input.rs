//! Wrong files and wrong words: a clear message that names what and where, an exit code, never a panic.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::cli::{Ran, run, run_with};

/// A file with that content, in a folder that goes with the test.
fn file(content: &[u8]) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("calls.jsonl");
    fs::write(&path, content).unwrap();
    (folder, path.display().to_string())
}

fn replay_of(content: &[u8]) -> Ran {
    let (_folder, path) = file(content);
    run(&["replay", &path, "--window", "1000", "--output", "json"])
}

const GOOD: &str =
    r#"{"session": "s", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}"#;

#[test]
fn settings_out_of_range_are_named() {
    let sample = "samples/demo.jsonl";
    let with = |flag: &str, value: &str| run(&["replay", sample, "--window", "16k", flag, value]);
    with("--trigger", "0%").refuses(2, &["trigger `0%` is out of range"]);
    with("--trigger", "130%").refuses(2, &["trigger `130%` is out of range"]);
    with("--trigger", "70").refuses(2, &["did you mean `70%`?"]);
    with("--trigger", "130").refuses(2, &["trigger `130` is out of range; it must be"]);
    with("--target", "50").refuses(2, &["did you mean `50%`?"]);
    with("--trigger", "often").refuses(2, &["`often` is no share of the window"]);
    with("--target", "95%").refuses(2, &["target 95% lies above trigger 70%"]);
    with("--policy", "drop-everything").refuses(2, &["unknown policy `drop-everything`", "drop-oldest-round"]);
    with("--policy", "drop-oldest-round:keep=0").refuses(2, &["`keep`", "from 1 to"]);
    with("--mode", "moody").refuses(2, &["unknown mode `moody`", "sticky"]);
    with("--counter", "abacus").refuses(2, &["abacus", "o200k"]);
    run(&["replay", sample, "--window", "huge"]).refuses(2, &["unknown window `huge`", "200000"]);
    run(&["replay"]).refuses(2, &["name a log to replay"]);
    run(&["serve", "--check", "moody"]).refuses(2, &["no mode is called `moody`", "log, refuse"]);
}

#[test]
fn an_address_that_others_reach_is_refused_until_there_is_a_login() {
    for address in ["0.0.0.0:8400", "192.168.0.7:8400", "[::]:8400", "[fe80::1]:8400"] {
        for verb in ["serve", "demo"] {
            run(&[verb, "--listen", address]).refuses(2, &["no login", "127.0.0.1:8400", "ssh -L"]);
        }
    }
    run(&["serve", "--listen", "8400"]).refuses(2, &["no address with a port", "127.0.0.1:8400"]);
}

#[test]
fn parameters_of_one_policy_are_told_from_the_next_policy() {
    let policies = "drop-oldest-round:keep=2,truncate-results:cap=900,keep=3,none,none";
    let ran = run(&[
        "replay",
        "samples/demo.jsonl",
        "--window",
        "16k",
        "--trigger",
        "90%",
        "--policy",
        policies,
        "--output",
        "csv",
    ]);
    let named: Vec<&str> = ran.stdout.lines().skip(1).filter_map(|line| line.split('/').next()).collect();
    assert_eq!(named, ["drop-oldest-round:keep=2", "\"truncate-results:cap=900,keep=3", "none"]);
    run(&["replay", "x", "--threads", "100000"]).refuses(2, &["100000", "1024"]);
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let ran = run(&["replay", "samples/demo.jsonl", "./samples/demo.jsonl", "--window", "16k", "--output", "json"]);
    assert!(ran.stdout.contains("\"sessions\": 64") && ran.stderr.contains("named twice"), "{}", ran.stderr);
}

#[test]
fn calls_whose_ids_were_masked_are_all_counted() {
    let call = |n: u32| {
        format!(
            r#"{{"session": "REDACTED", "id": "REDACTED", "request": {{"messages": [{{"role": "user", "content": "{n}"}}]}}}}"#
        )
    };
    let log = [call(0), call(1), call(2), call(1)].join("\n");
    let ran = run_with(&["replay", "-", "--window", "2k", "--output", "json"], log.as_bytes());
    assert!(
        ran.stdout.contains("\"calls\": 3") && ran.stderr.contains("1 calls were there twice"),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_window_of_an_unknown_model_is_asked_for() {
    let nameless = replay_without_window(GOOD);
    nameless.refuses(2, &["no window is known", "sessions without a model (1 sessions)", "--window"]);
    let strange = GOOD.replacen('{', r#"{"model": "our-own-7b", "#, 1);
    replay_without_window(&strange).refuses(2, &["`our-own-7b`", "--window"]);
}

fn replay_without_window(line: &str) -> Ran {
    let (_folder, path) = file(line.as_bytes());
    run(&["replay", &path])
}

#[test]
fn paths_that_hold_nothing_are_named() {
    run(&["replay", "no/such/file.jsonl"]).refuses(2, &["`no/such/file.jsonl` does not exist"]);
    let empty = tempfile::tempdir().unwrap();
    let folder = empty.path().display().to_string();
    run(&["replay", &folder]).refuses(2, &[&folder, "holds no file"]);
    replay_of(b"").refuses(2, &["is empty"]);
    replay_of(b"\n\n  \n").refuses(2, &["is empty"]);
    run(&["replay", "Cargo.toml"]).refuses(2, &["Cargo.toml", "format"]);
    run(&["replay", "samples/demo.jsonl", "--format", "telepathy"]).refuses(2, &["no format `telepathy`", "tau"]);
}

#[test]
fn a_broken_line_is_quarantined_and_the_rest_is_read() {
    for broken in [r#"{"session": "t", "messages": [{"role": "us"#, "not json", "\u{0}\u{1}", r#"{"a": 1}{"b""#] {
        let ran = replay_of(format!("{GOOD}\n{broken}\n{}\n", GOOD.replace("\"s\"", "\"u\"")).as_bytes());
        assert_eq!(ran.code, 0, "{broken}: {}", ran.stderr);
        assert!(ran.stderr.contains("calls.jsonl:2"), "{broken}: {}", ran.stderr);
        assert!(ran.stderr.contains("quarantined"), "{}", ran.stderr);
        assert!(ran.stdout.contains("\"sessions\": 2"), "{broken}: {}", ran.stdout);
    }
}

#[test]
fn a_half_written_last_line_is_quarantined() {
    let ran = replay_of(format!("{GOOD}\n{}", &GOOD[..GOOD.len() / 2]).as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("calls.jsonl:2"), "{}", ran.stderr);
}

#[test]
fn wrong_encodings_are_named_and_a_mark_is_taken() {
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(GOOD.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    replay_of(&utf16).refuses(2, &["UTF-16"]);
    let latin: Vec<u8> =
        GOOD.replace("\"a\"", "\"@\"").bytes().map(|byte| if byte == b'@' { 0xe9 } else { byte }).collect();
    replay_of(&latin).refuses(2, &["UTF-8"]);
    let marked = format!("\u{feff}{GOOD}\r\n");
    assert_eq!(replay_of(marked.as_bytes()).code, 0);
}

#[test]
fn deep_nesting_and_a_long_line_are_no_panic() {
    let deep = format!("{GOOD}\n{}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let ran = replay_of(deep.as_bytes());
    assert!(ran.code == 0 && ran.stderr.contains("calls.jsonl:2"), "{}", ran.stderr);
    let long = format!(
        r#"{{"session": "s", "messages": [{{"role": "user", "content": "{}"}}, {{"role": "assistant"}}]}}"#,
        "a".repeat(8 << 20)
    );
    assert_eq!(run_with(&["replay", "-", "--window", "1000", "--counter", "chars4"], long.as_bytes()).code, 0);
}

/// What `check` says of a body, as one text.
fn check_of(body: &str) -> Ran {
    run_with(&["check", "-", "--output", "json"], body.as_bytes())
}

#[test]
fn hostile_bodies_are_judged_or_named_by_check() {
    let user =
        |content: &str| format!(r#"{{"model": "gpt-4.1", "messages": [{{"role": "user", "content": {content}}}]}}"#);
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    check_of(&user(&deep)).refuses(2, &["-:1", "nested deeper than 127 levels"]);
    check_of(&user(r#""kiln \ud83d""#)).refuses(2, &["half of a surrogate pair", "column"]);
    check_of(&user(r#""kiln \ud83d\u0041""#)).refuses(2, &["half of a surrogate pair"]);
    check_of(&user(r#""kiln \udd25""#)).refuses(2, &["half of a surrogate pair"]);
    let huge = r#"{"messages": [{"role": "user", "content": "x", "index": 99999999999999999999999999}], "n": 1e400}"#;
    assert_eq!(check_of(huge).code, 0);
    let twice =
        r#"{"messages": [], "messages": [{"role": "user", "role": "tool", "tool_call_id": "k", "content": "x"}]}"#;
    let ran = check_of(twice);
    assert!(ran.code == 100 && ran.stdout.contains("orphan_tool_result"), "{}", ran.stdout);
    let arguments = serde_json::json!({"messages": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "k", "type": "function", "function": {"name": "f", "arguments": "[".repeat(100_000)}}]},
        {"role": "tool", "tool_call_id": "k", "content": "x"}]});
    let ran = check_of(&arguments.to_string());
    assert!(ran.code == 0 && ran.stdout.contains("invalid_tool_arguments"), "{}", ran.stdout);
}

/// A folder with a log, a second one that nobody may read, and a third that is none; and the path of each.
#[cfg(target_os = "linux")]
fn mixed() -> (TempDir, [String; 3]) {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("b.jsonl"), GOOD).unwrap();
    // What even root cannot read: no memory begins at address 0.
    symlink("/proc/self/mem", path("a.jsonl")).unwrap();
    fs::write(path("c.txt"), "a note").unwrap();
    let paths = ["a.jsonl", "b.jsonl", "c.txt"].map(|name| path(name).display().to_string());
    (folder, paths)
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_read_is_left_out_and_the_rest_is_read() {
    let (folder, [unreadable, good, note]) = mixed();
    let whole = folder.path().display().to_string();
    for paths in [vec![whole.as_str()], vec![&unreadable, &good, &note], vec![&note, &good, &unreadable]] {
        let is_named = paths.len() > 1;
        let ran = run(&[&["replay", "--window", "1000", "--output", "json"], paths.as_slice()].concat());
        ran.refuses(
            0,
            &[&unreadable, "could not be read: Input/output error", "left out 1 file or folder that could not be read"],
        );
        assert_eq!(ran.stderr.matches("Input/output error").count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("left out 1 file in no known format"), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains(&format!("`{note}")), is_named, "{}", ran.stderr);
        assert!(ran.stdout.contains("\"sessions\": 1"), "{}", ran.stdout);
    }
}

#[test]
fn a_folder_that_may_not_be_entered_is_told_and_the_rest_is_read() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let folder = tempfile::tempdir().unwrap();
    let may = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    for path in [folder.path().join("good.jsonl"), locked.join("lost.jsonl")] {
        fs::write(path, GOOD).unwrap();
    }
    may(folder.path(), 0o755);
    may(&locked, 0);
    let whole = folder.path().display().to_string();
    for path in [whole.clone(), format!("{whole}/**/*.jsonl"), format!("{whole}/*.jsonl")] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cutpoint"));
        command.args(["replay", "--window", "1000", "--output", "json", &path]).current_dir("/");
        if fs::metadata(folder.path()).unwrap().uid() == 0 {
            // Root may enter everything.
            command.uid(65_534).gid(65_534);
        }
        let Ok(output) = command.output() else { continue };
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && output.stdout.len() > 100, "{said}");
        assert_eq!(
            said.contains("locked` could not be read: Permission denied"),
            path == whole || path.contains("**"),
            "{said}"
        );
    }
    may(&locked, 0o755);
}

#[test]
#[cfg(target_os = "linux")]
fn no_file_no_readable_file_and_no_known_format_are_told_apart() {
    let (folder, [unreadable, good, note]) = mixed();
    fs::remove_file(&good).unwrap();
    let replay = |paths: &[&str]| run(&[&["replay", "--window", "1000"], paths].concat());
    replay(&[&unreadable]).refuses(2, &["could not be read: Input/output error"]);
    replay(&[&note]).refuses(2, &["cannot be read in any log format"]);
    replay(&[&note, "README.md"]).refuses(2, &["none of the 2 files is in a known format", &note]);
    let ran = replay(&[&folder.path().display().to_string()]);
    ran.refuses(2, &["1 files could not be opened, 1 are in no known format"]);
    for ran in [replay(&[&unreadable]), replay(&[&note]), ran, replay(&["x", "--format", "telepathy"])] {
        assert_eq!(ran.stderr.matches("Input/output error").count(), usize::from(ran.stderr.contains("a.jsonl")));
        assert!(ran.stderr.lines().skip(1).all(|line| line.len() <= 78), "{}", ran.stderr);
    }
    replay(&[&note, "no/such/file"]).refuses(2, &["`no/such/file` does not exist"]);
}

#[test]
fn a_last_line_above_the_limit_loses_nothing_before_it() {
    let mut log = format!("{GOOD}\n").into_bytes();
    log.resize(log.len() + (256 << 20) + 44, b'x');
    let (_folder, path) = file(&log);
    for ran in [run(&["check", &path]), run_with(&["check", "-"], &log)] {
        ran.refuses(0, &["2: longer than 268435456 bytes"]);
        assert!(ran.stdout.contains("1 request") || ran.stdout.contains("1 conversation"), "{}", ran.stdout);
    }
}

#[test]
fn a_frame_above_the_limit_is_named_and_the_next_one_is_read() {
    let mut log = format!("{{\"model\": \"gpt-4.1\", \"messages\": [], \"x\": \"{}\"}}\n", "x".repeat(257 << 20));
    log.push_str(r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "x"}]}"#);
    let ran = run_with(&["check", "-", "--output", "json", "--format", "openai-body"], log.as_bytes());
    assert!(ran.code == 0 && ran.stderr.contains("-:1: longer than 268435456 bytes"), "{} {}", ran.code, ran.stderr);
    assert!(ran.stdout.contains("\"line\":2"), "{}", ran.stdout);
}

#[test]
fn missing_and_masked_ids_and_odd_shapes_are_no_panic() {
    let messages = [
        r#"[{"role": "user", "content": "a"}, {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f"}}]}, {"role": "tool", "content": "x"}, {"role": "assistant", "content": 7}]"#,
        r#"[{"role": "user"}, {"role": "assistant", "content": [{"type": "tool_use"}]}, {"content": [{"type": "tool_result"}]}, {"role": "assistant", "content": [5, null]}]"#,
        r#"[{"role": "user", "content": {}}, {"role": 3}, [], null]"#,
        "[]",
    ];
    for messages in messages {
        let ran = replay_of(format!("{GOOD}\n{{\"session\": \"odd\", \"messages\": {messages}}}\n").as_bytes());
        assert!(ran.code == 0 && !ran.stderr.contains("panicked"), "{messages}: {} {}", ran.code, ran.stderr);
    }
}

#[test]
fn cyclic_parents_end() {
    let line = |uuid: &str, parent: &str, kind: &str| {
        format!(
            r#"{{"type": "{kind}", "uuid": "{uuid}", "parentUuid": "{parent}", "sessionId": "c", "timestamp": "2026-01-01T00:00:00Z", "message": {{"id": "m{uuid}", "role": "{kind}", "content": [{{"type": "text", "text": "x"}}]}}}}"#
        )
    };
    let log =
        [line("a", "b", "user"), line("b", "a", "assistant"), line("c", "c", "user"), line("d", "c", "assistant")];
    let ran = replay_of(log.join("\n").as_bytes());
    assert!(!ran.stderr.contains("panicked") && [0, 4].contains(&ran.code), "{} {}", ran.code, ran.stderr);
}

#[test]
fn a_database_that_does_not_answer_is_code_3() {
    for url in ["foo", "mysql://localhost/x", "postgres://h:p:q/x"] {
        run(&["report", "latest", "--database-url", url]).refuses(2, &["none of a Postgres"]);
    }
    let url = "postgres://nobody@127.0.0.1:1/none";
    let ran = run(&["report", "latest", "--database-url", url]);
    ran.refuses(3, &["127.0.0.1:1"]);
    assert_eq!(ran.stderr.matches("os error").count(), 1, "{}", ran.stderr);
    run(&["ingest", "samples/demo.jsonl", "--database-url", url]).refuses(3, &["127.0.0.1:1"]);
}
