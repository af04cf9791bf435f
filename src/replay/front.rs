//! The fast path: policies that only drop the oldest units, played from prefix sums.
//!
//! The state of a prompt is one number `k`, how many of the oldest units are gone: its size is one subtraction, and a
//! stretch of calls without a compaction is one look at sums. What the provider would answer is asked where the walk asks,
//! at the seams; a cut of `k` units looks the same in every cell, so it is judged once for all of them.

use crate::cell::{Limits, Mode};
use crate::outcome::{Cut, Outcome};
use crate::policies::FrontCut;
use crate::rules::Verdict;
use crate::view::Change;

use super::columns::{Columns, UnitColumns};
use super::seams::Ruling;
use super::{Player, Subject, Witness};

/// Plays one session under a front cut.
pub fn play(
    subject: &Subject,
    player: &Player,
    front: FrontCut,
    limits: &Limits,
    witness: &mut dyn Witness,
) -> Outcome {
    let columns = subject.columns(player.cap());
    let units = &columns.units[front.unit as usize];
    let outcome = Outcome::default();
    let mut run = Run { subject, columns, units, keep: front.keep as usize, limits, k: 0, outcome, witness };
    run.outcome.calls = columns.calls() as u64;
    run.outcome.baseline_invalid_calls = columns.calls() as u64 - columns.taken_count[columns.calls()];
    run.outcome.truncated_tokens = columns.truncated_tokens;
    run.outcome.diverged_at = columns.first_capped_call;
    match player.cell.mode {
        Mode::Sticky => run.sticky(),
        Mode::Stateless => run.stateless(),
    }
    run.outcome
}

struct Run<'a> {
    subject: &'a Subject,
    columns: &'a Columns,
    units: &'a UnitColumns,
    keep: usize,
    limits: &'a Limits,
    /// How many of the oldest units are gone.
    k: usize,
    outcome: Outcome,
    witness: &'a mut dyn Witness,
}

impl Run<'_> {
    /// The compacted history grows: runs of calls below the trigger, each ended by a compaction.
    fn sticky(&mut self) {
        let mut from = 0;
        while from < self.columns.calls() {
            let limit = self.limits.trigger.saturating_add(self.gone(self.k));
            let quiet = self.columns.full[from..].iter().position(|full| *full > limit);
            let to = quiet.map_or(self.columns.calls(), |length| from + length);
            self.pass(from, to);
            if quiet.is_some() {
                self.compact(to, self.k);
            }
            from = to + 1;
        }
    }

    /// Every call is cut afresh: nothing is gone before it.
    fn stateless(&mut self) {
        let mut from = 0;
        while from < self.columns.calls() {
            if self.columns.full[from] > self.limits.trigger {
                self.compact(from, 0);
                from += 1;
                continue;
            }
            let quiet = self.columns.full[from..].iter().position(|full| *full > self.limits.trigger);
            let to = quiet.map_or(self.columns.calls(), |length| from + length);
            if self.k == 0 {
                self.pass(from, to);
            } else {
                // The prompt shrank below the trigger by itself: it is whole again, and its beginning is another.
                self.send(from, 0, None);
                self.pass(from + 1, to);
            }
            from = to;
        }
    }

    /// Calls without a compaction, all sent with the same units gone as the call before them.
    fn pass(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let (columns, gone) = (self.columns, self.gone(self.k));
        let between = |sums: &[u64]| sums[to] - sums[from];
        let tokens = between(&columns.full_sum) - gone * (to - from) as u64;
        self.outcome.tokens_before += tokens;
        self.outcome.tokens_after += tokens;
        self.outcome.prefix_tokens += between(&columns.shareable_sum) - gone * between(&columns.shareable_count);
        self.judge(from, to);
        if columns.reserve_max > 0 || self.limits.trigger > self.limits.window {
            let over = (from..to).filter(|call| self.is_over(*call, columns.full[*call] - gone));
            self.outcome.over_window += over.count() as u64;
        }
    }

    /// A compaction before `call`, of a prompt that lacks the `gone_before` oldest units.
    fn compact(&mut self, call: usize, gone_before: usize) {
        let full = self.columns.full[call];
        let before = full - self.gone(gone_before);
        let k = self.choose(call, full - self.limits.target, gone_before);
        let freed = self.gone(k) - self.gone(gone_before);
        let deficit = before - self.limits.target;
        let ruling = self.ruling(call, k);
        let cut = Cut {
            call: call as u32,
            before,
            deficit,
            freed,
            evicted_messages: at(&self.units.messages_gone, k) - at(&self.units.messages_gone, gone_before),
            evicted_exchanges: at(&self.units.exchanges_gone, k) - at(&self.units.exchanges_gone, gone_before),
            kept_from: self.kept_from(call, k),
            reached: freed >= deficit,
            broken: ruling.filter(|ruling| ruling.verdict == Verdict::Reject).and_then(|ruling| ruling.broken),
        };
        self.outcome.count(&cut);
        self.outcome.tokens_before += freed;
        let gone = self.start(gone_before)..self.start(k);
        let messages = &self.subject.transcript.messages;
        self.witness.cut(&cut, &mut || {
            let mut change = Change::default();
            gone.clone().filter(|index| !messages[*index as usize].pinned).for_each(|index| change.drop(index));
            change
        });
        self.send(call, k, ruling);
    }

    /// Sends one call with the `k` oldest units gone.
    fn send(&mut self, call: usize, k: usize, ruling: Option<Ruling>) {
        let after = self.columns.full[call] - self.gone(k);
        self.outcome.tokens_before += after;
        self.outcome.tokens_after += after;
        self.outcome.prefix_tokens += self.shared_prefix(call, k);
        self.outcome.over_window += u64::from(self.is_over(call, after));
        self.k = k;
        if let Some(ruling) = ruling {
            self.charge(ruling.verdict, call, call + 1);
        }
    }

    /// Counts what the provider would answer to calls that are sent with `k` units gone.
    fn judge(&mut self, from: usize, to: usize) {
        let mut call = from;
        while self.k > 0 && call < to {
            // Calls that are rejected as they are, are charged to nobody.
            let Some(next) = (call..to).find(|call| self.columns.taken[*call]) else { return };
            let Some(ruling) = self.ruling(next, self.k) else { return };
            let until = (ruling.until as usize).clamp(next + 1, to);
            self.charge(ruling.verdict, next, until);
            call = until;
        }
    }

    /// Charges the policy with a verdict on calls of which the first is accepted in full.
    fn charge(&mut self, verdict: Verdict, from: usize, to: usize) {
        match verdict {
            Verdict::Reject => {
                self.outcome.calls_400 += self.columns.taken_count[to] - self.columns.taken_count[from];
                self.outcome.first_bad_call.get_or_insert(from as u32);
            }
            Verdict::Depends => {
                self.outcome.depends_calls += self.columns.sure_count[to] - self.columns.sure_count[from];
            }
            Verdict::Accept | Verdict::Unverifiable => {}
        }
    }

    /// What the provider would answer to a call with `k` units gone, if its uncompacted prompt is accepted.
    fn ruling(&self, call: usize, k: usize) -> Option<Ruling> {
        if k == 0 || !self.columns.taken[call] {
            return None;
        }
        let (transcript, from) = (&self.subject.transcript, self.start(k));
        let taken = |call: usize| self.columns.taken[call];
        Some(self.subject.seams.front(transcript, from, call, &taken))
    }

    /// The first unpinned message that is left with `k` units gone.
    fn start(&self, k: usize) -> u32 {
        if k == 0 { 0 } else { self.units.start[k] }
    }

    fn kept_from(&self, call: usize, k: usize) -> u32 {
        if k < self.units.units_in[call] as usize { self.units.start[k] } else { 0 }
    }

    /// How many units must go for `need` tokens to be gone, as far as `keep` allows and from `least` on. The answer is
    /// near: the search doubles its step from there.
    fn choose(&self, call: usize, need: u64, least: usize) -> usize {
        let most = (self.units.units_in[call] as usize).saturating_sub(self.keep);
        if most <= least {
            return least;
        }
        let gone = &self.units.gone[least..most];
        let mut step = 1;
        while step < gone.len() && gone[step] < need {
            step *= 2;
        }
        let from = step / 2;
        let to = gone.len().min(step + 1);
        least + from + gone[from..to].partition_point(|gone| *gone < need)
    }

    fn gone(&self, k: usize) -> u64 {
        if k == 0 { 0 } else { self.units.gone[k] }
    }

    fn is_over(&self, call: usize, size: u64) -> bool {
        size + self.columns.reserve[call] > self.limits.window
    }

    /// Tokens that the prompt of `call`, with `k` units gone, repeats from the beginning of the prompt before it.
    fn shared_prefix(&self, call: usize, k: usize) -> u64 {
        if !self.columns.same_preface[call] {
            return 0;
        }
        let previous = self.columns.full[call - 1] - self.gone(self.k);
        if k == self.k {
            return previous;
        }
        previous.min(self.columns.fixed[call] + self.units.pinned_before[k.min(self.k)])
    }
}

/// Entry `k` of a column; 0 where the session has no unit at all.
fn at(column: &[u32], k: usize) -> u32 {
    column.get(k).copied().unwrap_or(0)
}
