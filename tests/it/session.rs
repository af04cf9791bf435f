//! Joining, on logs worked out by hand.

use std::path::Path;

use cutpoint::formats;
use cutpoint::frame::Frames;
use cutpoint::model::{Origin, Session};
use cutpoint::session::{Joined, Joiner};

use crate::formats::{read, shared};

/// The sessions of a log, in the order in which they end.
fn join(format: &str, log: &str) -> Vec<Session> {
    let mut frames = Frames::new("log", log.as_bytes()).unwrap();
    let mut joiner = Joiner::new();
    let mut sessions = Vec::new();
    let mut keep = |joined: Joined| match joined {
        Joined::Session(session) => sessions.push(*session),
        Joined::Defect(defect) => panic!("{defect:?}"),
    };
    (formats::format(format).unwrap().read)(&mut frames, &mut |record| joiner.push(record, &mut keep)).unwrap();
    joiner.finish(&mut keep);
    sessions
}

/// A native log without session ids: a line for each list, whose messages are single words: `s` is a system message,
/// words that begin with `a` are the assistant's, all others the user's.
fn log(session: Option<&str>, lists: &[&str]) -> String {
    let message = |word: &str| {
        let role = match word.as_bytes()[0] {
            b's' => "system",
            b'a' => "assistant",
            _ => "user",
        };
        serde_json::json!({"role": role, "content": word})
    };
    let line = |list: &&str| {
        let messages: Vec<_> = list.split(' ').map(message).collect();
        serde_json::json!({"session": session, "api": "openai.chat", "request": {"messages": messages}}).to_string()
            + "\n"
    };
    lists.iter().map(line).collect()
}

/// Each session as its messages, the `upto` of its calls, and its compactions as evicted / inserted.
fn shown(sessions: &[Session]) -> Vec<String> {
    let words = |messages: &[cutpoint::model::Message]| {
        let text = |message: &cutpoint::model::Message| match &message.parts[0].body {
            cutpoint::model::Body::Text(text) => text.clone(),
            _ => "?".to_owned(),
        };
        messages.iter().map(text).collect::<Vec<_>>().join(" ")
    };
    let show = |session: &Session| {
        let uptos: Vec<u32> = session.calls.iter().map(|call| call.upto).collect();
        let cuts = session.compactions.iter();
        let cuts: String =
            cuts.map(|cut| format!(" @{} {:?} [{}]", cut.call, cut.evicted, words(&cut.inserted))).collect();
        let parent = session.parent.as_ref().map(|parent| format!(" <{parent}")).unwrap_or_default();
        format!("{} {uptos:?}{cuts}{parent}", words(&session.messages))
    };
    sessions.iter().map(show).collect()
}

#[track_caller]
fn check(session: Option<&str>, lists: &[&str], expected: &[&str]) {
    assert_eq!(shown(&join("native", &log(session, lists))), expected);
}

#[test]
fn calls_without_id_join_by_their_growing_lists() {
    check(None, &["s u1", "s v1", "s u1 a1 u2", "s v1 b1 v2"], &["s u1 a1 u2 [2, 4]", "s v1 b1 v2 [2, 4]"]);
    check(None, &["s u1", "s u1 a1 u2", "s w1"], &["s u1 a1 u2 [2, 4]", "s w1 [2]"]);
}

#[test]
fn a_retry_is_one_more_call_with_the_same_prompt() {
    check(Some("x"), &["s u1", "s u1", "s u1 a1 u2"], &["s u1 a1 u2 [2, 2, 4]"]);
}

#[test]
fn dropped_messages_are_a_compaction() {
    check(Some("x"), &["s u1 a1 u2 a2 u3", "s u2 a2 u3 a3 u4"], &["s u1 a1 u2 a2 u3 a3 u4 [6, 8] @1 [1, 2] []"]);
    check(None, &["s u1 a1 u2 a2 u3", "s u2 a2 u3 a3 u4"], &["s u1 a1 u2 a2 u3 a3 u4 [6, 8] @1 [1, 2] []"]);
}

#[test]
fn a_summary_is_inserted_and_no_part_of_the_transcript() {
    check(
        Some("x"),
        &["s u1 a1 u2 a2 u3", "s u-sum u3 a3 u4"],
        &["s u1 a1 u2 a2 u3 a3 u4 [6, 8] @1 [1, 2, 3, 4] [u-sum]"],
    );
    check(Some("x"), &["s u1 a1 u2", "s u-sum u3"], &["s u1 a1 u2 u3 [4, 5] @1 [1, 2, 3] [u-sum]"]);
}

#[test]
fn after_a_compaction_the_short_list_goes_on() {
    let lists = ["s u1 a1 u2 a2 u3", "s u-sum u3 a3 u4", "s u-sum u3 a3 u4 a4 u5", "s a4 u5 a5 u6"];
    check(
        Some("x"),
        &lists,
        &["s u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6 [6, 8, 10, 12] @1 [1, 2, 3, 4] [u-sum] @3 [5, 6, 7] []"],
    );
}

#[test]
fn a_rewind_is_a_branch() {
    check(Some("x"), &["s u1 a1 u2", "s u1"], &["s u1 a1 u2 [4]", "s u1 [2] <x"]);
    check(Some("x"), &["s u1 a1 u2 a2 u3", "s u1 a1 w2"], &["s u1 a1 u2 a2 u3 [6]", "s u1 a1 w2 [4] <x"]);
    check(
        Some("x"),
        &["s u1 a1 u2", "s u1 a1 w2", "s u1 a1 u2 a2 u3"],
        &["s u1 a1 u2 a2 u3 [4, 6]", "s u1 a1 w2 [4] <x"],
    );
}

#[test]
fn another_system_message_is_a_side_thread() {
    check(
        Some("x"),
        &["s u1 a1 u2", "s-title t", "s u1 a1 u2 a2 u3"],
        &["s u1 a1 u2 a2 u3 [4, 6]", "s-title t [2] <x"],
    );
}

#[test]
fn a_call_seen_twice_counts_once() {
    let line = r#"{"id": "c", "session": "x", "request": {"messages": [{"role": "user", "content": "u"}]}}"#;
    assert_eq!(shown(&join("native", &format!("{line}\n{line}\n"))), ["u [1]"]);
}

#[test]
fn the_claude_code_fixture_is_taken_apart() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code/session.jsonl");
    let (sessions, report) = read(&path);
    let ids: Vec<_> = sessions.iter().map(|session| (session.id.as_str(), session.messages.len())).collect();
    assert_eq!(ids, [("light-1", 6), ("light-1/branch-1", 4), ("light-1/ag1", 2)]);
    let live = &sessions[0];
    let calls: Vec<_> = live
        .calls
        .iter()
        .map(|call| (call.upto, call.reply.status, call.reply.usage.map(|usage| (usage.input, usage.output))))
        .collect();
    let expected =
        [(1, None, Some((1000, 40))), (3, None, Some((1080, 12))), (5, Some(400), None), (5, None, Some((740, 5)))];
    assert_eq!(calls, expected);
    let [cut] = live.compactions.as_slice() else { panic!("{:?}", live.compactions) };
    assert_eq!((cut.call, cut.origin, cut.evicted.as_slice()), (2, Origin::Marked, [0, 1, 2].as_slice()));
    assert_eq!((cut.tokens_before, cut.tokens_after, cut.inserted.len()), (Some(5000), Some(700), 1));
    assert_eq!((sessions[1].calls.len(), sessions[1].compactions.len(), report.bookkeeping), (1, 0, 2));
}

/// The sessions of a shared case.
fn case(name: &str) -> Option<Vec<Session>> {
    Some(read(&shared()?.join("cases/reports").join(name).join("input.jsonl")).0)
}

#[test]
fn one_message_of_many_lines_is_one() {
    let Some(sessions) = case("101-claude-code-one-message-many-lines") else { return };
    let [session] = sessions.as_slice() else { panic!("{} sessions", sessions.len()) };
    let parts: Vec<usize> = session.messages.iter().map(|message| message.parts.len()).collect();
    let output: u64 = session.calls.iter().filter_map(|call| Some(call.reply.usage?.output)).sum();
    assert_eq!((parts.as_slice(), session.calls.len(), output), ([1, 3, 2, 1].as_slice(), 2, 52));
}

#[test]
fn a_sub_agent_is_a_session_with_a_parent() {
    let Some(sessions) = case("103-claude-code-subagent-sidechain") else { return };
    let shown: Vec<_> = sessions.iter().map(|session| (session.messages.len(), session.parent.as_deref())).collect();
    assert_eq!(shown, [(4, None), (4, Some("sess-A"))]);
}

#[test]
fn a_rewound_thread_is_a_branch() {
    let Some(sessions) = case("104-claude-code-rewind-fork") else { return };
    let shown: Vec<_> = sessions.iter().map(|session| (session.messages.len(), session.parent.is_some())).collect();
    assert_eq!(shown, [(3, false), (2, true)]);
}

#[test]
fn interleaved_users_are_told_apart() {
    let Some(sessions) = case("106-gateway-log-without-session-id") else { return };
    let calls: Vec<usize> = sessions.iter().map(|session| session.calls.len()).collect();
    assert_eq!(calls, [2, 2, 1]);
}

#[test]
fn retries_and_a_broken_stream_are_attempts_of_one_request() {
    let Some(sessions) = case("109-retries-and-stream-break-logged") else { return };
    let [session] = sessions.as_slice() else { panic!("{} sessions", sessions.len()) };
    let uptos: Vec<u32> = session.calls.iter().map(|call| call.upto).collect();
    let input: u64 = session.calls.iter().filter_map(|call| Some(call.reply.usage?.input)).sum();
    assert_eq!((uptos.as_slice(), input, session.messages.len()), ([2, 2, 2, 4].as_slice(), 110, 5));
    assert_eq!(session.calls[0].reply.status, Some(429));
}
