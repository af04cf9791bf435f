//! Whom the calls of a session are for, and what they say beside their lists: each distinct pair once.
//!
//! Window, rules and price follow the call, not the session: its model, the server that it was sent to, and its envelope
//! are its terms. Calls of one client have the same terms for long stretches, so a replay looks at them once a stretch.

use std::collections::HashMap;
use std::sync::Arc;

use super::envelope::EnvelopeFacts;
use crate::catalog;
use crate::model::{Request, Session, SessionCall};
use crate::profiles::{self, Profile};

/// The terms of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    pub model: Option<Arc<str>>,
    /// The server that adds rules, where the log names one that does.
    pub profile: Option<&'static Profile>,
    /// The window of the model, if the catalog knows it.
    pub window: Option<u64>,
    pub envelope: EnvelopeFacts,
}

impl Terms {
    fn new(model: Option<Arc<str>>, profile: Option<&'static Profile>, envelope: EnvelopeFacts) -> Terms {
        let window = model.as_deref().and_then(catalog::window);
        Terms { model, profile, window, envelope }
    }

    /// The terms of a lone request; its server is stated elsewhere.
    pub fn of_request(request: &Request) -> Terms {
        let model = request.model.as_deref().map(Arc::from);
        Terms::new(model, None, EnvelopeFacts::of_request(request))
    }
}

/// The distinct terms of a session's calls, and for each call the number of its own.
pub fn of_session(session: &Session) -> (Vec<Terms>, Vec<u32>) {
    let session_model: Option<Arc<str>> = session.model.as_deref().map(Arc::from);
    let mut known: HashMap<Key, u32> = HashMap::new();
    let mut all = Vec::new();
    let numbers = session.calls.iter().map(|call| {
        *known.entry(Key::of(call)).or_insert_with(|| {
            let terms = terms(session, call, session_model.clone());
            // Envelopes differ in much of which no rule asks.
            let same = all.iter().position(|known| *known == terms);
            same.unwrap_or_else(|| {
                all.push(terms);
                all.len() - 1
            }) as u32
        })
    });
    let numbers = numbers.collect();
    (all, numbers)
}

/// What tells terms apart.
#[derive(PartialEq, Eq, Hash)]
struct Key<'s> {
    model: Option<&'s str>,
    server: Option<&'s str>,
    preface: u32,
    envelope: Option<u32>,
}

impl Key<'_> {
    fn of(call: &SessionCall) -> Key<'_> {
        Key {
            model: call.model.as_deref(),
            server: call.server.as_deref(),
            // Without an envelope nothing of the preface is a fact of the request.
            preface: if call.envelope.is_some() { call.preface } else { 0 },
            envelope: call.envelope,
        }
    }
}

fn terms(session: &Session, call: &SessionCall, session_model: Option<Arc<str>>) -> Terms {
    let profile = call.server.as_deref().and_then(|host| profiles::at_host(host, session.api));
    let envelope = call.envelope.and_then(|index| session.envelopes.get(index as usize));
    let preface = session.prefaces.get(call.preface as usize);
    let facts = envelope.zip(preface).map(|(envelope, preface)| EnvelopeFacts::of_call(session.api, preface, envelope));
    Terms::new(call.model.clone().or(session_model), profile, facts.unwrap_or_default())
}
