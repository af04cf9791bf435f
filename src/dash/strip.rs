//! A session and the cuts of one cell as values that the strip and the list of messages show.

use std::ops::Range;

use crate::model::Session;
use crate::report::chart::strip::{Cut, Kind, Message};
use crate::report::text;
use crate::store::StoredCut;
use crate::transcript::size::Counter;
use crate::transcript::{MessageFacts, Speaker, Transcript};
use crate::view::Inserted;

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
        let mut is_gone = vec![false; self.messages.len()];
        let mut out = Vec::with_capacity(cuts.len());
        for cut in cuts {
            if !is_sticky {
                is_gone.fill(false);
            }
            let gone = ranges(&is_gone);
            let leaves = |index: &usize| *index < is_gone.len() && !self.messages[*index].pinned && !is_gone[*index];
            let taken = cut.change.gone.iter().flat_map(|range| range.start as usize..range.end as usize);
            let taken: Vec<usize> = taken.filter(leaves).collect();
            let mut now = vec![false; is_gone.len()];
            for index in taken {
                (now[index], is_gone[index]) = (true, true);
            }
            let words = |put: &Inserted| {
                (
                    put.before,
                    format!("{} of {} tokens ({})", put.kind, text::grouped(put.tokens.into()), put.speaker.as_str()),
                )
            };
            out.push(Cut {
                call: cut.call as u32,
                upto: self.session.calls.get(cut.call as usize).map_or(cut.kept_from as u32, |call| call.upto),
                gone,
                taken: ranges(&now),
                shortened: cut.change.shortened.iter().map(|(at, tokens)| (*at, u64::from(*tokens))).collect(),
                inserted: cut.change.inserted.iter().map(words).collect(),
                before: cut.before as u64,
                after: cut.before.saturating_sub(cut.freed) as u64,
                broken: cut.broken_rule.clone().zip(cut.broken_at.map(|at| at as u32)),
            });
        }
        out
    }
}

/// Where a list is true, as ranges.
fn ranges(list: &[bool]) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for (index, _) in (0..).zip(list).filter(|(_, holds)| **holds) {
        match ranges.last_mut() {
            Some(last) if last.end == index => last.end += 1,
            _ => ranges.push(index..index + 1),
        }
    }
    ranges
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
