//! Storing sessions and reading them back.

use std::sync::Arc;

use cutpoint::model::{
    Api, Body, Compaction, Defect, Envelope, Fields, Form, Judged, Message, Origin, Part, Place, Preface, Reply, Role,
    Session, SessionCall, Usage, Verdict,
};
use cutpoint::store::{Added, Packed, StoredSession};
use serde_json::json;

use crate::harness::Fresh;

pub fn message(role: Role, text: &str) -> Message {
    let part = Part { body: Body::Text(text.into()), extra: Fields::new() };
    Message { role, form: Form::Text, parts: vec![part], extra: Fields::new() }
}

/// A session of `n` messages, a call before every second one.
pub fn session(source: &str, id: &str, n: usize) -> Session {
    let speak =
        |i: usize| message(if i.is_multiple_of(2) { Role::User } else { Role::Assistant }, &format!("{id} says {i}"));
    let system = message(Role::System, "be brief");
    Session {
        id: id.into(),
        parent: None,
        place: Place { source: Arc::from(source), line: 1 },
        api: Api::AnthropicMessages,
        model: Some("claude".into()),
        prefaces: vec![(Preface { form: Form::Text, parts: system.parts }, Some(json!([{"name": "ls"}])))],
        envelopes: Vec::new(),
        messages: (0..n).map(speak).collect(),
        calls: (1..=n).step_by(2).map(|upto| SessionCall { upto: upto as u32, ..SessionCall::default() }).collect(),
        compactions: Vec::new(),
    }
}

/// A session with something in every field.
fn full() -> Session {
    let mut session = session("a\0b.jsonl", "nul \0 in a name", 4);
    session.parent = Some("parent".into());
    session.messages[1] = message(Role::Assistant, "a \0 and a \u{fffd} and 👋");
    session.prefaces.push((Preface::default(), None));
    let time = time::OffsetDateTime::from_unix_timestamp_nanos(1_764_567_890_123_456_000).unwrap();
    let usage = Usage { input: 10, output: 2, cache_read: 3, cache_write: 4 };
    let extra = json!({"store": false, "temperature": 0.10, "metadata": {"user": "k"}});
    session.envelopes = vec![
        Envelope { max_output: Some(4096), list: Form::List, extra: extra.as_object().unwrap().clone() },
        Envelope { list: Form::Other(json!(7)), ..Envelope::default() },
    ];
    session.calls[0].envelope = Some(1);
    session.calls[1] = SessionCall {
        upto: 3,
        preface: 1,
        envelope: Some(0),
        id: Some("call-2".into()),
        model: Some("claude-sonnet-4".into()),
        server: Some("api.anthropic.com".into()),
        judged: Some(Judged { verdict: Verdict::Reject, rule: Some("orphan_tool_result") }),
        time: Some(time),
        reserve: 4096,
        reply: Reply { status: Some(400), error: Some("orphan".into()), usage: Some(usage) },
    };
    session.compactions.push(Compaction {
        call: 1,
        origin: Origin::Marked,
        trigger: Some("auto".into()),
        tokens_before: Some(100),
        tokens_after: None,
        evicted: vec![0, 1],
        inserted: vec![message(Role::User, "a summary")],
        time: Some(time),
    });
    session
}

async fn add(fresh: &Fresh, sessions: &[Session]) -> Added {
    let packed: Vec<Packed> = sessions.iter().map(|session| Packed::of(session.clone(), 0)).collect();
    for session in sessions {
        fresh.store.begin_source(&session.place.source).await.unwrap();
    }
    fresh.store.add(&packed).await.unwrap()
}

#[tokio::test]
async fn a_session_comes_back_as_it_was_stored() {
    let fresh = Fresh::database("round_trip").await;
    let stored = full();
    let added = add(&fresh, std::slice::from_ref(&stored)).await;
    let expected = Added { sessions_new: 1, messages_new: 4, calls_new: 2, compactions_new: 1, ..Added::default() };
    assert_eq!(added, expected);
    let loaded = fresh.store.load_sessions(0, 10).await.unwrap();
    let mut expected = stored;
    // Names are text columns, which cannot hold NUL; messages can.
    expected.id = expected.id.replace('\0', "\u{2400}");
    expected.place.source = Arc::from("a\u{2400}b.jsonl");
    assert_eq!(loaded.len(), 1);
    assert_eq!(loaded[0].session, expected);
    assert_eq!(fresh.store.load_session(loaded[0].id).await.unwrap(), Some(expected));
}

#[tokio::test]
async fn storing_again_adds_nothing() {
    let fresh = Fresh::database("again").await;
    let sessions = [full(), session("b.jsonl", "second", 6)];
    assert_eq!(add(&fresh, &sessions).await.sessions_new, 2);
    assert_eq!(add(&fresh, &sessions).await, Added { sessions_unchanged: 2, ..Added::default() });
}

#[tokio::test]
async fn a_grown_session_is_extended_in_its_place() {
    let fresh = Fresh::database("grown").await;
    add(&fresh, &[session("a.jsonl", "s", 4)]).await;
    let added = add(&fresh, &[session("a.jsonl", "s", 10)]).await;
    let expected = Added { sessions_extended: 1, messages_new: 6, calls_new: 3, ..Added::default() };
    assert_eq!(added, expected);
    let loaded = fresh.store.load_sessions(0, 10).await.unwrap();
    assert_eq!(loaded.len(), 1);
    assert_eq!(loaded[0].session, session("a.jsonl", "s", 10));
}

#[tokio::test]
async fn a_copy_in_another_file_counts_once_whichever_is_longer() {
    let fresh = Fresh::database("copies").await;
    add(&fresh, &[session("old.jsonl", "s", 4)]).await;
    assert_eq!(add(&fresh, &[session("copy.jsonl", "s", 4)]).await.sessions_unchanged, 1);
    assert_eq!(add(&fresh, &[session("new.jsonl", "s", 8)]).await.sessions_extended, 1);
    assert_eq!(add(&fresh, &[session("old.jsonl", "s", 4)]).await.sessions_unchanged, 1);
    assert_eq!(fresh.store.load_sessions(0, 10).await.unwrap()[0].session.messages.len(), 8);
}

#[tokio::test]
async fn sessions_of_one_name_with_different_words_are_kept_apart() {
    let fresh = Fresh::database("namesakes").await;
    let mut other = session("b.jsonl", "s", 4);
    other.messages[0] = message(Role::User, "something else");
    assert_eq!(add(&fresh, &[session("a.jsonl", "s", 4), other]).await.sessions_new, 2);
}

#[tokio::test]
async fn pages_are_cut_by_key_and_messages_by_window() {
    let fresh = Fresh::database("pages").await;
    let sessions: Vec<Session> = (0..5).map(|i| session("a.jsonl", &format!("s{i}"), 10)).collect();
    add(&fresh, &sessions).await;
    let first = fresh.store.session_lines(None, 2).await.unwrap();
    let second = fresh.store.session_lines(Some(first[1].id), 2).await.unwrap();
    let names: Vec<&str> = first.iter().chain(&second).map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["s4", "s3", "s2", "s1"]);
    let messages = fresh.store.session_messages(first[0].id, 7, 2).await.unwrap();
    assert_eq!(messages, [(7, sessions[4].messages[7].clone()), (8, sessions[4].messages[8].clone())]);
    assert_eq!(fresh.store.session_line(first[0].id).await.unwrap().as_ref(), Some(&first[0]));
    assert_eq!(fresh.store.sessions_named("s4").await.unwrap(), first[..1]);
    let overview = fresh.store.overview().await.unwrap();
    assert_eq!((overview.sources, overview.sessions, overview.calls), (1, 5, 25));
}

#[tokio::test]
async fn every_session_comes_through_the_stream() {
    let fresh = Fresh::database("stream").await;
    let sessions: Vec<Session> = (0..150).map(|i| session("a.jsonl", &format!("s{i}"), 2)).collect();
    add(&fresh, &sessions).await;
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<StoredSession>(4);
    let receive = async {
        let mut names = Vec::new();
        while let Some(stored) = receiver.recv().await {
            names.push(stored.session.id);
        }
        names
    };
    let send = async {
        let sent = fresh.store.stream_sessions(&sender).await;
        drop(sender);
        sent
    };
    let (sent, names) = tokio::join!(send, receive);
    sent.unwrap();
    assert_eq!(names, sessions.iter().map(|session| session.id.clone()).collect::<Vec<_>>());
}

#[tokio::test]
async fn defects_are_those_of_the_last_reading() {
    let fresh = Fresh::database("defects").await;
    let defect =
        |line| Defect { place: Place { source: Arc::from("a.jsonl"), line }, reason: format!("line {line} \0") };
    fresh.store.begin_source("a.jsonl").await.unwrap();
    assert_eq!(fresh.store.add_defects(&[defect(1), defect(2)]).await.unwrap(), 2);
    fresh.store.begin_source("a.jsonl").await.unwrap();
    fresh.store.add_defects(&[defect(3)]).await.unwrap();
    let defects = fresh.store.defects(None, 10).await.unwrap();
    assert_eq!(defects.len(), 1);
    assert_eq!((defects[0].source.as_str(), defects[0].reason.as_str()), ("a.jsonl", "line 3 \u{2400}"));
}

#[tokio::test]
async fn two_writers_at_once_store_each_session_once() {
    let fresh = Fresh::database("two_writers").await;
    let sessions: Vec<Session> = (0..40).map(|i| session("a.jsonl", &format!("s{i}"), 10)).collect();
    let (one, other) = tokio::join!(add(&fresh, &sessions), add(&fresh, &sessions));
    assert_eq!(one.sessions_new + other.sessions_new, 40);
    assert_eq!(one.messages_new + other.messages_new, 400);
}
