//! Transcripts and final conversations: what each format makes of its fixtures and of real files.

use std::path::{Path, PathBuf};

use cutpoint::baseline;
use cutpoint::model::{Api, Body, Session};
use cutpoint::rules::Verdict;
use cutpoint::session;
use cutpoint::source::Report;
use cutpoint::transcript::{Transcript, size};

use crate::formats::{read, shared, sniffed};

fn fixture(name: &str) -> Vec<Session> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).0
}

fn traces(name: &str) -> Option<PathBuf> {
    Some(shared()?.join("traces").join(name))
}

/// A session in one line: id, parent, messages as letters, the `upto` of its calls, its compactions. Letters: `s`, `d`
/// and `u` speak, `a` is an assistant's text, `c` a tool use and `r` a result; one word a message.
fn line(session: &Session) -> String {
    let letters = |message: &cutpoint::model::Message| -> String {
        let letter = |part: &cutpoint::model::Part| match &part.body {
            Body::ToolUse(_) => 'c',
            Body::ToolResult(_) => 'r',
            Body::Thinking(_) => 't',
            _ => message.role.as_str().chars().next().unwrap(),
        };
        message.parts.iter().map(letter).collect()
    };
    let words: Vec<String> = session.messages.iter().map(letters).collect();
    let uptos: Vec<u32> = session.calls.iter().map(|call| call.upto).collect();
    let cut = |cut: &cutpoint::model::Compaction| {
        let inserted: Vec<String> = cut.inserted.iter().map(letters).collect();
        format!(" @{} {:?} [{}]", cut.call, cut.evicted, inserted.join(" "))
    };
    let cuts: String = session.compactions.iter().map(cut).collect();
    let parent = session.parent.as_ref().map(|parent| format!(" <{parent}")).unwrap_or_default();
    format!("{}{parent}: {} {uptos:?}{cuts}", session.id, words.join(" "))
}

fn lines(sessions: &[Session]) -> Vec<String> {
    sessions.iter().map(line).collect()
}

/// The calls that a provider would refuse as they stand, as `session@call`.
fn refused(sessions: &[Session]) -> Vec<String> {
    let counter = size::counter("chars4").unwrap();
    let of = |session: &Session| {
        let verdicts = baseline::verdicts(&Transcript::of_session(session, counter));
        let refused = verdicts.iter().enumerate().filter(|(_, verdict)| **verdict == Verdict::Reject);
        refused.map(|(call, _)| format!("{}@{call}", session.id)).collect::<Vec<_>>()
    };
    sessions.iter().flat_map(of).collect()
}

/// Files, sessions, calls, compactions and defects.
fn figures(sessions: &[Session], report: &Report) -> (u64, usize, usize, usize, u64) {
    let calls = sessions.iter().map(|session| session.calls.len()).sum();
    let cuts = sessions.iter().map(|session| session.compactions.len()).sum();
    (report.files, sessions.len(), calls, cuts, report.n_defects)
}

fn in_place(session: &Session) -> bool {
    session.calls.is_sorted_by_key(|call| call.upto)
        && session.calls.iter().all(|call| call.upto as usize <= session.messages.len())
        && session.compactions.iter().flat_map(|cut| &cut.evicted).all(|at| (*at as usize) < session.messages.len())
}

#[test]
fn bare_lists_are_told_apart_by_content() {
    let apis = |name: &str| fixture(name).iter().map(|session| session.api).collect::<Vec<_>>();
    assert_eq!(apis("messages/chat.json"), [Api::OpenaiChat]);
    assert_eq!(apis("messages/anthropic.json"), [Api::AnthropicMessages]);
    assert_eq!(apis("messages/objects.jsonl"), [Api::OpenaiChat, Api::AnthropicMessages]);
    assert_eq!(lines(&fixture("messages/objects.jsonl")), ["boat-1: u a [1]", "boat-2: u c r a [1, 3]"]);
    assert!(lines(&fixture("messages/chat.json"))[0].ends_with(": s u c r a [2, 4]"));
}

#[test]
fn codex_calls_end_with_their_count_and_late_results_stand_behind_their_ask() {
    let [session] = &fixture("codex/fork.jsonl")[..] else { panic!() };
    assert_eq!(
        line(session),
        "loom-1 <loom-0: s u accc r r r c r u ac r u a c [2, 6, 9, 9, 12, 13] @3 [2, 3, 4, 5, 6, 7, 8] [u]"
    );
    let inputs: Vec<_> = session.calls.iter().map(|call| call.reply.usage.map(|usage| usage.input)).collect();
    assert_eq!(inputs, [Some(100), Some(140), None, Some(70), Some(90), None]);
    assert_eq!(session.calls[2].reply.error.as_deref(), Some("stream closed"));
    let cut = &session.compactions[0];
    assert_eq!(
        (cut.tokens_before, cut.tokens_after, session.model.as_deref()),
        (Some(145), Some(60), Some("gpt-weave"))
    );
    assert_eq!(lines(&fixture("codex/bare.jsonl")), ["old-1: u a [1]"]);
    assert!(refused(std::slice::from_ref(session)).is_empty());
}

#[test]
fn real_codex_files_are_read_whole() {
    let Some(path) = traces("codex") else { return };
    let (sessions, report) = read(&path);
    assert_eq!(figures(&sessions, &report), (4, 4, 293, 2, 0), "{:?}", report.defects);
    assert!(sessions.iter().all(in_place));
    assert_eq!(refused(&sessions), Vec::<String>::new());
}

/// The figures of a real corpus; nothing in it may be refused but what is named.
#[track_caller]
fn check_real(name: &str, expected: (u64, usize, usize, usize, u64), named: &[&str]) {
    let Some(path) = traces(name) else { return };
    let (sessions, report) = read(&path);
    assert_eq!(figures(&sessions, &report), expected, "{:?}", report.defects);
    assert!(sessions.iter().all(in_place));
    assert_eq!(refused(&sessions), named);
}

#[test]
fn trajectories_of_mini_swe_agent_know_usage_and_the_call_that_failed() {
    let sessions = fixture("mini-swe-agent/submitted.traj.json");
    assert_eq!(lines(&sessions), ["net__mend-1: s u ac r c [2, 4]"]);
    let call = &sessions[0].calls[0];
    assert_eq!((call.reply.usage.unwrap().input, call.time.unwrap().unix_timestamp()), (40, 1_772_442_000));
    let failed = &fixture("mini-swe-agent/timeout.traj.json")[0];
    assert_eq!(line(failed), "net__mend-2: s u [2]");
    assert_eq!(failed.calls[0].reply.error.as_deref(), Some("Timeout: no answer in 60 s"));
    check_real("mini-swe-agent", (8, 8, 167, 0, 0), &[]);
}

#[test]
fn a_demonstration_of_swe_agent_is_no_call() {
    let shown: Vec<String> = lines(&fixture("swe-agent/run.traj"))
        .iter()
        .map(|line| line.rsplit("swe-agent/").next().unwrap().to_owned())
        .collect();
    assert_eq!(shown, ["run.traj:1: s u a u ac r acc r r a [4, 6, 9]", "run.traj:1: u a [1]"]);
    assert_eq!(fixture("swe-agent/run.traj")[0].model.as_deref(), Some("loom-weaver"));
    check_real("swe-agent", (5, 5, 32, 0, 0), &[]);
}

#[test]
fn copilot_messages_of_one_call_are_one_and_sub_agents_are_apart() {
    let sessions = fixture("copilot-cli/events.jsonl");
    let expected = ["net-7: s u acc r r c r u a [2, 5, 5, 8] @2 [1, 2, 3, 4] [u]", "net-7/v1 <net-7: u a [1]"];
    assert_eq!(lines(&sessions), expected);
    assert_eq!((sessions[0].calls[1].reply.status, sessions[0].compactions[0].tokens_before), (Some(429), Some(900)));
    assert_eq!(refused(&sessions), Vec::<String>::new());
    check_real("copilot-cli", (3, 3, 56, 0, 0), &[]);
}

#[test]
fn opencode_steps_are_calls_and_masked_ids_are_told_apart() {
    let sessions = fixture("opencode/session.json");
    assert_eq!(
        lines(&sessions),
        ["ses_1 <ses_0: u acc r r c r u c r u a [1, 4, 6, 6, 7, 10] @4 [0, 1, 2, 3, 4, 5] [u a]"]
    );
    let calls = &sessions[0].calls;
    assert_eq!((calls[0].reply.usage.unwrap().input, calls[2].reply.status), (31, Some(529)));
    assert_eq!(sessions[0].compactions[0].trigger.as_deref(), Some("auto"));
    assert_eq!(refused(&sessions), Vec::<String>::new());
    check_real("opencode", (3, 3, 22, 0, 0), &[]);
}

#[test]
fn pi_drops_what_was_aborted_and_keeps_branches_apart() {
    let sessions = fixture("pi/session.jsonl");
    assert_eq!(lines(&sessions), ["pi-1: u tacc rr u c r u a u [1, 3, 3, 4, 7] @3 [0] [u]"]);
    let calls = &sessions[0].calls;
    assert_eq!((calls[0].reply.usage.unwrap().input, calls[2].reply.status), (17, Some(400)));
    assert_eq!(refused(&sessions), Vec::<String>::new());
    let branches = lines(&fixture("pi/tree.jsonl"));
    assert_eq!(branches, ["pi-2 </x/pi-1.jsonl: u a u u a [1, 4]", "pi-2/branch-1 <pi-2: u a u a [3]"]);
    check_real("pi", (1, 1, 453, 0, 0), &[]);
}

#[test]
fn roo_keeps_what_it_condensed_and_cline_puts_compactions_apart() {
    let shown = lines(&fixture("cline/roo.json"));
    assert!(shown[0].ends_with(": u ac r a u a [1, 3, 5] @2 [1, 2, 3] [u]"), "{shown:?}");
    let sessions = fixture("cline/session.messages.json");
    assert_eq!(lines(&sessions), ["boat-9: uu c r a [1, 3]"]);
    assert_eq!(sessions[0].calls[0].reply.usage.unwrap().cache_read, 20);
    let cut = fixture("cline/session.compaction.json");
    assert_eq!(lines(&cut), ["boat-9/compaction <boat-9: u a [1] @0 [] []"]);
    assert_eq!(cut[0].compactions[0].tokens_before, Some(400));
    check_real("cline-sdk", (4, 4, 24, 2, 0), &[]);
}

#[test]
fn gemini_lists_are_replayed_and_nameless_calls_paired_by_order() {
    let sessions = fixture("gemini-cli/chat.json");
    assert_eq!(lines(&sessions), ["mill-1: u acc r r a [1, 4, 4]"]);
    assert_eq!(sessions[0].calls[0].reply.usage.unwrap().output, 6);
    assert_eq!(lines(&fixture("gemini-cli/chat.jsonl")), ["mill-2: u c r a u a [1, 3, 5] @2 [0, 1, 2] [u]"]);
    let checkpoint = fixture("gemini-cli/checkpoint.json");
    assert!(lines(&checkpoint)[0].ends_with(": u cc r r a [1, 4]"));
    assert!(refused(&[sessions, checkpoint].concat()).is_empty());
    check_real("gemini-cli", (3, 2, 4, 0, 0), &[]);
}

#[test]
fn openhands_actions_of_one_response_are_one_call() {
    let sessions = fixture("openhands/v0.json");
    let shown = lines(&sessions);
    assert!(shown[0].ends_with(": u ac r c r a [1, 3, 5] @1 [1, 2] [u]"), "{shown:?}");
    assert_eq!(sessions[0].calls[0].reply.usage.unwrap().input, 70);
    let second = fixture("openhands/v1.jsonl");
    assert!(lines(&second)[0].ends_with(": s u acc r r a [2, 5] @1 [2, 3, 4] [u]"), "{:?}", lines(&second));
    assert_eq!(lines(&fixture("openhands/pairs.jsonl")), ["lamp-1: u a u [1]"]);
    assert!(refused(&[sessions, second].concat()).is_empty());
    check_real("openhands/v0", (3, 3, 9, 0, 0), &[]);
}

#[test]
fn inspect_requests_are_its_model_events() {
    let sessions = fixture("inspect/log.json");
    let mut shown = lines(&sessions);
    shown.sort();
    assert_eq!(shown, ["clock/v_epoch_1: u c r a [1, 3]", "clock/w_epoch_1: u c r a [1, 3]"]);
    let logged = sessions.iter().find(|session| session.id == "clock/w_epoch_1").unwrap();
    assert_eq!(logged.calls[0].reply.usage.unwrap().input, 30);
    assert!(matches!(&logged.messages[0].parts[0].body, Body::Text(text) if text == "Wind the clock."));
    assert!(refused(&sessions).is_empty());
}

#[test]
fn atif_copies_are_no_calls() {
    assert_eq!(lines(&fixture("atif/run.json")), ["kite-1: s u acc r r a u [2, 5] @2 [1, 2, 3, 4, 5, 6] []"]);
    assert_eq!(lines(&fixture("atif/run.cont-1.json")), ["kite-1/cont-1 <kite-1: u a u a [3]"]);
    check_real("atif", (4, 4, 11, 1, 0), &[]);
}

#[test]
fn ui_messages_span_a_call_for_each_step() {
    let sessions = fixture("vercel-ui/chat.json");
    assert_eq!(lines(&sessions), ["tea-1: u acc r r a u [1, 4]"]);
    assert_eq!(sessions[0].model.as_deref(), Some("brewer-1"));
    let open = fixture("vercel-ui/messages.json");
    assert!(lines(&open)[0].ends_with(": u c r c u a [1, 3, 5]"), "{:?}", lines(&open));
    assert_eq!(refused(&open).len(), 1, "a call left open is refused by the next request");
}

#[test]
fn inspect_logs_of_real_runs_are_read() {
    let Some(path) = traces("inspect-ai") else { return };
    let (sessions, report) = read(&path);
    assert_eq!(figures(&sessions, &report), (11, 17, 20, 0, 0), "{:?} {}", report.defects, report.files_skipped);
    assert_eq!(refused(&sessions), Vec::<String>::new());
}

#[test]
fn each_real_file_is_sniffed_by_one_format_at_most() {
    let Some(root) = traces("") else { return };
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let by = sniffed(&entry);
                assert!(by.len() <= 1, "{} is sniffed by {by:?}", entry.display());
            }
        }
    }
}

/// What each session's calls were answered with: status, and tokens of the prompt.
fn replies(sessions: &[Session]) -> Vec<(Option<u16>, Option<u64>)> {
    let calls = sessions.iter().flat_map(|session| &session.calls);
    calls.map(|call| (call.reply.status, call.reply.usage.map(|usage| usage.input))).collect()
}

#[test]
fn langfuse_generations_are_calls_in_the_order_of_their_times() {
    let sessions = fixture("langfuse/trace.json");
    assert_eq!(lines(&sessions), ["kiln-7: s u ac r a [2, 4]"]);
    assert_eq!(replies(&sessions), [(Some(200), Some(21)), (Some(200), Some(60))]);
    assert_eq!(sessions[0].calls[0].reserve, 300);

    let sessions = fixture("langfuse/batch.json");
    assert_eq!(lines(&sessions), ["glaze-1: u a [1]"]);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/langfuse/observations.jsonl");
    let (sessions, report) = read(&path);
    assert_eq!((lines(&sessions), replies(&sessions)), (vec!["t-pots: r u [2]".to_owned()], vec![(Some(400), None)]));
    assert_eq!(refused(&sessions), ["t-pots@0"]);
    assert!(report.defects[0].reason.contains("plain text"), "{:?}", report.defects);
}

#[test]
fn langfuse_traces_of_real_frameworks_are_read() {
    let Some(folder) = traces("langfuse/framework-traces") else { return };
    let read = |name: &str| read(&folder.join(format!("{name}.trace.json")));
    let calls = |name: &str| read(name).0.iter().map(|session| session.calls.len()).sum::<usize>();
    assert_eq!(calls("crewai-2025-07-11"), 1);
    assert_eq!(calls("langgraph-python-2025-08-22"), 2);
    assert_eq!(calls("openai-agents-2025-09-30"), 2);
    assert_eq!(calls("pydantic-ai-tools-2025-12-04"), 4);
    let (sessions, report) = read("autogen-2025-06-06");
    assert_eq!((sessions.len(), report.n_defects), (0, 1));
    let apis: Vec<Api> = read("openai-agents-2025-09-30").0.iter().map(|session| session.api).collect();
    assert_eq!(apis, [Api::OpenaiResponses]);
}

#[test]
fn langsmith_runs_are_calls_in_dotted_order() {
    let sessions = fixture("langsmith/runs.jsonl");
    assert_eq!(lines(&sessions), ["kiln-7: u ac r a [1, 3]", "tr-2: u [1]"]);
    assert_eq!(replies(&sessions), [(Some(200), None), (Some(200), Some(30)), (Some(400), None)]);
}

#[test]
fn sizes_without_text_are_told_and_not_replayed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/counts/sizes.jsonl");
    let (sessions, report) = read(&path);
    assert_eq!((sessions.len(), report.n_defects), (0, 3));
}

#[test]
fn events_of_adk_are_contents_and_a_range_of_times_is_a_compaction() {
    let sessions = fixture("adk/events.jsonl");
    assert!(lines(&sessions)[0].ends_with(": u c r a u [1, 3, 5] @2 [0, 1, 2] [a]"), "{:?}", lines(&sessions));
    assert_eq!(replies(&sessions), [(None, Some(30)), (None, None), (Some(429), None)]);
    assert_eq!(lines(&fixture("adk/session.json")), ["pots-1: u a [1]"]);
}

#[test]
fn the_last_request_is_the_list_as_compactions_left_it() {
    let sessions = fixture("adk/events.jsonl");
    let last = session::last(sessions.into_iter().next().unwrap());
    assert!(lines(std::slice::from_ref(&last.session))[0].ends_with(": a a u [3]"), "{:?}", last.session);
    assert_eq!(last.inserted, [(0, 0)]);
    let sessions = fixture("messages/objects.jsonl");
    let lasts: Vec<String> = sessions.into_iter().map(|session| line(&session::last(session).session)).collect();
    assert_eq!(lasts, ["boat-1: u [1]", "boat-2: u c r [3]"]);
}
