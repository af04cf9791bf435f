//! The compactions that a log shows, as facts: what left the list, and what was put in its place.

use super::{Made, Overlay, Transcript};
use crate::model::Session;

/// The compactions of a session that say what left, in order, and the messages that they put in.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    pub compactions: Vec<RecordedCompaction>,
    pub inserted: Overlay,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct RecordedCompaction {
    /// The first call whose prompt is the compacted one.
    pub call: u32,
    /// The messages that left, ascending.
    evicted: Vec<u32>,
    /// The numbers of those put in where the first of them stood.
    inserted: Vec<u32>,
}

impl Recorded {
    /// What a session records; `made` are the messages that its compactions put in, in order.
    pub(super) fn of(session: &Session, n_messages: usize, made: Vec<Made>) -> Recorded {
        let (mut recorded, mut made) = (Recorded::default(), made.into_iter());
        for compaction in &session.compactions {
            let own = made.by_ref().take(compaction.inserted.len());
            let inserted = own.map(|made| recorded.inserted.add(n_messages, made)).collect();
            let evicted: Vec<u32> =
                compaction.evicted.iter().copied().filter(|index| (*index as usize) < n_messages).collect();
            // One of which the log does not say what left changes nothing.
            if !evicted.is_empty() {
                recorded.compactions.push(RecordedCompaction { call: compaction.call, evicted, inserted });
            }
        }
        recorded
    }
}

impl RecordedCompaction {
    /// The list behind it, of the one before it: what an earlier compaction put among what leaves goes with it.
    pub fn apply(&self, list: &[u32], transcript: &Transcript) -> Vec<u32> {
        let n = transcript.messages.len() as u32;
        let leaves = |number: &u32| self.evicted.binary_search(number).is_ok();
        let (Some(first), Some(last)) = (list.iter().position(leaves), list.iter().rposition(leaves)) else {
            return list.to_vec();
        };
        let stays = |(at, number): &(usize, &u32)| !leaves(number) && (**number < n || *at < first || *at > last);
        let mut kept: Vec<u32> = Vec::with_capacity(list.len());
        for (at, number) in list.iter().enumerate() {
            if at == first {
                kept.extend(&self.inserted);
            }
            kept.extend(Some((at, number)).filter(stays).map(|(_, number)| number));
        }
        kept
    }
}
