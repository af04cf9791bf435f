//! A session and the cuts of one cell as values that the strip and the list of messages show.

use crate::model::Session;
use crate::report::chart::strip::{Cut, Kind, Message};
use crate::store::StoredCut;
use crate::transcript::size::Counter;
use crate::transcript::{MessageFacts, Speaker, Transcript};

/// A session with the sizes of its messages.
pub struct Sized {
    pub session: Session,
    pub messages: Vec<Message>,
}

impl Sized {
    /// Counts the tokens of every message; takes long for long sessions.
    pub fn of(session: Session, counter: &Counter) -> Sized {
        let transcript = Transcript::of_session(&session, counter);
        let messages = transcript.messages.iter().map(|facts| Message {
            kind: kind(facts),
            tokens: u64::from(facts.tokens),
            pinned: facts.pinned,
        });
        Sized { messages: messages.collect(), session }
    }

    /// Stored cuts with the ends of their prompts; `is_sticky` tells whether a cut starts from what the last one left.
    pub fn cuts(&self, cuts: &[StoredCut], is_sticky: bool) -> Vec<Cut> {
        // What is pinned at the head never goes.
        let head = self.messages.iter().take_while(|message| message.pinned).count() as u32;
        let mut gone_before = head;
        let mut out = Vec::with_capacity(cuts.len());
        for cut in cuts {
            let (call, kept_from) = (cut.call as u32, cut.kept_from as u32);
            let upto = self.session.calls.get(call as usize).map_or(kept_from, |call| call.upto);
            out.push(Cut {
                call,
                upto,
                gone_before: if is_sticky { gone_before } else { head },
                kept_from: kept_from.max(head),
                before: cut.before as u64,
                after: cut.before.saturating_sub(cut.freed) as u64,
                broken: cut.broken_rule.clone().zip(cut.broken_at.map(|at| at as u32)),
            });
            gone_before = kept_from.max(head);
        }
        out
    }
}

fn kind(facts: &MessageFacts) -> Kind {
    match facts.speaker {
        Speaker::System | Speaker::Developer => Kind::System,
        Speaker::Assistant if facts.has_calls => Kind::Calls,
        Speaker::Assistant => Kind::Assistant,
        Speaker::Tool | Speaker::Function => Kind::Results,
        Speaker::User if facts.has_results => Kind::Results,
        Speaker::User => Kind::User,
        Speaker::Unknown => Kind::Other,
    }
}
