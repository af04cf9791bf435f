//! The last request of a session: the list as its compactions had left it.
//!
//! It is that of the last call, or, where a user spoke last, the one that would go out next. A compaction of which the log
//! does not say what left changes nothing.

use crate::model::{Compaction, Message, Role, Session, SessionCall};

use super::holds_results;

/// The last request of a session, as a session of one call.
pub struct Last {
    pub session: Session,
    /// Where messages stand that compactions put in, with the compaction's index.
    pub inserted: Vec<(u32, u32)>,
}

/// The last request of a session.
pub fn last(session: Session) -> Last {
    let n = session.messages.len();
    let speaks = session.messages.last().is_some_and(|last| last.role == Role::User && !holds_results(last));
    let (upto, call) = match session.calls.last() {
        Some(call) if !speaks => ((call.upto as usize).min(n), call.clone()),
        last => (n, last.cloned().unwrap_or_default()),
    };
    let n_calls = session.calls.len() as u32 - u32::from(!speaks && !session.calls.is_empty());
    let mut left = Left { gone: vec![false; upto], put: Vec::new() };
    for (index, compaction) in (0..).zip(&session.compactions).filter(|(_, cut)| cut.call <= n_calls) {
        left.take(index, compaction);
    }
    let Left { gone, mut put } = left;
    put.sort_by_key(|put| put.before);
    let mut put = put.into_iter().peekable();
    let (mut messages, mut inserted) = (Vec::new(), Vec::new());
    for (at, message) in session.messages.into_iter().take(upto).enumerate() {
        while let Some(put) = put.next_if(|put| put.before as usize <= at) {
            inserted.push((messages.len() as u32, put.by));
            messages.push(put.message.clone());
        }
        if !gone[at] {
            messages.push(message);
        }
    }
    for put in put {
        inserted.push((messages.len() as u32, put.by));
        messages.push(put.message.clone());
    }
    let calls = vec![SessionCall { upto: messages.len() as u32, ..call }];
    Last { session: Session { messages, calls, compactions: Vec::new(), ..session }, inserted }
}

/// What compactions took and put, as indexes of the full list.
struct Left {
    gone: Vec<bool>,
    put: Vec<Put>,
}

/// A message that a compaction put in.
struct Put {
    before: u32,
    by: u32,
    message: Message,
}

impl Left {
    fn take(&mut self, by: u32, compaction: &Compaction) {
        let evicted: Vec<u32> =
            compaction.evicted.iter().copied().filter(|at| (*at as usize) < self.gone.len()).collect();
        let Some((&first, &last)) = evicted.first().zip(evicted.last()) else { return };
        // What an earlier compaction put there goes with what stood around it.
        self.put.retain(|put| put.before < first || put.before > last + 1);
        for at in &evicted {
            self.gone[*at as usize] = true;
        }
        let put = compaction.inserted.iter().map(|message| Put { before: first, by, message: message.clone() });
        self.put.extend(put);
    }
}
