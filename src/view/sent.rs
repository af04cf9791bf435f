//! What is sent, as numbers of messages: a head in which anything may stand, and behind it the transcript as it is.
//!
//! As long as nothing is compacted a call only moves the end of the tail, whatever its length.

use super::plan::Inserted;
use super::{Change, Plan, PlanFault};
use crate::transcript::{Made, Overlay, Transcript};

/// The messages that a call sends, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    head: Vec<u32>,
    from: u32,
    upto: u32,
}

impl Sent {
    /// Everything: the first `upto` messages of the transcript.
    pub fn everything(upto: u32) -> Sent {
        Sent { head: Vec::new(), from: 0, upto }
    }

    /// The messages in `head`, and behind them those of the transcript from `from` to `upto`.
    pub fn new(head: Vec<u32>, from: u32, upto: u32) -> Sent {
        Sent { head, from: from.min(upto), upto }
    }

    /// How many messages are sent.
    pub fn len(&self) -> usize {
        self.head.len() + (self.upto - self.from) as usize
    }

    /// Whether nothing is sent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the message at a position.
    pub fn at(&self, position: usize) -> u32 {
        match position.checked_sub(self.head.len()) {
            None => self.head[position],
            Some(behind) => self.from + behind as u32,
        }
    }

    /// What stands in front of the tail.
    pub fn head(&self) -> &[u32] {
        &self.head
    }

    /// The first message of the tail.
    pub fn from(&self) -> u32 {
        self.from
    }

    /// The end of the tail: the first message that is still to come.
    pub fn upto(&self) -> u32 {
        self.upto
    }

    /// Whether everything is sent as it was logged.
    pub fn is_whole(&self) -> bool {
        self.head.is_empty() && self.from == 0
    }

    /// Takes in what is new.
    pub fn admit(&mut self, upto: u32) {
        self.upto = self.upto.max(upto);
    }

    /// All numbers in order.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.len()).map(|position| self.at(position))
    }

    /// How many messages two lists begin with in common.
    pub fn common(&self, other: &Sent) -> usize {
        let both = self.len().min(other.len());
        (0..both).position(|at| self.at(at) != other.at(at)).unwrap_or(both)
    }

    /// Carries out a plan; gives what changed, where that is wanted.
    pub fn apply(
        &mut self,
        plan: &Plan,
        transcript: &Transcript,
        overlay: &mut Overlay,
        is_wanted: bool,
    ) -> Result<Option<Change>, PlanFault> {
        let n = transcript.messages.len();
        let pinned = |position: u32| transcript.message(overlay, self.at(position as usize)).0.pinned;
        plan.check(self.len() as u32, pinned)?;
        let mut change = is_wanted.then(Change::default);
        let mut list = Vec::with_capacity(self.len() + plan.insert.len());
        let mut drop = plan.drop.iter().peekable();
        let mut shorten = plan.shorten.iter().peekable();
        let mut insert = plan.insert.iter().peekable();
        let before = |position: usize| if position < self.len() { self.at(position) } else { self.upto };
        for position in 0..=self.len() {
            while let Some((_, put)) = insert.next_if(|(at, _)| *at as usize == position) {
                list.push(overlay.add(n, Made::inserted(put.speaker, put.tokens)));
                if let Some(change) = &mut change {
                    let kind = put.kind.to_owned();
                    let before = transcript.origin(overlay, before(position)).unwrap_or(self.upto);
                    change.inserted.push(Inserted { before, speaker: put.speaker, tokens: put.tokens, kind });
                }
            }
            if position == self.len() {
                break;
            }
            let number = self.at(position);
            while drop.next_if(|range| range.end as usize <= position).is_some() {}
            if drop.peek().is_some_and(|range| range.start as usize <= position) {
                if let (Some(change), Some(origin)) = (&mut change, transcript.origin(overlay, number)) {
                    change.drop(origin);
                }
                continue;
            }
            let Some((_, short)) = shorten.next_if(|(at, _)| *at as usize == position) else {
                list.push(number);
                continue;
            };
            let (facts, parts) = transcript.message(overlay, number);
            match transcript.origin(overlay, number) {
                Some(origin) => {
                    let made = Made::shortened(origin, facts, parts, short.tokens);
                    list.push(overlay.add(n, made));
                    change.iter_mut().for_each(|change| change.shortened.push((origin, short.tokens)));
                }
                None => {
                    let made = Made::inserted(facts.speaker, short.tokens);
                    list.push(overlay.add(n, made));
                }
            }
        }
        self.take(list);
        Ok(change)
    }

    /// The list as head and tail: its longest end that runs on as the transcript does is the tail.
    fn take(&mut self, mut list: Vec<u32>) {
        let mut from = self.upto;
        while list.last().is_some_and(|last| *last + 1 == from) {
            from -= 1;
            list.pop();
        }
        // What begins as the transcript does, and goes on so, has no head.
        if from as usize == list.len() && (0..).zip(&list).all(|(at, number)| at == *number) {
            (list, from) = (Vec::new(), 0);
        }
        (self.head, self.from) = (list, from);
    }
}
