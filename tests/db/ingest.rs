//! From the reader's channel into the tables.

use std::sync::Arc;

use cutpoint::ingest::{Counts, End, Ingested, Item, Request, ingest, ingest_paths};
use cutpoint::model::{Defect, Place, Session};
use cutpoint::store::Added;

use crate::harness::Fresh;
use crate::sessions::session;

fn end() -> End {
    End { source: Arc::from("a.jsonl"), hash: [7; 32], bytes: 1234 }
}

async fn feed(fresh: &Fresh, sessions: Vec<Session>) -> Counts {
    let (sender, receiver) = tokio::sync::mpsc::channel(8);
    let send = async move {
        for session in sessions {
            sender.send(Item::Session(Box::new(session))).await.unwrap();
        }
        let place = Place { source: Arc::from("a.jsonl"), line: 9 };
        sender.send(Item::Defect(Defect { place, reason: "cut off".into() })).await.unwrap();
        sender.send(Item::End(end())).await.unwrap();
    };
    let ((), counts) = tokio::join!(send, ingest(&fresh.store, receiver, |_| {}));
    counts.unwrap()
}

#[tokio::test]
async fn ingesting_a_file_twice_is_ingesting_it_once() {
    let fresh = Fresh::database("ingest_twice").await;
    let sessions = || (0..30).map(|i| session("a.jsonl", &format!("s{i}"), 10)).collect::<Vec<_>>();
    assert_eq!(fresh.store.source_of_content(&end().hash).await.unwrap(), None);
    let first = feed(&fresh, sessions()).await;
    let added = Added { sessions_new: 30, messages_new: 300, calls_new: 150, ..Added::default() };
    assert_eq!(first, Counts { added, defects: 1 });
    let known = fresh.store.source_of_content(&end().hash).await.unwrap().unwrap();
    assert_eq!((known.name.as_str(), known.bytes), ("a.jsonl", Some(1234)));
    let second = feed(&fresh, sessions()).await;
    assert_eq!(second, Counts { added: Added { sessions_unchanged: 30, ..Added::default() }, defects: 1 });
    let overview = fresh.store.overview().await.unwrap();
    assert_eq!((overview.sessions, overview.calls, overview.defects), (30, 150, 1));
}

#[tokio::test]
async fn namesakes_in_one_file_stay_apart_and_stay_the_same() {
    let fresh = Fresh::database("ingest_namesakes").await;
    let mut other = session("a.jsonl", "s", 6);
    other.messages.remove(0);
    let sessions = || vec![session("a.jsonl", "s", 6), other.clone()];
    assert_eq!(feed(&fresh, sessions()).await.added.sessions_new, 2);
    assert_eq!(feed(&fresh, sessions()).await.added, Added { sessions_unchanged: 2, ..Added::default() });
}

const SESSIONS: &str = r#"{"session": "one", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}
{"session": "two", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "\u0000"}]}
{"session": "three", "messages": [
"#;

#[tokio::test]
async fn a_file_is_read_once_and_a_grown_one_adds_what_grew() {
    let fresh = Fresh::database("ingest_paths").await;
    let folder = crate::harness::folder();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, SESSIONS).unwrap();
    let request = Request { paths: vec![path.display().to_string()], ..Request::default() };
    let ingest = || async { ingest_paths(&fresh.store, request.clone(), |_| {}).await.unwrap() };

    let first = ingest().await;
    assert_eq!((first.counts.added.sessions_new, first.counts.added.messages_new, first.counts.defects), (2, 3, 1));
    assert_eq!(ingest().await, Ingested::default());

    std::fs::write(&path, SESSIONS.replace("[\n", r#"[{"role": "user", "content": "back"}]}"#)).unwrap();
    let grown = ingest().await.counts;
    assert_eq!((grown.added.sessions_new, grown.added.sessions_unchanged, grown.defects), (1, 2, 0));
    assert_eq!(fresh.store.overview().await.unwrap().defects, 0);
}

#[tokio::test]
async fn a_missing_file_is_the_users_mistake() {
    let fresh = Fresh::database("ingest_missing").await;
    let request = Request { paths: vec!["/no/such/file".into()], ..Request::default() };
    let error = ingest_paths(&fresh.store, request, |_| {}).await.unwrap_err();
    assert!(error.is::<cutpoint::source::Error>(), "{error:#}");
}

#[tokio::test]
async fn a_large_file_goes_in_quickly() {
    let fresh = Fresh::database("ingest_large").await;
    let n: usize = std::env::var("CUTPOINT_TEST_SESSIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let sessions: Vec<Session> = (0..n).map(|i| session("a.jsonl", &format!("s{i}"), 60)).collect();
    let since = std::time::Instant::now();
    let counts = feed(&fresh, sessions).await;
    let seconds = since.elapsed().as_secs_f64();
    assert_eq!(counts.added.sessions_new, n as u64);
    println!("{n} sessions of 60 messages and 30 calls: {seconds:.2} s, {:.0} rows/s", (n * 151) as f64 / seconds);
}
