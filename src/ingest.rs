//! What was read, into the store: batches from a bounded channel, each batch one transaction.
//!
//! Reading again adds nothing: see `store`'s `add`. Stopped at any point, it has stored whole batches, and reading
//! again stores the rest.

use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use anyhow::Result;
use tokio::sync::mpsc::Receiver;

use crate::model::{Defect, Session};
use crate::source::End;
use crate::store::{Added, Ordinals, Packed, Store};

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

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub added: Added,
    pub defects: u64,
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
