//! Rounds and exchanges: where a transcript may be cut without breaking a reference, and where a user begins anew.
//!
//! A call and its result are paired by position first and id second, because ids repeat inside real sessions and are
//! masked to one literal in others: a result answers the youngest message that still has an open call of that id, and
//! inside that message the first such call. A result without id answers the first open call of the youngest message
//! that has one.

use std::collections::HashMap;

use super::{IdNo, Marks, MessageFacts, PartKind, Speaker, Transcript};

/// The smallest piece that a policy removes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// One message, whatever it refers to.
    Message,
    /// The messages between two neighbouring safe cuts: a message, or an assistant message with all its results.
    Round,
    /// A real user message and everything up to the next one.
    Exchange,
}

impl Unit {
    /// Every unit, from fine to coarse.
    pub const ALL: [Unit; 3] = [Unit::Message, Unit::Round, Unit::Exchange];
}

/// How the messages of a transcript hang together.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// For each message the last one that answers one of its calls; its own index where none does.
    pub answered_at: Vec<u32>,
    /// For each message the last one that answers a call of it or of any before it.
    reach: Vec<u32>,
    /// The round of each message, counted from 0.
    pub rounds: Vec<u32>,
    /// The exchange of each message, counted from 0.
    pub exchanges: Vec<u32>,
    /// Where units begin, by [`Unit`]: indexes of unpinned messages, ascending.
    starts: [Vec<u32>; Unit::ALL.len()],
}

impl Units {
    /// The units of a transcript whose messages and parts are complete.
    pub(super) fn of(transcript: &Transcript) -> Units {
        let answered_at = last_answers(transcript);
        let rounds = rounds(&answered_at, answered_at.len());
        let reach = answered_at.iter().scan(0, |reach, at| {
            *reach = (*reach).max(*at);
            Some(*reach)
        });
        let reach = reach.collect();
        let mut exchange = 0;
        let exchanges = (0..).zip(&transcript.messages).map(|(index, message)| {
            exchange += u32::from(index > 0 && is_real_user(message));
            exchange
        });
        let mut units =
            Units { exchanges: exchanges.collect(), answered_at, reach, rounds, starts: Default::default() };
        units.starts = Unit::ALL.map(|unit| units.starts_of(transcript, unit));
        units
    }

    /// Where units of that kind begin: indexes of unpinned messages, ascending.
    pub fn starts(&self, unit: Unit) -> &[u32] {
        &self.starts[unit as usize]
    }

    /// The rounds of the first `upto` messages, by what is answered among them: later answers tell nothing yet.
    pub fn rounds_of(&self, upto: u32) -> Vec<u32> {
        rounds(&self.answered_at, upto as usize)
    }

    /// Whether a call of one of the first `upto` messages is answered behind them.
    pub fn is_answered_behind(&self, upto: u32) -> bool {
        (upto as usize).checked_sub(1).is_some_and(|last| self.reach.get(last).is_some_and(|reach| *reach >= upto))
    }

    fn starts_of(&self, transcript: &Transcript, unit: Unit) -> Vec<u32> {
        let number = |index: usize| match unit {
            Unit::Message => index as u32,
            Unit::Round => self.rounds[index],
            Unit::Exchange => self.exchanges[index],
        };
        let mut starts: Vec<u32> = Vec::new();
        for index in (0..transcript.messages.len()).filter(|index| !transcript.messages[*index].pinned) {
            if starts.last().is_none_or(|last| number(*last as usize) != number(index)) {
                starts.push(index as u32);
            }
        }
        starts
    }
}

/// The rounds of the first `upto` messages.
fn rounds(answered_at: &[u32], upto: usize) -> Vec<u32> {
    let (mut round, mut reach) = (0, 0);
    let mut of = |index: usize| {
        let own = round;
        let answered = answered_at[index] as usize;
        reach = reach.max(if answered < upto { answered } else { index });
        round += u32::from(reach <= index);
        own
    };
    (0..upto).map(&mut of).collect()
}

/// A user message that answers no tool.
fn is_real_user(message: &MessageFacts) -> bool {
    message.speaker == Speaker::User && !message.has_results
}

/// For each message the index of the last message that answers one of its calls; its own where none does.
fn last_answers(transcript: &Transcript) -> Vec<u32> {
    let mut last: Vec<u32> = (0..transcript.messages.len() as u32).collect();
    let mut open = OpenCalls::default();
    for index in 0..transcript.messages.len() {
        for part in transcript.parts_of(index) {
            if part.kind == PartKind::ToolUse || part.marks.has(Marks::SERVER_CALL) {
                open.ask(index, part.id);
            }
            let is_answer = part.kind == PartKind::ToolResult || part.marks.has(Marks::SERVER_RESULT);
            if let Some(asked) = is_answer.then(|| open.answer(part.id)).flatten() {
                last[asked] = index as u32;
            }
        }
    }
    last
}

/// The calls not answered yet: for each id the messages that asked, oldest first.
#[derive(Default)]
struct OpenCalls {
    by_id: HashMap<IdNo, Vec<usize>>,
    /// Messages with open calls in the order asked, for results without an id.
    asked: Vec<(usize, IdNo)>,
}

impl OpenCalls {
    fn ask(&mut self, message: usize, id: IdNo) {
        self.by_id.entry(id).or_default().push(message);
        self.asked.push((message, id));
    }

    /// The message whose call a result with this id answers.
    fn answer(&mut self, id: IdNo) -> Option<usize> {
        if id != IdNo::NONE {
            return self.by_id.get_mut(&id)?.pop();
        }
        while let Some((message, asked_id)) = self.asked.pop() {
            let open = self.by_id.get_mut(&asked_id).is_some_and(|open| {
                let is_open = open.last() == Some(&message);
                if is_open {
                    open.pop();
                }
                is_open
            });
            if open {
                return Some(message);
            }
        }
        None
    }
}
