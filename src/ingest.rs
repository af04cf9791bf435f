//! What was read, into the store: batches from a bounded channel, each batch one transaction.
//!
//! Reading again adds nothing: files whose content is known are not even read, and of the others each session is
//! compared, see `store`'s `add`. Stopped at any point, it has stored whole batches, and reading again stores the rest.

use std::collections::HashSet;
use std::fs::File;
use std::mem;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::model::{Defect, Record, Session};
use crate::session::{Joined, Joiner};
use crate::source::{self, Input, Report};
use crate::store::{Added, Ordinals, Packed, Store};

/// How many items wait to be stored.
const QUEUE: usize = 256;

/// A batch is stored when it holds that many sessions or messages.
const BATCH_SESSIONS: usize = 1_000;
const BATCH_MESSAGES: usize = 20_000;

/// What a reader hands over.
#[derive(Debug)]
pub enum Item {
    Session(Box<Session>),
    Defect(Defect),
    /// A source was read to its end.
    End(End),
}

/// The end of a source: what it held altogether.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub source: Arc<str>,
    /// BLAKE3 of its bytes.
    pub hash: [u8; 32],
    pub bytes: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub added: Added,
    pub defects: u64,
}

/// What came of reading files into the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ingested {
    pub counts: Counts,
    /// What was read; `None` where the content of every file was known, so that nothing was read.
    pub report: Option<Report>,
}

/// What to ingest, as the user names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub paths: Vec<String>,
    /// The id of a format that overrides recognition.
    pub format: Option<String>,
    /// Reads files of known content again, for instance because a newer Cutpoint reads them better.
    pub reread: bool,
}

/// Reads files, folders or standard input into the store; a [`source::Error`] says why nothing could be read.
pub async fn ingest_paths(store: &Store, request: Request, progress: impl FnMut(&Counts)) -> Result<Ingested> {
    let paths = request.paths.clone();
    let files = tokio::task::spawn_blocking(move || plain_files(&paths)).await??;
    let all_plain = files.len() == request.paths.len() && !files.is_empty();
    if all_plain && !request.reread && all_known(store, &files).await? {
        return Ok(Ingested::default());
    }
    let (sender, receiver) = channel(QUEUE);
    let reader = tokio::task::spawn_blocking(move || read(&request, files, &sender));
    let counts = ingest(store, receiver, progress).await?;
    Ok(Ingested { counts, report: Some(reader.await??) })
}

/// The paths that name plain files, with their content.
fn plain_files(paths: &[String]) -> Result<Vec<End>> {
    paths.iter().filter(|path| Path::new(path).is_file()).map(|path| content(path)).collect()
}

fn content(path: &str) -> Result<End> {
    let mut file = File::open(path).with_context(|| format!("could not open `{path}`"))?;
    let mut hasher = blake3::Hasher::new();
    let bytes = std::io::copy(&mut file, &mut hasher).with_context(|| format!("could not read `{path}`"))?;
    Ok(End { source: Arc::from(path), hash: *hasher.finalize().as_bytes(), bytes })
}

async fn all_known(store: &Store, files: &[End]) -> Result<bool> {
    for file in files {
        if store.source_of_content(&file.hash).await?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads everything through the channel. That nobody listens any more is told where the listener failed.
fn read(request: &Request, files: Vec<End>, items: &Sender<Item>) -> Result<Report, source::Error> {
    let send = |item| drop(items.blocking_send(item));
    let mut n_sessions = 0;
    let mut hand_on = |joined| match joined {
        Joined::Session(session) => {
            n_sessions += 1;
            send(Item::Session(session));
        }
        Joined::Defect(defect) => send(Item::Defect(defect)),
    };
    let mut joiner = Joiner::new();
    let input = Input { paths: &request.paths, format: request.format.as_deref() };
    let mut report = source::records(input, &mut |record: Record| joiner.push(record, &mut hand_on))?;
    report.duplicates = joiner.duplicates();
    joiner.finish(&mut hand_on);
    report.sessions = n_sessions;
    files.into_iter().for_each(|file| send(Item::End(file)));
    Ok(report)
}

/// Items that wait to be stored together.
#[derive(Default)]
struct Batch {
    sessions: Vec<(Session, u32)>,
    n_messages: usize,
    defects: Vec<Defect>,
    ends: Vec<End>,
}

/// Stores everything that comes through the channel; `progress` hears of each stored batch.
pub async fn ingest(store: &Store, mut items: Receiver<Item>, mut progress: impl FnMut(&Counts)) -> Result<Counts> {
    let (mut counts, mut batch) = (Counts::default(), Batch::default());
    let (mut ordinals, mut begun) = (Ordinals::default(), HashSet::new());
    while let Some(item) = items.recv().await {
        let source = source_of(&item);
        if begun.insert(source.clone()) {
            store.begin_source(&source).await?;
        }
        batch.push(item, &mut ordinals);
        if batch.is_full() {
            counts += batch.store(store).await?;
            progress(&counts);
        }
    }
    counts += batch.store(store).await?;
    progress(&counts);
    Ok(counts)
}

fn source_of(item: &Item) -> Arc<str> {
    match item {
        Item::Session(session) => session.place.source.clone(),
        Item::Defect(defect) => defect.place.source.clone(),
        Item::End(end) => end.source.clone(),
    }
}

impl Batch {
    fn push(&mut self, item: Item, ordinals: &mut Ordinals) {
        match item {
            Item::Session(session) => {
                self.n_messages += session.messages.len();
                let ordinal = ordinals.next(&session);
                self.sessions.push((*session, ordinal));
            }
            Item::Defect(defect) => self.defects.push(defect),
            Item::End(end) => self.ends.push(end),
        }
    }

    fn is_full(&self) -> bool {
        self.sessions.len() + self.defects.len() >= BATCH_SESSIONS || self.n_messages >= BATCH_MESSAGES
    }

    /// Stores what waits, sources' ends last: they say that all before them is stored.
    async fn store(&mut self, store: &Store) -> Result<Counts> {
        let Batch { sessions, defects, ends, .. } = mem::take(self);
        let pack = || sessions.into_iter().map(|(session, ordinal)| Packed::of(session, ordinal)).collect::<Vec<_>>();
        let packed = tokio::task::spawn_blocking(pack).await?;
        let counts = Counts { added: store.add(&packed).await?, defects: store.add_defects(&defects).await? };
        for end in ends {
            store.finish_source(&end.source, &end.hash, end.bytes).await?;
        }
        Ok(counts)
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.added += other.added;
        self.defects += other.defects;
    }
}
