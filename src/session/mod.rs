//! Records to sessions: which calls belong together, and the full transcript behind them.
//!
//! A conversation is a session already. Calls are joined by their session id; without one, a call belongs to the session
//! whose last message list it continues, or of which it keeps enough to be its compacted form, and else begins its own.
//! Messages are compared by [`identity`]: what they say, without cache markers, spelling or thinking. Each message is
//! hashed once for each request that carries it, and lists are compared by the running hash of their messages.
//!
//! Inside a session a request that stops extending the one before it is one of three things. The same list cut short, or
//! continued otherwise after some of the assistant's messages, is a rewind: a branch, a session with a parent. A list
//! that shares nothing under another system message is a side thread: a branch too. Anything else is a compaction: kept messages are matched in order, what
//! stands between them is what was inserted, and what follows the last of them is new; where none is kept behind the
//! common start, the first message there is the summary, if others follow it.
//!
//! Calls are taken in the order of the log. A call whose id its session has seen is counted once.

pub mod identity;
mod last;
mod open;

pub use last::{Last, last};

use std::collections::{HashMap, HashSet};

use crate::formats;
use crate::model::{Body, Call, Conversation, Defect, Message, Record, Session};
use identity::Digest;
use open::{Fit, Open};

/// The most sessions that are held open; beyond it the one that was quiet longest is taken as ended.
const MAX_OPEN: usize = 20_000;

/// What the joiner hands on.
#[derive(Debug)]
pub enum Joined {
    Session(Box<Session>),
    Defect(Defect),
}

/// Joins records, one after the other.
#[derive(Default)]
pub struct Joiner {
    open: HashMap<u64, Open>,
    next: u64,
    /// Sessions and their branches, by id.
    by_id: HashMap<String, Known>,
    /// Sessions without id, also by the last message of their last list.
    nameless: Known,
    by_last: HashMap<Digest, u64>,
    /// Calls by session, id and message list.
    seen: HashSet<(Option<String>, String, Digest)>,
    names: HashMap<String, u32>,
    duplicates: u64,
}

/// The sessions among which a call may have its own.
#[derive(Default)]
struct Known {
    /// By the running hash of their last list.
    by_list: HashMap<Digest, u64>,
    /// The one that got the last call.
    latest: Option<u64>,
}

impl Known {
    /// The session with the longest last list that this list begins with.
    fn continued(&self, list: &identity::List) -> Option<u64> {
        list.running.iter().rev().find_map(|digest| self.by_list.get(digest).copied())
    }
}

impl Joiner {
    /// A joiner that has seen nothing.
    pub fn new() -> Joiner {
        Joiner::default()
    }

    /// How many calls were left out because one with the same id and the same messages had been seen.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Takes a record in and hands on what is finished by it.
    pub fn push(&mut self, record: Record, emit: &mut dyn FnMut(Joined)) {
        match record {
            Record::Defect(defect) => emit(Joined::Defect(defect)),
            Record::Conversation(conversation) => emit(Joined::Session(Box::new(session(*conversation)))),
            Record::Call(call) => self.call(*call, emit),
        }
    }

    /// Hands on every session that is still open, in the order in which they began.
    pub fn finish(mut self, emit: &mut dyn FnMut(Joined)) {
        let mut open: Vec<(u64, Open)> = self.open.drain().collect();
        open.sort_by_key(|(key, _)| *key);
        for (_, open) in open {
            emit(Joined::Session(Box::new(open.finish())));
        }
    }

    fn call(&mut self, call: Call, emit: &mut dyn FnMut(Joined)) {
        let list = identity::list(&call.request.messages);
        let sent = list.running.last().copied().unwrap_or_default();
        if let Some(id) = &call.id
            && !self.seen.insert((call.session.clone(), id.clone(), sent))
        {
            self.duplicates += 1;
            return;
        }
        let key = match &call.session {
            Some(id) => self.by_session(id.clone(), &call, &list),
            None => self.by_prefix(&call, &list),
        };
        self.admit(key, call, list);
        if self.open.len() > MAX_OPEN {
            self.close_quietest(emit);
        }
    }

    fn by_session(&mut self, id: String, call: &Call, list: &identity::List) -> u64 {
        let known = self.by_id.entry(id.clone()).or_default();
        if let Some(key) = known.continued(list).filter(|key| self.open.contains_key(key)) {
            return key;
        }
        let latest = known.latest.and_then(|key| Some((key, self.open.get(&key)?.fit(call, list))));
        match latest {
            Some((key, Fit::Compaction)) => key,
            Some((_, Fit::Branch)) => {
                let name = self.unused(&format!("{id}/branch"));
                self.begin(name, Some(id), call)
            }
            None => {
                let name = self.unused(&id);
                self.begin(name, None, call)
            }
        }
    }

    /// The session that a call without session id belongs to.
    fn by_prefix(&mut self, call: &Call, list: &identity::List) -> u64 {
        if let Some(key) = self.nameless.continued(list).filter(|key| self.open.contains_key(key)) {
            return key;
        }
        let kept = list.digests.iter().rev().find_map(|digest| self.by_last.get(digest).copied());
        let kept = kept.filter(|key| self.open.get(key).is_some_and(|open| open.keeps_enough(call, list)));
        kept.unwrap_or_else(|| {
            let place = call.place.to_string();
            let name = self.unused(&place);
            self.begin(name, None, call)
        })
    }

    /// A name that no session has: the given one, or with a number behind it.
    fn unused(&mut self, name: &str) -> String {
        let n = self.names.entry(name.to_owned()).or_insert(0);
        *n += 1;
        match *n {
            1 if !name.ends_with("/branch") => name.to_owned(),
            n => format!("{name}-{n}"),
        }
    }

    fn begin(&mut self, name: String, parent: Option<String>, call: &Call) -> u64 {
        let key = self.next;
        self.next += 1;
        self.open.insert(key, Open::new(name, parent, call));
        key
    }

    fn admit(&mut self, key: u64, call: Call, list: identity::List) {
        let known = match &call.session {
            Some(id) => self.by_id.entry(id.clone()).or_default(),
            None => &mut self.nameless,
        };
        let Some(open) = self.open.get_mut(&key) else {
            return;
        };
        if let Some(before) = open.running().filter(|digest| known.by_list.get(digest) == Some(&key)) {
            known.by_list.remove(&before);
        }
        let nameless = call.session.is_none();
        self.next += 1;
        open.touched = self.next;
        open.admit(call, list);
        known.latest = Some(key);
        known.by_list.extend(open.running().map(|digest| (digest, key)));
        if nameless {
            self.by_last.extend(open.last().map(|digest| (digest, key)));
        }
    }

    fn close_quietest(&mut self, emit: &mut dyn FnMut(Joined)) {
        let quietest = self.open.iter().min_by_key(|(_, open)| open.touched).map(|(key, _)| *key);
        if let Some(open) = quietest.and_then(|key| self.open.remove(&key)) {
            emit(Joined::Session(Box::new(open.finish())));
        }
    }
}

/// Whether a message answers a call.
fn holds_results(message: &Message) -> bool {
    message.parts.iter().any(|part| matches!(part.body, Body::ToolResult(_)))
}

/// The session of a conversation: its calls are those stated, or those that its messages imply.
pub fn session(conversation: Conversation) -> Session {
    let calls = conversation.calls.unwrap_or_else(|| formats::implied_calls(&conversation.messages));
    Session {
        id: conversation.session,
        parent: conversation.parent,
        place: conversation.place,
        api: conversation.api,
        model: conversation.model,
        prefaces: vec![(conversation.preface, conversation.tools)],
        envelopes: Vec::new(),
        messages: conversation.messages,
        calls,
        compactions: conversation.compactions,
    }
}
