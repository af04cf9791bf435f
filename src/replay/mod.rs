//! Plays a session under a cell: what would have been sent, what would have been refused, what would have been lost.
//!
//! `walk` asks a policy at every compaction and judges every prompt by the full rules; it plays anything and is the
//! reference. `front` plays the policies that only ever drop the oldest units from prefix sums, one look a call; a
//! property test proves that both give the same outcome. Either way every prompt that is produced gets a verdict.

mod columns;
mod front;
mod subject;
mod walk;

use crate::cell::{Cell, Limits, Window};
use crate::model::Tokens;
use crate::policies::Evict;
use crate::transcript::Terms;

use crate::outcome::{Cut, Outcome};

pub use subject::Subject;

/// Sees the cuts of a replay as they happen.
pub trait Witness {
    /// One cut, in the order of the calls.
    fn cut(&mut self, cut: &Cut);
}

impl Witness for crate::outcome::Tally {
    fn cut(&mut self, cut: &Cut) {
        crate::outcome::Tally::cut(self, cut);
    }
}

impl Witness for Vec<Cut> {
    fn cut(&mut self, cut: &Cut) {
        self.push(*cut);
    }
}

/// A cell with its policy ready to be asked.
pub struct Player {
    pub cell: Cell,
    policy: Box<dyn Evict>,
}

impl Player {
    /// The player of a cell.
    pub fn new(cell: Cell) -> Player {
        let policy = cell.policy.build();
        Player { cell, policy }
    }

    /// The cap on tool results that it plays under; a [`Subject`] is made for the caps of its players.
    pub fn cap(&self) -> Option<Tokens> {
        self.policy.result_cap()
    }

    /// Plays one session; `None` if the cell takes the window of each call's model and nobody knows one of them.
    pub fn play(&self, subject: &Subject, witness: &mut dyn Witness) -> Option<Outcome> {
        let limits = self.limits(subject)?;
        let turn_by_turn = crate::baseline::judges_by_neighbours(subject.transcript.api) && subject.is_uniform();
        Some(match (self.policy.front(), limits.first()) {
            (Some(front), Some(limits)) if turn_by_turn => {
                front::play(subject.columns(self.policy.result_cap()), front, limits, self.cell.mode, witness)
            }
            _ => walk::play(subject, self.policy.as_ref(), &limits, self.cell.mode, witness),
        })
    }

    /// Plays one session by asking the policy and judging every prompt by the full rules.
    pub fn play_by_rules(&self, subject: &Subject, witness: &mut dyn Witness) -> Option<Outcome> {
        Some(walk::play(subject, self.policy.as_ref(), &self.limits(subject)?, self.cell.mode, witness))
    }

    /// The sizes at which it acts on calls of each terms.
    fn limits(&self, subject: &Subject) -> Option<Vec<Limits>> {
        let of_terms = |terms: &Terms| {
            let window = match self.cell.window {
                Window::Tokens(tokens) => tokens,
                Window::Model => terms.window?,
            };
            let limits = self.cell.limits(window);
            Some(if self.policy.compacts() { limits } else { Limits { trigger: u64::MAX, ..limits } })
        };
        subject.transcript.terms.iter().map(of_terms).collect()
    }
}
