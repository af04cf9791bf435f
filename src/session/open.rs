//! A session that may get more calls.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::identity::{self, Digest, List};
use crate::model::{
    Body, Call, Compaction, Envelope, Message, Origin, Part, Preface, Reply, Request, Role, Session, SessionCall,
};

/// What a request that does not extend the one before it is to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    Compaction,
    Branch,
}

/// A session under construction.
pub struct Open {
    session: Session,
    /// The hashes of the last list, and the message of the transcript behind each; none for what was inserted.
    digests: Vec<Digest>,
    behind: Vec<Option<u32>>,
    running: Option<Digest>,
    n_pinned: usize,
    /// The answer to the last call.
    response: Vec<Message>,
    /// The numbers of prefaces and envelopes, by the hash of what they say.
    prefaces: HashMap<(Digest, Digest), u32>,
    envelopes: HashMap<Digest, u32>,
    /// When it got its last call, in calls.
    pub touched: u64,
}

impl Open {
    /// A session without calls; it takes api and model from its first one.
    pub fn new(id: String, parent: Option<String>, call: &Call) -> Open {
        let session = Session {
            id,
            parent,
            place: call.place.clone(),
            api: call.request.api,
            model: call.request.model.clone(),
            prefaces: Vec::new(),
            envelopes: Vec::new(),
            messages: Vec::new(),
            calls: Vec::new(),
            compactions: Vec::new(),
        };
        Open {
            session,
            digests: Vec::new(),
            behind: Vec::new(),
            running: None,
            n_pinned: 0,
            response: Vec::new(),
            prefaces: HashMap::new(),
            envelopes: HashMap::new(),
            touched: 0,
        }
    }

    /// The running hash of the last list.
    pub fn running(&self) -> Option<Digest> {
        self.running
    }

    /// The hash of the last message of the last list.
    pub fn last(&self) -> Option<Digest> {
        self.digests.last().copied()
    }

    /// What a list that does not continue the last one is.
    pub fn fit(&self, call: &Call, list: &List) -> Fit {
        let common = self.common(list);
        let kept = self.kept(list, common);
        if common == list.digests.len() {
            return Fit::Branch;
        }
        if kept.iter().all(Option::is_none) {
            let spoke = |message: &Message| message.role == Role::Assistant;
            let rewound = call.request.messages[..common].iter().any(spoke);
            return if rewound || self.speaks_otherwise(call, list, common) { Fit::Branch } else { Fit::Compaction };
        }
        Fit::Compaction
    }

    /// Whether a list that shares no message stands under another system text.
    fn speaks_otherwise(&self, call: &Call, list: &List, common: usize) -> bool {
        let preface = (&call.request.system, &call.request.tools);
        let last = self.session.calls.last().map_or(0, |call| call.preface as usize);
        let same = self.session.prefaces.get(last).is_some_and(|(system, tools)| preface == (system, tools));
        let pinned = list.n_pinned > 0 || self.n_pinned > 0;
        if pinned { common == 0 || list.n_pinned > common } else { !same }
    }

    /// Whether enough of the last list is kept for a list without session id to be its compacted form.
    pub fn keeps_enough(&self, call: &Call, list: &List) -> bool {
        let common = self.common(list);
        let kept = self.kept(list, common).iter().flatten().count();
        let own = list.digests.len() - common.min(list.digests.len());
        kept >= 2 && kept * 2 >= own && self.fit(call, list) == Fit::Compaction
    }

    /// How many messages both lists begin with.
    fn common(&self, list: &List) -> usize {
        self.digests.iter().zip(&list.digests).take_while(|(before, now)| before == now).count()
    }

    /// For each message of the list behind the common start, the one of the last list that it is; in ascending order.
    fn kept(&self, list: &List, common: usize) -> Vec<Option<usize>> {
        let mut places: HashMap<Digest, VecDeque<usize>> = HashMap::new();
        for (index, digest) in self.digests.iter().enumerate().skip(common) {
            places.entry(*digest).or_default().push_back(index);
        }
        let mut from = common;
        let find = |digest: &Digest| {
            let places = places.get_mut(digest)?;
            while places.front().is_some_and(|place| *place < from) {
                places.pop_front();
            }
            let place = places.pop_front()?;
            from = place + 1;
            Some(place)
        };
        list.digests[common..].iter().map(find).collect()
    }

    /// Takes in a call that continues the session, or compacts it.
    pub fn admit(&mut self, call: Call, list: List) {
        let Call { request, reply, response, time, id, server, judged, .. } = call;
        let reserve = request.max_output.unwrap_or(0);
        let preface = self.preface(request.system, request.tools);
        let Request { max_output, list: form, extra, .. } = request;
        let envelope = Some(self.envelope(Envelope { max_output, list: form, extra }));
        let last = self.session.calls.last();
        let model = interned(request.model, last.and_then(|call| call.model.as_ref()));
        let server = interned(server, last.and_then(|call| call.server.as_ref()));
        let mut messages: Vec<Option<Message>> = request.messages.into_iter().map(Some).collect();
        let common = self.common(&list);
        let from =
            if common == self.digests.len() { common } else { self.compact(&mut messages, &list, common, &reply) };
        if self.session.compactions.last().is_some_and(|last| last.call as usize == self.session.calls.len()) {
            self.session.compactions.last_mut().into_iter().for_each(|last| last.time = time);
        }
        for message in messages.drain(from..).flatten() {
            self.behind.push(Some(self.session.messages.len() as u32));
            self.session.messages.push(message);
        }
        let upto = self.session.messages.len() as u32;
        let id = id.map(String::into_boxed_str);
        let call = SessionCall { upto, preface, envelope, id, model, server, time, reserve, reply, judged };
        self.session.calls.push(call);
        self.running = list.running.last().copied();
        (self.digests, self.n_pinned) = (list.digests, list.n_pinned);
        self.response = response;
    }

    fn preface(&mut self, system: Preface, tools: Option<Value>) -> u32 {
        // As a rule it is that of the call before, which a comparison tells faster than a hash.
        if let Some(last) = self.session.calls.last().map(|call| call.preface)
            && self.session.prefaces.get(last as usize).is_some_and(|(known, with)| *known == system && *with == tools)
        {
            return last;
        }
        let said = (identity::of_debug(&system), identity::of_debug(&tools));
        let next = self.session.prefaces.len() as u32;
        *self.prefaces.entry(said).or_insert_with(|| {
            self.session.prefaces.push((system, tools));
            next
        })
    }

    fn envelope(&mut self, envelope: Envelope) -> u32 {
        let next = self.session.envelopes.len() as u32;
        *self.envelopes.entry(identity::of_debug(&envelope)).or_insert_with(|| {
            self.session.envelopes.push(envelope);
            next
        })
    }

    /// Notes what left and what was inserted; answers from which message on the list is new.
    fn compact(&mut self, messages: &mut [Option<Message>], list: &List, common: usize, reply: &Reply) -> usize {
        let kept = self.kept(list, common);
        let new_from = match kept.iter().rposition(Option::is_some) {
            Some(last) => common + last + 1,
            None => common + usize::from(self.begins_with_summary(&messages[common..])),
        };
        let mut behind: Vec<Option<u32>> = self.behind[..common].to_vec();
        behind.extend(kept[..new_from - common].iter().map(|place| place.and_then(|at| self.behind[at])));
        let mut evicted: Vec<u32> = self.behind[common..].iter().flatten().copied().collect();
        let staying: std::collections::HashSet<u32> = behind.iter().flatten().copied().collect();
        evicted.retain(|index| !staying.contains(index));
        let between = (common..new_from).filter(|at| kept[at - common].is_none());
        let inserted: Vec<Message> = between.filter_map(|at| messages[at].take()).collect();
        if !evicted.is_empty() {
            let before = self.session.calls.last().and_then(|call| call.reply.usage);
            self.session.compactions.push(Compaction {
                call: self.session.calls.len() as u32,
                origin: Origin::Inferred,
                trigger: None,
                tokens_before: before.map(|usage| usage.input),
                tokens_after: reply.usage.map(|usage| usage.input),
                evicted,
                inserted,
                time: None,
            });
        }
        self.behind = behind;
        new_from
    }

    /// Whether the first of these messages stands for what left: others follow it, it holds no tool use or result, and
    /// it is not the answer to the last call.
    fn begins_with_summary(&self, messages: &[Option<Message>]) -> bool {
        let [Some(first), _, ..] = messages else {
            return false;
        };
        let tools = |part: &Part| matches!(part.body, Body::ToolUse(_) | Body::ToolResult(_));
        let answer = self.response.first().is_some_and(|answer| identity::same(answer, first));
        !answer && !first.parts.iter().any(tools)
    }

    /// The session; the answer to the last call stands behind its prompt.
    pub fn finish(mut self) -> Session {
        self.session.messages.extend(self.response);
        self.session
    }
}

/// A name as it is held: that of the call before, where it is the same.
fn interned(name: Option<String>, before: Option<&Arc<str>>) -> Option<Arc<str>> {
    let name = name?;
    Some(before.filter(|before| before.as_ref() == name).cloned().unwrap_or_else(|| name.into()))
}
