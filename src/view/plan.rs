//! What a policy says should change, and what became of it.

use std::ops::Range;

use thiserror::Error;

use crate::model::Tokens;
use crate::transcript::Speaker;

/// What a policy has to work with at a compaction, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub window: u64,
    /// What the prompt should come down to.
    pub target: u64,
    /// The prompt as it is, system text and tools included.
    pub size: u64,
    /// Output tokens that the request reserves.
    pub reserve: u64,
}

impl Budget {
    /// How much must go.
    pub fn deficit(&self) -> u64 {
        self.size.saturating_sub(self.target)
    }
}

/// What should change, by the positions of a view; all lists ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub drop: Vec<Range<u32>>,
    pub shorten: Vec<(u32, Replacement)>,
    /// In front of the entry at a position, or behind the last.
    pub insert: Vec<(u32, Insertion)>,
}

/// What a message says instead; its role, its calls and its results with their ids stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The size of the whole message.
    pub tokens: Tokens,
    pub text: Option<Box<str>>,
}

/// A message that nobody sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    pub speaker: Speaker,
    pub tokens: Tokens,
    /// What it is: `summary`, `notice`, ...
    pub kind: &'static str,
    pub text: Option<Box<str>>,
}

/// Why a plan cannot be carried out.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlanFault {
    #[error("the plan names position {position} of a prompt of {len} messages")]
    OutOfRange { position: u32, len: u32 },
    #[error("the plan names positions out of order at {position}")]
    OutOfOrder { position: u32 },
    #[error("the plan drops or shortens the pinned message at position {position}")]
    Pinned { position: u32 },
    #[error("the policy failed: {0}")]
    Failed(String),
}

impl Plan {
    /// The plan that drops these positions, which ascend.
    pub fn dropping(positions: impl IntoIterator<Item = u32>) -> Plan {
        let mut drop: Vec<Range<u32>> = Vec::new();
        for position in positions {
            match drop.last_mut() {
                Some(last) if last.end == position => last.end += 1,
                _ => drop.push(position..position + 1),
            }
        }
        Plan { drop, ..Plan::default() }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.drop.is_empty() && self.shorten.is_empty() && self.insert.is_empty()
    }

    /// Whether it can be carried out on a view of `len` entries, of which some are pinned.
    pub fn check(&self, len: u32, is_pinned: impl Fn(u32) -> bool) -> Result<(), PlanFault> {
        let mut next = 0;
        for range in &self.drop {
            if range.start < next || range.end < range.start {
                return Err(PlanFault::OutOfOrder { position: range.start });
            }
            if range.end > len {
                return Err(PlanFault::OutOfRange { position: range.end - 1, len });
            }
            if let Some(position) = range.clone().find(|position| is_pinned(*position)) {
                return Err(PlanFault::Pinned { position });
            }
            next = range.end;
        }
        let mut dropped = self.drop.iter().peekable();
        let mut last = None;
        for position in self.shorten.iter().map(|(position, _)| *position) {
            while dropped.next_if(|range| range.end <= position).is_some() {}
            if last >= Some(position) || dropped.peek().is_some_and(|range| range.contains(&position)) {
                return Err(PlanFault::OutOfOrder { position });
            }
            if position >= len {
                return Err(PlanFault::OutOfRange { position, len });
            }
            if is_pinned(position) {
                return Err(PlanFault::Pinned { position });
            }
            last = Some(position);
        }
        let mut last = 0;
        for position in self.insert.iter().map(|(position, _)| *position) {
            if position < last {
                return Err(PlanFault::OutOfOrder { position });
            }
            if position > len {
                return Err(PlanFault::OutOfRange { position, len });
            }
            last = position;
        }
        Ok(())
    }
}

/// What a plan changed, by the messages of the transcript: as it is stored, shown and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The messages that left, as ranges.
    pub gone: Vec<Range<u32>>,
    /// The messages that became shorter, with their new sizes.
    pub shortened: Vec<(u32, Tokens)>,
    /// What was put in: in front of which message, who says it, how long it is, what it is.
    pub inserted: Vec<Inserted>,
}

/// A message that a plan put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    pub before: u32,
    pub speaker: Speaker,
    pub tokens: Tokens,
    pub kind: String,
}

impl Change {
    /// Adds a message that left; messages come in any order of the list, as a rule ascending.
    pub fn drop(&mut self, message: u32) {
        match self.gone.last_mut() {
            Some(last) if last.end == message => last.end += 1,
            _ => self.gone.push(message..message + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn faulty(plan: Plan, expected: PlanFault) {
        assert_eq!(plan.check(5, |position| position == 0), Err(expected));
    }

    fn short() -> Replacement {
        Replacement { tokens: 1, text: None }
    }

    #[test]
    fn a_plan_that_makes_no_sense_says_where() {
        faulty(Plan::dropping([0, 1]), PlanFault::Pinned { position: 0 });
        faulty(Plan::dropping([4, 5]), PlanFault::OutOfRange { position: 5, len: 5 });
        faulty(Plan { drop: vec![2..4, 3..5], ..Plan::default() }, PlanFault::OutOfOrder { position: 3 });
        let both = Plan { shorten: vec![(2, short())], ..Plan::dropping([2]) };
        faulty(both, PlanFault::OutOfOrder { position: 2 });
        faulty(Plan { shorten: vec![(0, short())], ..Plan::default() }, PlanFault::Pinned { position: 0 });
        faulty(Plan { shorten: vec![(7, short())], ..Plan::default() }, PlanFault::OutOfRange { position: 7, len: 5 });
        assert_eq!(Plan::dropping([1, 2, 4]).check(5, |position| position == 0), Ok(()));
    }
}
