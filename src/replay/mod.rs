//! Plays a session under a cell: what would have been sent, what would have been rejected, what would have been lost.
//!
//! `walk` asks a policy at every compaction and carries out its plan; `front` plays the policies that only ever drop the
//! oldest units from prefix sums, one look a call. Both have every prompt judged at its [`seams`] by the same rules; a
//! property test holds both against the full rules on every prompt.

mod columns;
mod front;
mod seams;
mod subject;
mod walk;

use crate::cell::{Cell, Limits, When, Window};
use crate::model::Tokens;
use crate::outcome::{Cut, Outcome, Tally};
use crate::policies::Compactor;
use crate::transcript::Terms;
use crate::view::{Change, PlanFault};
use walk::Judging;

pub use subject::Subject;

/// Sees what happens in a replay as it happens.
pub trait Witness {
    /// One cut, in the order of the calls; `change` tells what it changed, where that is wanted.
    fn cut(&mut self, cut: &Cut, change: &mut dyn FnMut() -> Change);

    /// Whether it asks what cuts changed.
    fn wants_changes(&self) -> bool {
        false
    }

    /// The policy failed at a call.
    fn failure(&mut self, _call: u32, _fault: &PlanFault) {}
}

impl Witness for Tally {
    fn cut(&mut self, cut: &Cut, _: &mut dyn FnMut() -> Change) {
        Tally::cut(self, cut);
    }
}

impl Witness for Vec<Cut> {
    fn cut(&mut self, cut: &Cut, _: &mut dyn FnMut() -> Change) {
        self.push(*cut);
    }
}

/// A cell that is played.
pub struct Player {
    pub cell: Cell,
}

impl Player {
    /// The player of a cell.
    pub fn new(cell: Cell) -> Player {
        Player { cell }
    }

    /// The cap on tool results that it plays under; a [`Subject`] is made for the caps of its players.
    pub fn cap(&self) -> Option<Tokens> {
        let cap = self.cell.policy.policy().result_cap?;
        Some(cap(self.cell.policy.args()))
    }

    /// Plays one session; `None` if the cell takes the window of each call's model and nobody knows one of them.
    pub fn play(&self, subject: &Subject, witness: &mut dyn Witness) -> Option<Outcome> {
        let limits = self.limits(subject)?;
        let front = self.cell.policy.policy().front.filter(|_| self.is_by_size() && subject.is_plain());
        Some(match (front, limits.first()) {
            (Some(front), Some(limits)) => front::play(subject, self, front(self.cell.policy.args()), limits, witness),
            _ => walk::play(subject, self, &mut *self.start(), &limits, Judging::Seams, witness),
        })
    }

    /// Plays one session by asking the policy and judging every prompt by the full rules.
    pub fn play_by_rules(&self, subject: &Subject, witness: &mut dyn Witness) -> Option<Outcome> {
        let limits = self.limits(subject)?;
        Some(walk::play(subject, self, &mut *self.start(), &limits, Judging::FullRules, witness))
    }

    /// Plays one session by asking the policy, whatever it is, and judging at the seams.
    pub fn play_by_plans(&self, subject: &Subject, witness: &mut dyn Witness) -> Option<Outcome> {
        let limits = self.limits(subject)?;
        Some(walk::play(subject, self, &mut *self.start(), &limits, Judging::Seams, witness))
    }

    fn start(&self) -> Box<dyn Compactor> {
        self.cell.policy.start().expect("a policy that is parsed can start")
    }

    /// Whether it acts by the size of prompts alone, at any call.
    fn is_by_size(&self) -> bool {
        let trigger = &self.cell.trigger;
        matches!(trigger.when, When::Share(_) | When::Tokens(_)) && !trigger.at_turns
    }

    /// The sizes at which it acts on calls of each terms.
    fn limits(&self, subject: &Subject) -> Option<Vec<Limits>> {
        let of_terms = |terms: &Terms| {
            let window = match self.cell.window {
                Window::Tokens(tokens) => tokens,
                Window::Model => terms.window?,
            };
            let limits = self.cell.limits(window);
            let compacts = !self.cell.policy.policy().claims.never_compacts;
            Some(if compacts { limits } else { Limits { trigger: u64::MAX, ..limits } })
        };
        subject.transcript.terms.iter().map(of_terms).collect()
    }
}
