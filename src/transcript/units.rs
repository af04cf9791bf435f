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

/// Numbers the rounds and exchanges of a transcript whose messages and parts are complete.
pub(super) fn number(transcript: &mut Transcript) {
    let answered_at = last_answers(transcript);
    let (mut round, mut exchange, mut reach) = (0, 0, 0);
    for (index, message) in transcript.messages.iter_mut().enumerate() {
        if index > 0 && is_real_user(message) {
            exchange += 1;
        }
        message.answered_at = answered_at[index] as u32;
        message.round = round;
        message.exchange = exchange;
        reach = reach.max(answered_at[index]);
        if reach <= index {
            round += 1;
        }
    }
}

/// Where units begin, counting unpinned messages only.
pub(super) fn starts(messages: &[MessageFacts], unit: Unit) -> Vec<u32> {
    let number = |index: usize| match unit {
        Unit::Message => index as u32,
        Unit::Round => messages[index].round,
        Unit::Exchange => messages[index].exchange,
    };
    let mut starts: Vec<u32> = Vec::new();
    for index in (0..messages.len()).filter(|index| !messages[*index].pinned) {
        if starts.last().is_none_or(|last| number(*last as usize) != number(index)) {
            starts.push(index as u32);
        }
    }
    starts
}

/// A user message that answers no tool.
fn is_real_user(message: &MessageFacts) -> bool {
    message.speaker == Speaker::User && !message.has_results
}

/// For each message the index of the last message that answers one of its calls; its own where none does.
fn last_answers(transcript: &Transcript) -> Vec<usize> {
    let mut last: Vec<usize> = (0..transcript.messages.len()).collect();
    let mut open = OpenCalls::default();
    for index in 0..transcript.messages.len() {
        for part in transcript.parts_of(index) {
            if part.kind == PartKind::ToolUse || part.marks.has(Marks::SERVER_CALL) {
                open.ask(index, part.id);
            }
            let is_answer = part.kind == PartKind::ToolResult || part.marks.has(Marks::SERVER_RESULT);
            if let Some(asked) = is_answer.then(|| open.answer(part.id)).flatten() {
                last[asked] = index;
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
