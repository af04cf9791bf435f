//! The lines of one thread as the messages, calls and compactions that went over the wire.

use std::collections::{HashMap, HashSet};

use super::entry::{Boundary, Chunk, Entry, Kind};
use super::thread::{answered, asked};
use crate::model::{
    Api, Body, Compaction, Conversation, Form, Gaps, Message, Origin, Part, Place, Preface, Reply, Role, SessionCall,
    Time, Usage,
};

/// One thing on the wire, before it has an index.
enum Item<'e> {
    Message(Box<Speech<'e>>),
    Failure { status: u16, text: &'e str, time: Option<Time>, owned: bool },
    Compaction { boundary: Option<&'e Boundary>, inserted: Vec<Message>, time: Option<Time>, owned: bool },
}

/// A message gathered from its lines.
struct Speech<'e> {
    message: Message,
    uuids: Vec<&'e str>,
    /// The call that made it; none for a user's message.
    call: Option<SessionCall>,
    owned: bool,
    /// The message with the results of its tool uses.
    results: Option<Box<Speech<'e>>>,
}

/// The conversation of some entries; only calls and compactions on `owned` entries are its own.
pub fn conversation(entries: &[Entry], members: &[usize], owned: &HashSet<usize>) -> Conversation {
    let mut gatherer = Gatherer::default();
    for &at in members {
        gatherer.take(&entries[at], owned.contains(&at));
    }
    let model = gatherer.model.map(str::to_owned);
    let mut conversation = Conversation {
        place: Place { source: "".into(), line: 0 },
        session: String::new(),
        parent: None,
        api: Api::AnthropicMessages,
        model,
        preface: Preface::default(),
        tools: None,
        messages: Vec::new(),
        calls: None,
        compactions: Vec::new(),
        gaps: Gaps::default(),
    };
    Layer::default().lay(gatherer.items, &mut conversation);
    conversation
}

/// Puts lines together that were one message.
#[derive(Default)]
struct Gatherer<'e> {
    items: Vec<Item<'e>>,
    /// The item of each message id.
    by_id: HashMap<&'e str, usize>,
    /// The item that asked last for a tool id.
    asker: HashMap<&'e str, usize>,
    model: Option<&'e str>,
}

impl<'e> Gatherer<'e> {
    fn take(&mut self, entry: &'e Entry, owned: bool) {
        let time = entry.time;
        match &entry.kind {
            Kind::Link => {}
            Kind::User { message } => self.user(entry, message, owned),
            Kind::Assistant(chunk) => self.assistant(entry, chunk, owned),
            Kind::Synthetic { status: Some(status), text } => {
                self.items.push(Item::Failure { status: *status, text, time, owned });
            }
            Kind::Synthetic { status: None, .. } => {}
            Kind::Boundary(boundary) => {
                self.items.push(Item::Compaction { boundary: Some(boundary), inserted: Vec::new(), time, owned });
            }
            Kind::Summary { message } => self.summary(message, time, owned),
        }
    }

    fn summary(&mut self, message: &Message, at: Option<Time>, own: bool) {
        match self.items.last_mut() {
            Some(Item::Compaction { inserted, .. }) => inserted.push(message.clone()),
            _ => self.items.push(Item::Compaction {
                boundary: None,
                inserted: vec![message.clone()],
                time: at,
                owned: own,
            }),
        }
    }

    fn user(&mut self, entry: &'e Entry, message: &'e Message, owned: bool) {
        let asker = answered(message).find_map(|id| self.asker.get(id).copied());
        let speech = Speech::new(entry, message, owned);
        match asker.map(|at| &mut self.items[at]) {
            Some(Item::Message(asker)) => match &mut asker.results {
                Some(results) => results.append(speech),
                None => asker.results = Some(Box::new(speech)),
            },
            _ => self.items.push(Item::Message(Box::new(speech))),
        }
    }

    fn assistant(&mut self, entry: &'e Entry, chunk: &'e Chunk, owned: bool) {
        self.model = self.model.or(chunk.model.as_deref());
        let known = chunk.id.as_deref().and_then(|id| self.by_id.get(id).copied());
        let at = known.unwrap_or(self.items.len());
        for id in asked(&chunk.message) {
            self.asker.insert(id, at);
        }
        let mut speech = Speech::new(entry, &chunk.message, owned);
        match self.items.get_mut(at) {
            Some(Item::Message(begun)) => {
                begun.append(speech);
                if let Some(call) = &mut begun.call {
                    call.reply.usage = later(call.reply.usage, chunk.usage);
                }
            }
            _ => {
                let reply = Reply { usage: chunk.usage, ..Reply::default() };
                speech.call = Some(SessionCall { time: entry.time, reply, ..SessionCall::default() });
                self.items.push(Item::Message(Box::new(speech)));
                self.by_id.extend(chunk.id.as_deref().map(|id| (id, at)));
            }
        }
    }
}

/// The usage of a message whose chunks repeat it: the last one, with the largest output.
fn later(before: Option<Usage>, now: Option<Usage>) -> Option<Usage> {
    match (before, now) {
        (Some(before), Some(now)) => Some(Usage { output: before.output.max(now.output), ..now }),
        (before, now) => now.or(before),
    }
}

fn is_blank(part: &Part) -> bool {
    matches!(&part.body, Body::Text(text) if text.trim().is_empty())
}

impl<'e> Speech<'e> {
    fn new(entry: &'e Entry, message: &Message, owned: bool) -> Speech<'e> {
        let uuids = entry.uuid.as_deref().into_iter().collect();
        Speech { message: message.clone(), uuids, call: None, owned, results: None }
    }

    fn append(&mut self, more: Speech<'e>) {
        if !more.message.parts.is_empty() {
            self.message.form = Form::List;
        }
        self.message.parts.extend(more.message.parts);
        self.uuids.extend(more.uuids);
    }
}

/// Gives gathered items their indexes.
#[derive(Default)]
struct Layer<'e> {
    calls: Vec<SessionCall>,
    /// Lines behind each message, and whether a compaction took it away.
    laid: Vec<(Vec<&'e str>, bool)>,
}

impl<'e> Layer<'e> {
    fn lay(mut self, items: Vec<Item<'e>>, into: &mut Conversation) {
        for item in items {
            match item {
                Item::Message(speech) => self.message(*speech, into),
                Item::Failure { status, text, time, owned: true } => {
                    let reply = Reply { status: Some(status), error: Some(text.to_owned()), usage: None };
                    let upto = self.laid.len() as u32;
                    self.calls.push(SessionCall { upto, time, reply, ..SessionCall::default() });
                }
                Item::Compaction { boundary, inserted, time, owned } => {
                    let compaction = self.compaction(boundary, inserted, time);
                    into.compactions.extend(owned.then_some(compaction));
                }
                Item::Failure { .. } => {}
            }
        }
        into.calls = Some(self.calls);
    }

    fn message(&mut self, mut speech: Speech<'e>, into: &mut Conversation) {
        // The client sends no chunk of white space back.
        if speech.message.role == Role::Assistant && speech.message.parts.len() > 1 {
            speech.message.parts.retain(|part| !is_blank(part));
        }
        if let Some(call) = speech.call.filter(|_| speech.owned) {
            self.calls.push(SessionCall { upto: self.laid.len() as u32, ..call });
        }
        self.laid.push((speech.uuids, false));
        into.messages.push(speech.message);
        if let Some(results) = speech.results {
            self.message(*results, into);
        }
    }

    fn compaction(&mut self, boundary: Option<&Boundary>, inserted: Vec<Message>, time: Option<Time>) -> Compaction {
        let preserved: HashSet<&str> =
            boundary.iter().flat_map(|boundary| boundary.preserved.iter().map(String::as_str)).collect();
        let mut evicted = Vec::new();
        for (index, (uuids, gone)) in self.laid.iter_mut().enumerate() {
            if !*gone && !uuids.iter().any(|uuid| preserved.contains(uuid)) {
                *gone = true;
                evicted.push(index as u32);
            }
        }
        Compaction {
            call: self.calls.len() as u32,
            origin: Origin::Marked,
            trigger: boundary.and_then(|boundary| boundary.trigger.clone()),
            tokens_before: boundary.and_then(|boundary| boundary.tokens_before),
            tokens_after: boundary.and_then(|boundary| boundary.tokens_after),
            evicted,
            inserted,
            time,
        }
    }
}
