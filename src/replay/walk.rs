//! The reference: asks the policy at every compaction and judges every prompt by the full rules.
//!
//! It holds the resident messages as a list and plays any policy; the fast path is held against it.

use crate::baseline;
use crate::cell::{Limits, Mode};
use crate::model::Tokens;
use crate::policies::{Evict, Eviction};
use crate::rules::{self, Finding, Severity, Verdict};
use crate::transcript::{Prompt, Transcript};

use super::{Subject, Witness};
use crate::outcome::{Cut, Outcome};

/// Plays one session by asking `policy`.
pub fn play(
    subject: &Subject,
    policy: &dyn Evict,
    limits: &[Limits],
    mode: Mode,
    witness: &mut dyn Witness,
) -> Outcome {
    let cap = policy.result_cap();
    let capped = cap.map(|cap| capped(&subject.transcript, cap));
    let transcript = capped.as_ref().unwrap_or(&subject.transcript);
    let mut walk = Walk {
        transcript,
        verdicts: &subject.verdicts,
        limits,
        resident: Vec::new(),
        sent: Vec::new(),
        outcome: Outcome::default(),
    };
    walk.outcome.calls = transcript.calls.len() as u64;
    for call in 0..transcript.calls.len() {
        walk.admit(call, mode);
        let before = walk.size(call);
        if before > walk.limits(call).trigger {
            let cut = walk.compact(call, before, policy);
            walk.outcome.count(&cut);
            witness.cut(&cut);
        }
        walk.send(call, before);
    }
    if let Some(cap) = cap {
        walk.note_caps(&subject.transcript, cap);
    }
    walk.outcome
}

struct Walk<'a> {
    transcript: &'a Transcript,
    verdicts: &'a [Verdict],
    /// By the terms of the call.
    limits: &'a [Limits],
    resident: Vec<u32>,
    /// What the call before sent.
    sent: Vec<u32>,
    outcome: Outcome,
}

impl Walk<'_> {
    fn limits(&self, call: usize) -> &Limits {
        &self.limits[self.transcript.calls[call].terms as usize]
    }

    /// Takes in the messages that are new since the call before, or all of them again.
    fn admit(&mut self, call: usize, mode: Mode) {
        let upto = self.transcript.calls[call].upto;
        let known = match mode {
            Mode::Sticky if call > 0 => self.transcript.calls[call - 1].upto,
            Mode::Sticky => 0,
            Mode::Stateless => {
                self.resident.clear();
                0
            }
        };
        self.resident.extend(known..upto);
    }

    fn compact(&mut self, call: usize, before: u64, policy: &dyn Evict) -> Cut {
        let deficit = before - self.limits(call).target;
        let eviction = policy.evict(&Prompt::new(self.transcript, &self.resident), deficit);
        let exchanges = self.exchanges();
        self.remove(&eviction);
        let freed = before - self.size(call);
        let unpinned = |index: &&u32| !self.transcript.messages[**index as usize].pinned;
        Cut {
            call: call as u32,
            before,
            deficit,
            freed,
            evicted_messages: eviction.positions.len() as u32,
            evicted_exchanges: exchanges - self.exchanges(),
            kept_from: self.resident.iter().find(unpinned).copied().unwrap_or(0),
            reached: freed >= deficit,
            broken: self.first_fault(call),
        }
    }

    /// Exchanges of the session from the first resident unpinned message on.
    fn exchanges(&self) -> u32 {
        let messages = &self.transcript.messages;
        let first = self.resident.iter().find(|index| !messages[**index as usize].pinned);
        first
            .map_or(0, |first| messages.last().map_or(0, |last| last.exchange + 1 - messages[*first as usize].exchange))
    }

    fn remove(&mut self, eviction: &Eviction) {
        let mut gone = eviction.positions.iter().peekable();
        let mut position = 0;
        self.resident.retain(|_| {
            let leaves = gone.next_if_eq(&&position).is_some();
            position += 1;
            !leaves
        });
    }

    fn send(&mut self, call: usize, before: u64) {
        let after = self.size(call);
        self.outcome.tokens_before += before;
        self.outcome.tokens_after += after;
        self.outcome.prefix_tokens += self.shared_prefix(call);
        self.outcome.over_window +=
            u64::from(after + u64::from(self.transcript.calls[call].reserve) > self.limits(call).window);
        self.judge(call);
        self.sent.clone_from(&self.resident);
    }

    /// Charges the policy with what the provider would answer, if the full prompt is taken.
    fn judge(&mut self, call: usize) {
        let full = self.verdicts[call];
        if !full.is_chargeable() {
            self.outcome.baseline_invalid_calls += 1;
            return;
        }
        match rules::verdict(&self.findings(call)) {
            Verdict::Reject => {
                self.outcome.calls_400 += 1;
                self.outcome.first_bad_call.get_or_insert(call as u32);
            }
            Verdict::Depends => self.outcome.depends_calls += u64::from(full == Verdict::Accept),
            Verdict::Accept | Verdict::Unverifiable => {}
        }
    }

    /// The first error in what is resident, where the full prompt is taken.
    fn first_fault(&self, call: usize) -> Option<(&'static str, u32)> {
        if !self.verdicts[call].is_chargeable() {
            return None;
        }
        let findings = self.findings(call);
        let error = findings.iter().find(|finding| finding.severity == Severity::Error)?;
        let position = error.message.unwrap_or(0) as usize;
        Some((error.rule, self.resident.get(position).copied().unwrap_or(0)))
    }

    /// What the rules find in the resident messages; nothing where all messages are resident.
    fn findings(&self, call: usize) -> Vec<Finding> {
        if self.resident.len() == self.transcript.calls[call].upto as usize {
            return Vec::new();
        }
        let target = baseline::target(self.transcript, self.transcript.terms_of(call));
        rules::check(&Prompt::of_call(self.transcript, call, &self.resident), &target)
    }

    fn shared_prefix(&self, call: usize) -> u64 {
        if call == 0 || self.transcript.calls[call].preface != self.transcript.calls[call - 1].preface {
            return 0;
        }
        let shared = self.sent.iter().zip(&self.resident).take_while(|(sent, resident)| sent == resident);
        u64::from(self.transcript.calls[call].fixed) + shared.map(|(index, _)| self.tokens(*index)).sum::<u64>()
    }

    fn size(&self, call: usize) -> u64 {
        let fixed = u64::from(self.transcript.calls[call].fixed);
        fixed + self.resident.iter().map(|index| self.tokens(*index)).sum::<u64>()
    }

    fn tokens(&self, index: u32) -> u64 {
        u64::from(self.transcript.messages[index as usize].tokens)
    }

    fn note_caps(&mut self, original: &Transcript, cap: Tokens) {
        let over = |index: usize| original.parts_of(index).iter().map(|part| u64::from(part.over(cap))).sum::<u64>();
        self.outcome.truncated_tokens = (0..original.messages.len()).map(over).sum();
        let capped = (0..original.messages.len()).find(|index| over(*index) > 0);
        let first = capped.and_then(|index| original.calls.iter().position(|call| call.upto as usize > index));
        self.outcome.diverged_at =
            [self.outcome.diverged_at, first.map(|call| call as u32)].into_iter().flatten().min();
    }
}

/// The transcript with every tool result cut to at most `cap` tokens.
fn capped(transcript: &Transcript, cap: Tokens) -> Transcript {
    let mut capped = transcript.clone();
    for index in 0..capped.messages.len() {
        let over: Tokens = transcript.parts_of(index).iter().map(|part| part.over(cap)).sum();
        capped.messages[index].tokens = capped.messages[index].tokens.saturating_sub(over);
    }
    capped
}
