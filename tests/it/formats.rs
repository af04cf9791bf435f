//! Every format on its fixtures, and on real files where they are at hand.

use std::path::{Path, PathBuf};

use cutpoint::formats::{FORMATS, Shape};
use cutpoint::frame::Frames;
use cutpoint::model::{Record, Session};
use cutpoint::source::{self, Input, Report};

/// The fixtures, each with the format it is of: its folder's name.
pub fn fixtures() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut all = Vec::new();
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            all.push((folder.file_name().into_string().unwrap(), file.unwrap().path()));
        }
    }
    all.sort();
    all
}

/// The folder of real logs, where there is one.
pub fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("CUTPOINT_SHARED").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    Some(named.unwrap_or_else(beside)).filter(|path| path.is_dir())
}

pub fn read(path: &Path) -> (Vec<Session>, Report) {
    let mut sessions = Vec::new();
    let paths = [path.display().to_string()];
    let report = source::sessions(Input { paths: &paths, ..Input::default() }, &mut |session| sessions.push(session));
    (sessions, report.unwrap())
}

pub fn sniffed(path: &Path) -> Vec<&'static str> {
    let bytes = std::fs::read(path).unwrap();
    let mut frames = Frames::new("fixture", bytes.as_slice()).unwrap();
    let head = frames.head().unwrap();
    let by = |sniff: fn(&cutpoint::frame::Frame) -> bool| head.iter().any(|frame| sniff(frame));
    FORMATS.iter().filter(|format| by(format.sniff)).map(|format| format.id).collect()
}

#[test]
fn each_fixture_is_sniffed_by_its_format_alone() {
    for (format, path) in fixtures() {
        assert_eq!(sniffed(&path), [format], "{}", path.display());
    }
}

#[test]
fn each_format_has_a_fixture() {
    let with: Vec<String> = fixtures().into_iter().map(|(format, _)| format).collect();
    for format in FORMATS {
        assert!(with.iter().any(|id| id == format.id), "no fixture of {}", format.id);
    }
}

/// Reads bytes as a format and counts calls and conversations, and defects.
fn count(format: &str, bytes: &[u8]) -> (u64, u64, u64) {
    let mut frames = Frames::new("prefix", bytes).unwrap();
    let (mut records, mut defects) = (0, 0);
    let format = cutpoint::formats::format(format).unwrap();
    let mut joiner = cutpoint::session::Joiner::new();
    (format.read)(&mut frames, &mut |record| {
        match record {
            Record::Defect(_) => defects += 1,
            _ => records += 1,
        }
        joiner.push(record, &mut |_| {});
    })
    .unwrap();
    joiner.finish(&mut |_| {});
    (records, defects, frames.counts().frames + frames.counts().defects)
}

#[test]
fn every_prefix_of_every_fixture_reads_without_panic() {
    for (format, path) in fixtures() {
        let bytes = std::fs::read(path).unwrap();
        for end in 0..=bytes.len() {
            count(&format, &bytes[..end]);
            let _ = Frames::new("prefix", &bytes[..end]).unwrap().head().map(|head| cutpoint::formats::detect(&head));
        }
    }
}

#[test]
fn every_format_reads_every_fixture_without_panic() {
    for (_, path) in fixtures() {
        let bytes = std::fs::read(path).unwrap();
        for format in FORMATS {
            count(format.id, &bytes);
        }
    }
}

#[test]
fn records_and_defects_of_request_logs_add_up_to_their_frames() {
    for (id, path) in fixtures() {
        // One frame of these holds many calls.
        if ["vcr", "har"].contains(&id.as_str()) {
            continue;
        }
        let format = cutpoint::formats::format(&id).unwrap();
        if format.shape == Shape::RequestLog || id == "sessions" || id == "tau-bench" {
            let (records, defects, frames) = count(&id, &std::fs::read(&path).unwrap());
            // One frame of a tracing tool holds a whole trace, and calls among other runs.
            let is_whole = !["langfuse", "langsmith"].contains(&id.as_str());
            assert!(!is_whole || records + defects == frames, "{}", path.display());
        }
    }
}

#[test]
fn tau_bench_has_200_sessions_and_2454_calls() {
    let Some(shared) = shared() else { return };
    let (sessions, report) = read(&shared.join("traces/tau-bench/gpt-4o-airline.json"));
    let calls: usize = sessions.iter().map(|session| session.calls.len()).sum();
    assert_eq!((sessions.len(), calls, report.n_defects), (200, 2454, 0));
}

#[test]
fn tau2_leaves_out_the_greeting_and_counts_usage() {
    let Some(shared) = shared() else { return };
    let (sessions, report) = read(&shared.join("traces/tau2-bench"));
    let calls: Vec<_> = sessions.iter().flat_map(|session| &session.calls).collect();
    assert_eq!((sessions.len(), calls.len(), report.n_defects), (20, 206, 0));
    assert!(calls.iter().all(|call| call.reply.usage.is_some() && call.time.is_some()));
}

#[test]
fn real_claude_code_files_are_read_whole() {
    let Some(shared) = shared() else { return };
    let (sessions, report) = read(&shared.join("traces/claude-code"));
    assert_eq!(report.n_defects, 0, "{:?}", report.defects);
    let compactions = sessions.iter().flat_map(|session| &session.compactions);
    let mut before: Vec<_> = compactions.filter_map(|compaction| compaction.tokens_before).collect();
    before.sort();
    assert_eq!(before, [26_634, 50_000, 167_081]);
    for session in &sessions {
        assert!(session.calls.is_sorted_by_key(|call| call.upto), "{}", session.id);
        assert!(session.calls.iter().all(|call| call.upto as usize <= session.messages.len()));
    }
}

#[test]
fn litellm_payloads_and_rows_give_status_usage_and_session() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/litellm");
    let (sessions, report) = read(&folder.join("payloads.json"));
    let calls: Vec<_> = sessions.iter().flat_map(|session| &session.calls).collect();
    assert_eq!((calls.len(), report.duplicates, report.n_defects), (3, 1, 0));
    assert_eq!(calls.iter().filter_map(|call| call.reply.status).collect::<Vec<_>>(), [200, 200, 400]);
    assert_eq!(calls[1].reply.usage.map(|usage| (usage.input, usage.cache_read)), Some((20, 6)));
    assert!(calls[2].reply.usage.is_none() && calls[2].reply.error.as_ref().unwrap().starts_with("{\"error\""));
    assert!(sessions.iter().all(|session| session.id.starts_with("garden-1")));

    let (sessions, report) = read(&folder.join("spend.jsonl"));
    let reasons: Vec<_> = report.defects.iter().map(|defect| defect.reason.as_str()).collect();
    assert!(reasons[0].contains("400 tokens") && reasons[1].contains("not stored"), "{reasons:?}");
    assert_eq!((sessions.len(), sessions[0].id.as_str(), reasons.len()), (2, "shed-7", 2));
    assert_eq!(sessions[1].calls[0].reply.error.as_deref(), Some("slow down"));
}

#[test]
fn batch_requests_are_calls_and_other_endpoints_are_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/batch-input");
    let (sessions, report) = read(&folder);
    let models: Vec<_> = sessions.iter().filter_map(|session| session.model.as_deref()).collect();
    assert_eq!(models, ["claude-sonnet-4-5", "gpt-4o-mini"]);
    let reasons: Vec<_> = report.defects.iter().map(|defect| defect.reason.as_str()).collect();
    assert!(reasons[0].contains("/v1/embeddings") && reasons[1].contains("no `messages`"), "{reasons:?}");
}

#[test]
fn rows_of_gateways_give_status_error_and_session() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let statuses = |sessions: &[Session]| -> Vec<_> {
        sessions.iter().flat_map(|session| &session.calls).map(|call| call.reply.status).collect()
    };
    let (sessions, report) = read(&fixtures.join("helicone"));
    assert_eq!(sessions[0].id, "kiln-1");
    assert_eq!((statuses(&sessions), report.n_defects), (vec![Some(200), Some(400), None], 1));
    let failed = &sessions[1].calls[0].reply;
    assert!(failed.error.as_ref().unwrap().contains("tool_use_id") && failed.usage.is_none());

    let (sessions, report) = read(&fixtures.join("portkey"));
    assert_eq!((statuses(&sessions), report.n_defects), (vec![Some(200), Some(400)], 1));
    assert_eq!(sessions[1].model.as_deref(), Some("gpt-4o-mini"));
}

#[test]
fn bedrock_tells_status_by_exception_and_bodies_elsewhere_as_defects() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bedrock");
    let (sessions, report) = read(&folder);
    let calls: Vec<_> = sessions.iter().flat_map(|session| &session.calls).collect();
    assert_eq!(calls.iter().map(|call| call.reply.status).collect::<Vec<_>>(), [Some(200), Some(400)]);
    assert_eq!(calls[0].reply.usage.map(|usage| usage.input), Some(36));
    assert_eq!(sessions[0].model.as_deref(), Some("claude-sonnet-4-5-20250929"));
    let reasons: Vec<_> = report.defects.iter().map(|defect| defect.reason.as_str()).collect();
    assert!(reasons[0].contains("s3://log/data/b-3.json.gz") && reasons[1].contains("`Converse`"), "{reasons:?}");
}

#[test]
fn recorded_traffic_gives_calls_and_counts_what_is_none() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let (sessions, report) = read(&fixtures.join("vcr"));
    let calls: Vec<_> = sessions.iter().flat_map(|session| &session.calls).collect();
    assert_eq!((calls.len(), report.bookkeeping, report.n_defects), (3, 1, 0), "{:?}", report.defects);
    assert_eq!(calls.iter().map(|call| call.reply.status).collect::<Vec<_>>(), [Some(200), Some(200), Some(400)]);
    assert_eq!(calls[0].reply.usage.map(|usage| (usage.input, usage.cache_read, usage.output)), Some((20, 8, 7)));
    assert_eq!(calls[0].time.map(|time| time.unix_timestamp()), Some(1_772_442_000));
    assert_eq!((sessions[0].messages.len(), sessions[1].model.as_deref()), (2, Some("gpt-4.1")));
    assert!(calls[2].reply.error.as_ref().unwrap().contains("preceeding"));

    let (sessions, report) = read(&fixtures.join("har"));
    let calls: Vec<_> = sessions.iter().flat_map(|session| &session.calls).collect();
    assert_eq!((calls.len(), report.bookkeeping), (2, 1));
    assert!(report.defects[0].place.line == 3 && report.defects[0].reason.contains("no JSON"), "{:?}", report.defects);
    assert_eq!((sessions[0].model.as_deref(), sessions[0].messages.len()), (Some("gemini-2.5-flash"), 2));
    assert_eq!(calls[0].reply.usage.map(|usage| (usage.input, usage.output)), Some((4, 2)));
    assert_eq!(calls[1].reply.status, Some(400));
}

#[test]
fn captured_litellm_batches_are_read_whole() {
    let Some(shared) = shared() else { return };
    let (mut calls, mut failed) = (0, 0);
    for folder in std::fs::read_dir(shared.join("captures")).unwrap().map(|folder| folder.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let batches = ["litellm_json_array", "litellm_ndjson", "litellm_single_503_retry", "litellm_proxy_webhook"];
        if !batches.contains(&name.as_str()) {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let capture: serde_json::Value =
                serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
            let body = match capture["body_text"].as_str() {
                Some(text) => text.to_owned(),
                None => capture["body_json"].to_string(),
            };
            let mut frames = Frames::new(&name, body.as_bytes()).unwrap();
            let format = cutpoint::formats::detect(&frames.head().unwrap()).unwrap();
            assert_eq!(format.id, "litellm");
            (format.read)(&mut frames, &mut |record| match record {
                Record::Call(call) => {
                    calls += 1;
                    failed += u32::from(call.reply.status == Some(400) && call.reply.error.is_some());
                }
                other => panic!("{other:?}"),
            })
            .unwrap();
        }
    }
    assert_eq!((calls, failed), (27, 14));
}

#[track_caller]
fn refused(path: &str, bytes: Option<&[u8]>, format: Option<&str>, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(bytes) = bytes {
        std::fs::write(folder.path().join(path), bytes).unwrap();
    }
    let paths = [folder.path().join(path).display().to_string()];
    let error =
        source::sessions(Input { paths: &paths, format, ..Input::default() }, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains(expected) && (format.is_some() || error.contains(path)), "{error}");
}

#[test]
fn mistakes_of_the_user_are_named_with_their_remedy() {
    refused("none.jsonl", None, None, "does not exist");
    refused("*.jsonl", None, None, "matches no file");
    refused("empty.jsonl", Some(b" \n"), None, "is empty");
    refused("other.json", Some(br#"{"a": 1}"#), None, "it begins");
    refused("packed.json", Some(b"\x1f\x8b\x08\0"), None, "broken gzip data");
    refused("", None, None, "holds no file");
    refused("a.json", Some(b"{}"), Some("nonsense"), "there is no format `nonsense`");
}

#[test]
fn a_folder_that_links_to_itself_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jsonl"), r#"{"messages": [{"role": "user", "content": "u"}]}"#).unwrap();
    std::fs::write(folder.path().join("note.txt"), "not a log").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    let (sessions, report) = read(folder.path());
    assert_eq!((sessions.len(), report.files, report.files_skipped), (1, 1, 1));
}
