//! What is sent: an ordered list of entries, each a message as it was logged, a shortened one, or one that was put in.
//!
//! A [`View`] is what a policy sees of it: the past only, by its type. It holds no message behind its call, no answer that
//! is still to come and no round that only a later answer closes. A policy says what to change as a [`Plan`] over the
//! positions of the view; [`Sent::apply`] is the only thing that acts.

mod plan;
mod sent;

pub use plan::{Budget, Change, Inserted, Insertion, Plan, PlanFault, Replacement};
pub use sent::Sent;

use std::borrow::Cow;

use crate::model::Tokens;
use crate::transcript::{Overlay, PartFacts, Speaker, Transcript, Unit};

/// The prompt of one call as a policy sees it.
pub struct View<'a> {
    transcript: &'a Transcript,
    overlay: &'a Overlay,
    sent: &'a Sent,
    /// Tokens of each message of the transcript as it is sent.
    tokens: &'a [Tokens],
    rounds: Cow<'a, [u32]>,
}

/// One entry of a view.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub speaker: Speaker,
    pub tokens: Tokens,
    /// A policy may not remove it: system and developer messages.
    pub pinned: bool,
    pub has_calls: bool,
    pub has_results: bool,
    /// A policy put it in.
    pub is_inserted: bool,
    pub parts: &'a [PartFacts],
}

impl Entry<'_> {
    /// A user message that answers no tool.
    pub fn is_real_user(&self) -> bool {
        self.speaker == Speaker::User && !self.has_results && !self.is_inserted
    }
}

impl<'a> View<'a> {
    /// The view of what is sent, whose messages of the transcript have these tokens.
    pub fn new(transcript: &'a Transcript, overlay: &'a Overlay, sent: &'a Sent, tokens: &'a [Tokens]) -> View<'a> {
        let units = transcript.units();
        let is_open = units.is_answered_behind(sent.upto());
        let rounds =
            if is_open { Cow::Owned(units.rounds_of(sent.upto())) } else { Cow::Borrowed(units.rounds.as_slice()) };
        View { transcript, overlay, sent, tokens, rounds }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.sent.len()
    }

    /// Whether nothing is sent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at a position.
    pub fn entry(&self, position: usize) -> Entry<'a> {
        let number = self.sent.at(position);
        let (facts, parts) = self.transcript.message(self.overlay, number);
        Entry {
            speaker: facts.speaker,
            tokens: self.tokens.get(number as usize).copied().unwrap_or(facts.tokens),
            pinned: facts.pinned,
            has_calls: facts.has_calls,
            has_results: facts.has_results,
            is_inserted: self.transcript.origin(self.overlay, number).is_none(),
            parts,
        }
    }

    /// All entries, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'a>> + '_ {
        (0..self.len()).map(|position| self.entry(position))
    }

    /// The unit that the entry at a position belongs to: neighbours of one unit have equal numbers. What a policy put in
    /// is a unit of its own.
    pub fn unit(&self, position: usize, unit: Unit) -> u32 {
        let number = self.sent.at(position);
        let Some(origin) = self.transcript.origin(self.overlay, number) else { return u32::MAX - number };
        match unit {
            Unit::Message => origin,
            Unit::Round => self.rounds[origin as usize],
            Unit::Exchange => self.transcript.units().exchanges[origin as usize],
        }
    }

    /// The positions of the units of that kind, from the oldest on, each with those of its entries that may go.
    pub fn units(&self, unit: Unit) -> Vec<Vec<u32>> {
        let mut units: Vec<Vec<u32>> = Vec::new();
        let mut last = None;
        for position in (0..self.len()).filter(|position| !self.entry(*position).pinned) {
            let own = Some(self.unit(position, unit));
            match units.last_mut() {
                Some(entries) if last == own => entries.push(position as u32),
                _ => units.push(vec![position as u32]),
            }
            last = own;
        }
        units
    }
}
