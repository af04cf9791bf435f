//! From the reader's channel into the tables.

use std::sync::Arc;

use cutpoint::ingest::{Counts, Item, ingest};
use cutpoint::model::{Defect, Place, Session};
use cutpoint::source::End;
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
