//! The fast path: policies that only drop the oldest units, played from prefix sums.
//!
//! The state of a prompt is one number `k`, how many of the oldest units are gone. Because a front cut of a valid prompt
//! is refused exactly if the first message that is left carries a tool result, a verdict is one bit (see NUMBERS in
//! ARCHITECTURE.md, invariant 7; `tests/it/replay.rs` holds it against the full rules).

use crate::cell::{Limits, Mode};
use crate::policies::FrontCut;

use super::Witness;
use super::columns::{Columns, UnitColumns};
use crate::outcome::{Cut, Outcome};

/// Plays one session under a front cut.
pub fn play(columns: &Columns, front: FrontCut, limits: &Limits, mode: Mode, witness: &mut dyn Witness) -> Outcome {
    let units = &columns.units[front.unit as usize];
    let mut run = Run { columns, units, keep: front.keep as usize, limits, k: 0, outcome: Outcome::default(), witness };
    run.outcome.calls = columns.calls() as u64;
    run.outcome.baseline_invalid_calls = columns.calls() as u64 - columns.taken_count[columns.calls()];
    run.outcome.truncated_tokens = columns.truncated_tokens;
    run.outcome.diverged_at = columns.first_capped_call;
    match mode {
        Mode::Sticky => run.sticky(),
        Mode::Stateless => run.stateless(),
    }
    run.outcome
}

struct Run<'a> {
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
                self.send(from, 0);
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
        if self.k > 0 && self.units.orphaned[self.k] {
            self.charge(from, between(&columns.taken_count));
        } else if self.k > 0 {
            let open = self.open_from(from, to);
            self.outcome.depends_calls += columns.sure_count[to] - columns.sure_count[open];
        }
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
        let broken = self.is_broken(call, k);
        let cut = Cut {
            call: call as u32,
            before,
            deficit,
            freed,
            evicted_messages: at(&self.units.messages_gone, k) - at(&self.units.messages_gone, gone_before),
            evicted_exchanges: at(&self.units.exchanges_gone, k) - at(&self.units.exchanges_gone, gone_before),
            kept_from: if k < self.units.units_in[call] as usize { self.units.start[k] } else { 0 },
            reached: freed >= deficit,
            broken: broken.then(|| (self.units.breaks[k], at(&self.units.start, k))),
        };
        self.outcome.count(&cut);
        self.outcome.tokens_before += freed;
        self.witness.cut(&cut);
        self.send(call, k);
    }

    /// Sends one call with the `k` oldest units gone.
    fn send(&mut self, call: usize, k: usize) {
        let after = self.columns.full[call] - self.gone(k);
        self.outcome.tokens_before += after;
        self.outcome.tokens_after += after;
        self.outcome.prefix_tokens += self.shared_prefix(call, k);
        self.outcome.over_window += u64::from(self.is_over(call, after));
        if self.is_broken(call, k) {
            self.charge(call, 1);
        }
        self.k = k;
        if k > 0 && !self.units.orphaned[k] && self.open_from(call, call + 1) == call {
            self.outcome.depends_calls += self.columns.sure_count[call + 1] - self.columns.sure_count[call];
        }
    }

    /// The first of these calls on whose cut prompt targets disagree; from there on all do.
    fn open_from(&self, from: usize, to: usize) -> usize {
        if self.units.begins_amiss[self.k] {
            return from;
        }
        let start = self.units.start[self.k];
        from + self.columns.bound_thinking[from..to].partition_point(|last| *last <= start)
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

    fn is_broken(&self, call: usize, k: usize) -> bool {
        k > 0 && self.units.orphaned[k] && self.columns.taken[call]
    }

    fn is_over(&self, call: usize, size: u64) -> bool {
        size + self.columns.reserve[call] > self.limits.window
    }

    /// Charges the policy with refused calls, the first of them at `call` or the first after it that is taken in full.
    fn charge(&mut self, call: usize, refused: u64) {
        self.outcome.calls_400 += refused;
        if refused > 0 && self.outcome.first_bad_call.is_none() {
            let taken = self.columns.taken[call..].iter().position(|taken| *taken);
            self.outcome.first_bad_call = taken.map(|after| (call + after) as u32);
        }
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
