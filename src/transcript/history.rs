//! What earlier calls of a session showed of the blocks that a model ties to what stood before them.
//!
//! A thinking block is known by its signature: the text it had and the prompt it was written after. An item of Responses
//! is known by its id: the reasoning that the server made right before it. A request is compared with what its session
//! has shown and gets the differences as marks, so that a rule never looks at another call. Calls are of one session if
//! they say so or, without ids, if they begin with the same message. Only hashes are kept.

use std::collections::HashMap;

use serde_json::Value;

use crate::model::{Api, Body, Call, Message, Part, Request};
use crate::session::identity::{self, Digest, List};

use super::{Marks, Transcript, marks};

/// What is known of the blocks of every session.
#[derive(Default)]
pub struct History {
    sessions: HashMap<Scope, Known>,
}

/// Whose calls are compared.
#[derive(PartialEq, Eq, Hash)]
enum Scope {
    Named(String),
    /// By the first message of the list.
    BeginsWith(Digest),
}

#[derive(Default)]
struct Known {
    /// By the hash of the signature.
    blocks: HashMap<Digest, Written>,
    /// The id of the reasoning item that the server made right before an item, by the id of that.
    reasoning: HashMap<String, String>,
}

/// A signed block as it was first seen.
struct Written {
    text: Digest,
    before: Digest,
    model: Option<String>,
    /// The signature was seen over several texts: it tells nothing.
    is_ambiguous: bool,
}

impl History {
    /// A history that has seen nothing.
    pub fn new() -> History {
        History::default()
    }

    /// Marks in the transcripts of a call's request, one for each API that may judge it, what differs from what its
    /// session has shown; then takes the call in.
    pub fn follow(&mut self, call: &Call, transcripts: &mut [Transcript]) {
        if !is_bound(call) {
            return;
        }
        let list = identity::list(&call.request.messages);
        let Some(scope) = scope(call, &list) else { return };
        let known = self.sessions.entry(scope).or_default();
        match call.request.api {
            Api::OpenaiResponses => {
                transcripts.iter_mut().for_each(|transcript| known.mark_items(&call.request, transcript));
                known.learn_items(call.request.messages.iter());
                known.learn_items(call.response.iter());
            }
            _ => {
                let prompt = Prefixes::of(&call.request, list);
                transcripts.iter_mut().for_each(|transcript| known.mark_blocks(&call.request, &prompt, transcript));
                known.learn_blocks(call, &prompt);
            }
        }
    }
}

/// Whether a call holds anything that is tied to what stood before it.
fn is_bound(call: &Call) -> bool {
    let messages = || call.request.messages.iter().chain(&call.response);
    match call.request.api {
        Api::OpenaiResponses => messages().any(|message| marks::item_id(Api::OpenaiResponses, message).is_some()),
        _ => messages().flat_map(|message| &message.parts).any(|part| signature(part).is_some()),
    }
}

fn scope(call: &Call, list: &List) -> Option<Scope> {
    match &call.session {
        Some(id) => Some(Scope::Named(id.clone())),
        None => list.digests.first().copied().map(Scope::BeginsWith),
    }
}

/// The signature of a thinking block, of an encrypted one its data, or that of a part of Gemini.
fn signature(part: &Part) -> Option<&str> {
    let text = match &part.body {
        Body::Thinking(thinking) if thinking.redacted => Some(thinking.text.as_str()),
        Body::Thinking(thinking) => thinking.signature.as_deref(),
        _ => part.extra.get("thoughtSignature").and_then(Value::as_str),
    };
    text.filter(|text| !text.is_empty())
}

/// The text that a signature stands for; parts of Gemini are signed without it.
fn signed_text(part: &Part) -> &str {
    match &part.body {
        Body::Thinking(thinking) => &thinking.text,
        _ => "",
    }
}

/// The hashes of what stands before each message of a request: system text, tools and the messages before.
struct Prefixes {
    preface: Digest,
    list: List,
}

impl Prefixes {
    fn of(request: &Request, list: List) -> Prefixes {
        let system = Message {
            role: crate::model::Role::System,
            form: request.system.form.clone(),
            parts: request.system.parts.clone(),
            extra: Default::default(),
        };
        let tools = request.tools.as_ref().map(identity::without_cache_marks).unwrap_or_default();
        let preface = identity::pair(&identity::digest(&system), &identity::of_text(&tools));
        Prefixes { preface, list }
    }

    fn before(&self, message: usize) -> Digest {
        let running = message.checked_sub(1).map(|last| self.list.running[last]).unwrap_or_default();
        identity::pair(&self.preface, &running)
    }
}

impl Known {
    fn mark_blocks(&self, request: &Request, prompt: &Prefixes, transcript: &mut Transcript) {
        for (index, message) in request.messages.iter().enumerate() {
            for (block, part) in message.parts.iter().enumerate() {
                let Some(written) = signature(part).and_then(|text| self.blocks.get(&identity::of_text(text))) else {
                    continue;
                };
                let is_other_model = matches!((&written.model, &request.model), (Some(by), Some(now)) if by != now);
                let marks = Marks::default()
                    .with(Marks::EDITED, !written.is_ambiguous && written.text != identity::of_text(signed_text(part)))
                    .with(Marks::PREFIX_CHANGED, !written.is_ambiguous && written.before != prompt.before(index))
                    .with(Marks::OTHER_MODEL, !written.is_ambiguous && is_other_model);
                transcript.mark_part(index, block, marks);
            }
        }
    }

    fn learn_blocks(&mut self, call: &Call, prompt: &Prefixes) {
        let sent = call.request.messages.iter().enumerate();
        let all = sent.chain(call.response.iter().map(|message| (call.request.messages.len(), message)));
        for (index, message) in all {
            for part in &message.parts {
                let Some(signature) = signature(part) else { continue };
                let text = identity::of_text(signed_text(part));
                let first = || Written {
                    text,
                    before: prompt.before(index),
                    model: call.request.model.clone(),
                    is_ambiguous: false,
                };
                let written = self.blocks.entry(identity::of_text(signature)).or_insert_with(first);
                // An edited block is one place that changed; a signature that the model itself gives twice is none.
                let is_answer = index == call.request.messages.len();
                written.is_ambiguous |= is_answer && written.text != text;
            }
        }
    }

    fn mark_items(&self, request: &Request, transcript: &mut Transcript) {
        let id_of = |message| marks::item_id(Api::OpenaiResponses, message);
        let sent: std::collections::HashSet<&str> = request.messages.iter().filter_map(id_of).collect();
        for (index, message) in request.messages.iter().enumerate() {
            let wanted = id_of(message).and_then(|id| self.reasoning.get(id));
            let is_lost = wanted.is_some_and(|id| !sent.contains(id.as_str()));
            transcript.mark_message(index, Marks::default().with(Marks::LOST_REASONING, is_lost));
        }
    }

    fn learn_items<'a>(&mut self, items: impl Iterator<Item = &'a Message>) {
        let mut reasoning: Option<&str> = None;
        for item in items {
            let id = marks::item_id(Api::OpenaiResponses, item);
            let is_reasoning = marks::of_message(Api::OpenaiResponses, item).has(Marks::REASONING);
            if let (false, Some(id), Some(before)) = (is_reasoning, id, reasoning) {
                self.reasoning.entry(id.to_owned()).or_insert_with(|| before.to_owned());
            }
            reasoning = id.filter(|_| is_reasoning);
        }
    }
}
