//! The loop: asks a policy at every compaction, carries out its plan, and has every prompt judged.
//!
//! It plays any policy; a call without a compaction costs the same whatever the length of the prompt. `front` does the
//! same for cuts at the front from prefix sums.

use crate::cell::{Limits, Mode, When};
use crate::outcome::{Cut, Outcome};
use crate::policies::{Asked, Compactor};
use crate::rules::Verdict;
use crate::transcript::{Overlay, Speaker, Transcript};
use crate::view::{Budget, Change, PlanFault, Sent, View};

use super::columns::Columns;
use super::seams::{self, Ruling};
use super::{Player, Subject, Witness};

/// How prompts are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judging {
    /// At their seams.
    Seams,
    /// Each by the full rules: the reference.
    FullRules,
}

/// Plays one session by asking a policy.
pub fn play(
    subject: &Subject,
    player: &Player,
    compactor: &mut dyn Compactor,
    limits: &[Limits],
    judging: Judging,
    witness: &mut dyn Witness,
) -> Outcome {
    let columns = subject.columns(player.cap());
    let mut walk = Walk {
        subject,
        columns,
        player,
        limits,
        judging,
        sent: Sent::default(),
        overlay: Overlay::default(),
        head_tokens: 0,
        turns: 0,
        before: Sent::default(),
        ruling: None,
        outcome: Outcome::default(),
    };
    walk.outcome.calls = columns.calls() as u64;
    walk.outcome.truncated_tokens = columns.truncated_tokens;
    walk.outcome.diverged_at = columns.first_capped_call;
    for call in 0..columns.calls() {
        walk.call(call, compactor, witness);
    }
    walk.outcome
}

struct Walk<'a> {
    subject: &'a Subject,
    columns: &'a Columns,
    player: &'a Player,
    /// By the terms of the call.
    limits: &'a [Limits],
    judging: Judging,
    sent: Sent,
    overlay: Overlay,
    /// Tokens of what stands in front of the raw end of what is sent.
    head_tokens: u64,
    /// User messages among those in front.
    turns: u64,
    /// What the call before sent.
    before: Sent,
    /// What was said of what is sent, as long as it holds.
    ruling: Option<Ruling>,
    outcome: Outcome,
}

impl Walk<'_> {
    fn transcript(&self) -> &Transcript {
        &self.subject.transcript
    }

    fn call(&mut self, call: usize, compactor: &mut dyn Compactor, witness: &mut dyn Witness) {
        let upto = self.transcript().calls[call].upto;
        if self.player.cell.mode == Mode::Stateless && !self.sent.is_whole() {
            self.overlay.clear();
            self.replace(Sent::everything(upto));
        }
        self.sent.admit(upto);
        let size = self.size(call);
        let mut cut = None;
        if self.is_due(call, size) {
            match self.compact(call, size, compactor, witness) {
                Ok(made) => cut = Some(made),
                Err(fault) => {
                    self.outcome.policy_failures += 1;
                    witness.failure(call as u32, &fault);
                }
            }
        }
        self.send(call, size, cut, witness);
    }

    /// Whether a call is compacted.
    fn is_due(&self, call: usize, size: u64) -> bool {
        let (limits, policy) = (self.limits(call), self.player.cell.policy.policy());
        let trigger = &self.player.cell.trigger;
        if policy.claims.never_compacts {
            return false;
        }
        let at_turns = trigger.at_turns || policy.claims.asked == Asked::AtTurns;
        if at_turns && !self.begins_turn(call) {
            return false;
        }
        match trigger.when {
            When::Share(_) | When::Tokens(_) => size > limits.trigger,
            When::Messages(most) => self.sent.len() as u64 > most,
            When::Turns(most) => self.turns_sent() > most,
            When::Overflow => size + self.columns.reserve[call] > limits.window,
        }
    }

    fn begins_turn(&self, call: usize) -> bool {
        let last = self.transcript().calls[call].upto.checked_sub(1);
        last.is_some_and(|last| is_real_user(self.transcript(), last))
    }

    fn turns_sent(&self) -> u64 {
        let tail = self.sent.from()..self.sent.upto();
        self.turns + tail.filter(|index| is_real_user(self.transcript(), *index)).count() as u64
    }

    /// Asks the policy and does what it says; what was sent before stays for comparison.
    fn compact(
        &mut self,
        call: usize,
        size: u64,
        compactor: &mut dyn Compactor,
        witness: &mut dyn Witness,
    ) -> Result<(Cut, Option<Change>), PlanFault> {
        let Limits { window, target, .. } = *self.limits(call);
        let reserve = self.columns.reserve[call];
        let target = if self.player.cell.is_just_fit() { window.saturating_sub(reserve) } else { target };
        let budget = Budget { window, target, size, reserve };
        let view = View::new(&self.subject.transcript, &self.overlay, &self.sent, &self.columns.tokens);
        let plan = compactor.plan(&view, &budget)?;
        let exchanges = self.exchanges();
        let mut sent = self.sent.clone();
        let change = sent.apply(&plan, &self.subject.transcript, &mut self.overlay, witness.wants_changes())?;
        if !plan.is_empty() {
            self.replace(sent);
        }
        // A plan may make a prompt longer: nothing is freed then, and the target is missed by so much more.
        let freed = size.saturating_sub(self.size(call));
        let cut = Cut {
            call: call as u32,
            before: size,
            deficit: budget.deficit(),
            freed,
            evicted_messages: plan.drop.iter().map(|range| range.end - range.start).sum(),
            evicted_exchanges: exchanges - self.exchanges().min(exchanges),
            kept_from: self.first_unpinned().unwrap_or(0),
            reached: self.size(call) <= target,
            broken: None,
        };
        Ok((cut, change))
    }

    /// Sends something else from here on.
    fn replace(&mut self, sent: Sent) {
        self.sent = sent;
        self.head_tokens = self.sent.head().iter().map(|number| self.tokens(*number)).sum();
        let origins = self.sent.head().iter().filter_map(|number| self.transcript().origin(&self.overlay, *number));
        self.turns = origins.filter(|index| is_real_user(self.transcript(), *index)).count() as u64;
        self.ruling = None;
    }

    /// Exchanges of the session from the first message on that is sent and not pinned.
    fn exchanges(&self) -> u32 {
        let exchanges = &self.transcript().units().exchanges;
        let last = exchanges.last().map_or(0, |last| last + 1);
        self.first_unpinned().map_or(0, |first| last - exchanges[first as usize])
    }

    fn first_unpinned(&self) -> Option<u32> {
        let transcript = self.transcript();
        let origins = self.sent.numbers().filter_map(|number| transcript.origin(&self.overlay, number));
        origins.into_iter().find(|index| !transcript.messages[*index as usize].pinned)
    }

    /// Counts a call, with its cut if it has one.
    fn send(&mut self, call: usize, before: u64, cut: Option<(Cut, Option<Change>)>, witness: &mut dyn Witness) {
        let after = self.size(call);
        self.outcome.tokens_before += before;
        self.outcome.tokens_after += after;
        self.outcome.prefix_tokens += self.shared_prefix(call);
        self.outcome.over_window += u64::from(after + self.columns.reserve[call] > self.limits(call).window);
        let broken = self.judge(call);
        if let Some((cut, change)) = cut {
            let cut = Cut { broken, ..cut };
            self.outcome.count(&cut);
            witness.cut(&cut, &mut || change.clone().unwrap_or_default());
        }
        self.before.clone_from(&self.sent);
    }

    /// Charges the policy with what the provider would answer, if the uncompacted prompt is accepted; gives the rule that
    /// rejects the prompt.
    fn judge(&mut self, call: usize) -> Option<(&'static str, u32)> {
        let full = self.subject.verdicts[call];
        if !full.is_chargeable() {
            self.outcome.baseline_invalid_calls += 1;
            return None;
        }
        let ruling = self.ruling(call);
        match ruling.verdict {
            Verdict::Reject => {
                self.outcome.calls_400 += 1;
                self.outcome.first_bad_call.get_or_insert(call as u32);
                return ruling.broken;
            }
            Verdict::Depends => self.outcome.depends_calls += u64::from(full == Verdict::Accept),
            Verdict::Accept | Verdict::Unverifiable => {}
        }
        None
    }

    fn ruling(&mut self, call: usize) -> Ruling {
        let transcript = &self.subject.transcript;
        if self.judging == Judging::FullRules && !self.sent.is_whole() {
            let upto = self.sent.upto();
            let (verdict, broken) = seams::judge(transcript, &self.overlay, &self.sent, call, upto);
            return Ruling { verdict, broken, until: 0 };
        }
        if let Some(ruling) = self.ruling.filter(|ruling| (call as u32) < ruling.until) {
            return ruling;
        }
        let accepted = |call: usize| self.subject.verdicts[call].is_chargeable();
        let ruling = self.subject.seams.ruling(transcript, &self.overlay, &self.sent, call, &accepted);
        *self.ruling.insert(ruling)
    }

    fn shared_prefix(&self, call: usize) -> u64 {
        if !self.columns.same_preface[call] {
            return 0;
        }
        let shared = match self.sent.head() == self.before.head() && self.sent.from() == self.before.from() {
            true => return self.columns.fixed[call] + self.tokens_of(&self.before),
            false => self.before.common(&self.sent),
        };
        self.columns.fixed[call] + self.sent.numbers().take(shared).map(|number| self.tokens(number)).sum::<u64>()
    }

    /// Tokens of the messages of something that has the same head as what is sent.
    fn tokens_of(&self, sent: &Sent) -> u64 {
        self.head_tokens + self.columns.tokens_between(sent.from(), sent.upto())
    }

    fn size(&self, call: usize) -> u64 {
        self.columns.fixed[call] + self.tokens_of(&self.sent)
    }

    fn tokens(&self, number: u32) -> u64 {
        let logged = self.columns.tokens.get(number as usize).copied();
        u64::from(logged.unwrap_or_else(|| self.transcript().message(&self.overlay, number).0.tokens))
    }

    fn limits(&self, call: usize) -> &Limits {
        &self.limits[self.transcript().calls[call].terms as usize]
    }
}

fn is_real_user(transcript: &Transcript, index: u32) -> bool {
    let message = &transcript.messages[index as usize];
    message.speaker == Speaker::User && !message.has_results
}
