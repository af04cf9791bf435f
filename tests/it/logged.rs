//! What a replay knows of logged calls: each is for its own server and model, and is judged as `check` judges it.

use cutpoint::cell::Cell;
use cutpoint::judge::Aim;
use cutpoint::model::{Record, Session, Verdict};
use cutpoint::replay::{Player, Subject};
use cutpoint::source::{self, Input};
use cutpoint::transcript::{History, Transcript, size};

use crate::cli::run_with;

fn write(folder: &tempfile::TempDir, lines: &[String]) -> String {
    let path = folder.path().join("calls.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    path.display().to_string()
}

fn sessions(path: &str) -> Vec<Session> {
    let mut sessions = Vec::new();
    source::sessions(Input { paths: &[path.to_owned()], ..Input::default() }, &mut |session| sessions.push(session))
        .unwrap();
    sessions
}

/// What `check` says of each call, in the order of the log.
fn checked(path: &str) -> Vec<Verdict> {
    let (mut verdicts, mut history) = (Vec::new(), History::new());
    source::records(Input { paths: &[path.to_owned()], ..Input::default() }, &mut |record| {
        if let Record::Call(mut call) = record {
            verdicts.push(Aim::default().judge(&mut call, &mut history).judgement.verdict);
        }
    })
    .unwrap();
    verdicts
}

/// What a replay that never compacts says of each logged call.
fn replayed(sessions: &[Session]) -> Vec<Verdict> {
    let subject = |session| Subject::new(Transcript::of_session(session, &size::BYTES), &[None]);
    sessions.iter().flat_map(|session| subject(session).logged).collect()
}

fn outcome(session: &Session, cell: &str) -> cutpoint::outcome::Outcome {
    let player = Player::new(cell.parse::<Cell>().unwrap());
    let subject = Subject::new(Transcript::of_session(session, &size::BYTES), &[player.cap()]);
    player.play(&subject, &mut Vec::new()).expect("every window is known")
}

/// Three calls of one session; `id` names the tool call.
fn growing(server: &str, models: [&str; 3], id: &str) -> Vec<String> {
    let list = [
        r#"{"role":"user","content":"Kiln?"}"#.to_owned(),
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"kiln","arguments":"{{}}"}}}}]}}"#
        ),
        format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"1100"}}"#),
        r#"{"role":"assistant","content":"Hot."}"#.to_owned(),
        r#"{"role":"user","content":"And now?"}"#.to_owned(),
    ];
    let line = |(model, upto): (&str, usize)| {
        let messages = list[..upto].join(",");
        format!(r#"{{"session":"s","server":"{server}","request":{{"model":"{model}","messages":[{messages}]}}}}"#)
    };
    models.into_iter().zip([1, 3, 5]).map(line).collect()
}

#[test]
fn calls_to_azure_are_judged_by_azure() {
    let folder = tempfile::tempdir().unwrap();
    let id = "k".repeat(50);
    let path = write(&folder, &growing("https://kiln.openai.azure.com/", ["gpt-4.1"; 3], &id));
    assert_eq!(checked(&path), [Verdict::Accept, Verdict::Reject, Verdict::Reject]);
    let sessions = sessions(&path);
    assert_eq!(replayed(&sessions), checked(&path));
    assert_eq!(outcome(&sessions[0], "none/0.9/trigger/model/sticky").baseline_invalid_calls, 2);
}

#[test]
fn the_window_is_that_of_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("k{}", "-".repeat(6_000));
    let path = write(&folder, &growing("https://api.openai.com/", ["gpt-4", "gpt-4", "gpt-4.1"], &long));
    let session = &sessions(&path)[0];
    let size = Transcript::of_session(session, &size::BYTES).messages.iter().map(|message| message.tokens).sum::<u32>();
    assert!(size < 8_192, "{size}");
    // Doubled content: above the window of gpt-4 and far below that of gpt-4.1.
    let mut session = session.clone();
    let [_, _, result, ..] = &mut session.messages[..] else { panic!() };
    let cutpoint::model::Body::ToolResult(result) = &mut result.parts[0].body else { panic!() };
    result.content[0].body = cutpoint::model::Body::Text("x".repeat(9_000));
    for call in &mut session.calls {
        call.judged = None;
    }
    assert_eq!(outcome(&session, "none/0.9/trigger/model/sticky").over_window, 1);
    assert_eq!(outcome(&session, "drop-oldest-round/0.9/trigger/model/sticky").compactions, 1);
}

#[test]
fn a_replay_without_compaction_says_what_check_says() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut compared = 0;
    for file in walk(&fixtures) {
        let path = file.display().to_string();
        let mut implied = false;
        let mut see = |record| implied |= matches!(record, Record::Conversation(_));
        let Ok(report) = source::records(Input { paths: std::slice::from_ref(&path), ..Input::default() }, &mut see)
        else {
            continue;
        };
        let mut read = Vec::new();
        let joined =
            source::sessions(Input { paths: std::slice::from_ref(&path), ..Input::default() }, &mut |s| read.push(s));
        let (joined, mut ours, mut theirs) = (joined.unwrap(), replayed(&read), checked(&path));
        // Calls that hold no text, or were there twice, are in no session; conversations imply theirs.
        if theirs.is_empty() || implied || joined.duplicates > 0 || joined.n_defects > report.n_defects {
            continue;
        }
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{path}");
        compared += theirs.len();
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn behind_a_compaction_of_the_log_the_compacted_list_is_judged() {
    let lines = growing("https://api.openai.com/", ["gpt-4.1"; 3], "k1");
    let folder = tempfile::tempdir().unwrap();
    let mut session = sessions(&write(&folder, &lines)).swap_remove(0);
    // The call was never answered, and a compaction took it.
    session.messages.remove(2);
    for (call, upto) in session.calls.iter_mut().zip([1, 3, 4]) {
        (call.judged, call.upto) = (None, upto);
    }
    assert_eq!(replayed(&[session.clone()])[1..], [Verdict::Reject, Verdict::Reject]);
    let summary = session.messages[0].clone();
    session.compactions.push(cutpoint::model::Compaction {
        call: 2,
        origin: cutpoint::model::Origin::Marked,
        trigger: None,
        tokens_before: None,
        tokens_after: None,
        evicted: vec![0, 1, 2],
        inserted: vec![summary],
        time: None,
    });
    assert_eq!(replayed(&[session.clone()]), [Verdict::Accept, Verdict::Reject, Verdict::Accept]);
    // What is rejected uncompacted is charged to no policy.
    assert_eq!(outcome(&session, "drop-oldest-message/10%/trigger/100/sticky").calls_400, 0);
}

#[test]
fn the_last_call_of_a_transcript_is_judged_as_check_judges_it() {
    let mut compared = 0;
    for file in walk(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")) {
        let path = [file.display().to_string()];
        let mut see = |record| {
            let Record::Conversation(conversation) = record else { return };
            let session = cutpoint::session::session((*conversation).clone());
            let n = session.messages.len() as u32;
            // Where a user speaks last, `check` judges the request that would go out next.
            if session.calls.last().is_none_or(|call| call.upto + 1 < n) || conversation.gaps != Default::default() {
                return;
            }
            let logged = replayed(std::slice::from_ref(&session));
            Aim::default().judge_last(*conversation, &mut |seen| {
                if seen.judgement.by_target.is_empty() {
                    assert_eq!(logged.last(), Some(&seen.judgement.verdict), "{}", path[0]);
                    compared += 1;
                }
            });
        };
        let _ = source::records(Input { paths: &path, ..Input::default() }, &mut see);
    }
    assert!(compared > 10, "{compared}");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn a_model_of_another_house_is_judged_for_its_servers() {
    let body = r#"{"model": "kimi-k2-thinking", "messages": [{"role": "user", "content": "Kiln?"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "k1", "type": "function", "function":
        {"name": "kiln", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "k1", "content": "1100"}]}"#;
    let ran = run_with(&["check", "-", "--output", "json"], body.as_bytes());
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let request = &told["requests"][0];
    assert_eq!(request["verdict"], "depends", "{}", ran.stdout);
    assert_eq!(request["by_target"]["moonshot"], "reject");
    assert_eq!(request["by_target"]["vllm"], "accept");
}
