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

pub use subject::Subject;

/// What a cell did to one session; all counts are of calls unless the name says otherwise, all sizes are tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub calls: u64,
    pub compactions: u64,
    /// Compactions whose prompt is refused although the uncompacted one is taken.
    pub bad_cuts: u64,
    /// Calls refused by a structural rule although the uncompacted prompt is taken.
    pub calls_400: u64,
    /// Calls whose verdict depends on the target or the model although the uncompacted prompt is taken.
    pub depends_calls: u64,
    /// Calls refused by a structural rule just as they were logged.
    pub baseline_invalid_calls: u64,
    /// Compactions that could not reach their target.
    pub target_missed: u64,
    /// Calls above the window, output reserve included, after whatever the policy did.
    pub over_window: u64,
    pub freed: u64,
    pub deficit: u64,
    /// `freed` and `deficit` of the compactions that reached their target.
    pub freed_reached: u64,
    pub deficit_reached: u64,
    /// Sizes of all prompts before and after compaction.
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Tokens that repeat the previous prompt's beginning.
    pub prefix_tokens: u64,
    pub evicted_messages: u64,
    /// Tokens of results that were capped where they entered.
    pub truncated_tokens: u64,
    pub first_bad_call: Option<u32>,
    /// The first call whose prompt differs from the log: exact before it, conditional on the logged continuation after.
    pub diverged_at: Option<u32>,
}

impl Outcome {
    /// Adds what a cut did, apart from the sizes of the prompts around it.
    fn count(&mut self, cut: &Cut) {
        self.compactions += 1;
        self.bad_cuts += u64::from(cut.broken.is_some());
        self.target_missed += u64::from(!cut.reached);
        self.freed += cut.freed;
        self.deficit += cut.deficit;
        if cut.reached {
            self.freed_reached += cut.freed;
            self.deficit_reached += cut.deficit;
        }
        self.evicted_messages += u64::from(cut.evicted_messages);
        if cut.freed > 0 {
            self.diverged_at = Some(self.diverged_at.map_or(cut.call, |first| first.min(cut.call)));
        }
    }
}

/// One simulated compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub call: u32,
    pub before: u64,
    pub deficit: u64,
    pub freed: u64,
    pub evicted_messages: u32,
    pub evicted_exchanges: u32,
    /// The first message that a policy may remove and that is still there, as an index of the transcript; 0 where there
    /// is none.
    pub kept_from: u32,
    pub reached: bool,
    /// The rule that makes its prompt be refused, and the message of the transcript where it does.
    pub broken: Option<(&'static str, u32)>,
}

/// Sees the cuts of a replay as they happen.
pub trait Witness {
    /// One cut, in the order of the calls.
    fn cut(&mut self, cut: &Cut);
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
