//! Judges what a replay sends, at its seams.
//!
//! The uncompacted prompt of a call is known to be accepted, so only what a cut changed can be at fault: the messages that
//! became neighbours, the first, those whose calls or results are gone, and what is bound to a changed prefix. All of that
//! shows in a shorter prompt: the same entries, ended at the first call by which the seam is settled, judged by the full
//! rules. What follows that call is as it was logged and changes nothing, until the terms of the calls change, a user
//! begins another turn, or a message comes that is bound to what stood before it. So a verdict holds for a stretch of
//! calls, and is asked for once. `tests/it/replay.rs` holds it against the full rules on every prompt.

use std::cell::RefCell;

use crate::baseline;
use crate::finding::Severity;
use crate::rules::{self, Verdict};
use crate::transcript::{Overlay, PartKind, Prompt, Speaker, Transcript};
use crate::view::Sent;

/// What the provider would answer to a compacted prompt, for a stretch of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    /// The rule that rejects it, and the message of the transcript where it does.
    pub broken: Option<(&'static str, u32)>,
    /// The first call for which it has to be asked again.
    pub until: u32,
}

/// An assistant has spoken so often behind a seam when it is settled: the turn at the seam is over, and the one behind it.
const SETTLED_AFTER: u32 = 2;

/// What is known of a session for judging its seams.
#[derive(Debug)]
pub struct Seams {
    /// How often the assistant has begun to speak before each message, and before the end.
    spoken: Vec<u32>,
    /// For each call where its latest turn begins.
    turns: Vec<u32>,
    /// For each message the first from it on with thinking, where a model binds it to what stood before; else the end.
    thinking: Vec<u32>,
    /// Some call is answered behind a prompt that holds it: what settles a seam is not known, and each prompt is judged.
    is_open: bool,
    /// Rulings on cuts at the front, by their first message, each with the first call that it was asked for.
    fronts: RefCell<Vec<Vec<(u32, Ruling)>>>,
}

impl Seams {
    /// The seams of a session.
    pub fn of(transcript: &Transcript) -> Seams {
        let n = transcript.messages.len();
        let is_real_user = |index: &u32| {
            transcript.messages[*index as usize].speaker == Speaker::User
                && !transcript.messages[*index as usize].has_results
        };
        let (mut turn, mut seen) = (0, 0);
        let turns = transcript.calls.iter().map(|call| {
            turn = (seen..call.upto).rev().find(is_real_user).unwrap_or(turn);
            seen = seen.max(call.upto);
            turn
        });
        let turns = turns.collect();
        let binds = transcript.terms.iter().any(|terms| {
            let abilities = baseline::target(transcript, terms).abilities();
            abilities.binds_thinking == Some(true)
        });
        Seams {
            spoken: spoken(transcript),
            turns,
            thinking: if binds { next_thinking(transcript) } else { vec![n as u32; n + 1] },
            is_open: transcript.calls.iter().any(|call| transcript.units().is_answered_behind(call.upto)),
            fronts: RefCell::new(vec![Vec::new(); n + 1]),
        }
    }

    /// Whether some call is answered behind a prompt that holds it.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// What the provider would answer to `call`, which sends that much and whose uncompacted prompt is accepted;
    /// `accepted` tells the same of other calls.
    pub fn ruling(
        &self,
        transcript: &Transcript,
        overlay: &Overlay,
        sent: &Sent,
        call: usize,
        accepted: &dyn Fn(usize) -> bool,
    ) -> Ruling {
        if sent.is_whole() || self.says_the_same(transcript, overlay, sent) {
            return Ruling { verdict: Verdict::Accept, broken: None, until: u32::MAX };
        }
        let settling = self.settling(transcript, sent.from(), call, accepted);
        let (verdict, broken) = judge(transcript, overlay, sent, call, transcript.calls[settling].upto);
        Ruling { verdict, broken, until: self.until(transcript, sent.from(), call, settling) }
    }

    /// Whether all messages are there, some of them shorter: calls, results and their order are what they were.
    fn says_the_same(&self, transcript: &Transcript, overlay: &Overlay, sent: &Sent) -> bool {
        let n = transcript.messages.len() as u32;
        let in_place = |(at, number): (u32, &u32)| transcript.origin(overlay, *number) == Some(at);
        let binds_nothing = self.thinking[0] == n;
        binds_nothing && sent.head().len() == sent.from() as usize && (0..).zip(sent.head()).all(in_place)
    }

    /// The same where all messages before `from` are gone but those that are pinned.
    pub fn front(&self, transcript: &Transcript, from: u32, call: usize, accepted: &dyn Fn(usize) -> bool) -> Ruling {
        let known = |(first, ruling): &&(u32, Ruling)| (*first..ruling.until).contains(&(call as u32));
        if let Some((_, ruling)) = self.fronts.borrow()[from as usize].iter().find(known) {
            return *ruling;
        }
        let settling = self.settling(transcript, from, call, accepted);
        let upto = transcript.calls[settling].upto;
        let pinned = (0..from).filter(|index| transcript.messages[*index as usize].pinned);
        let sent = Sent::new(pinned.collect(), from, upto);
        let (verdict, broken) = judge(transcript, &Overlay::default(), &sent, call, upto);
        let ruling = Ruling { verdict, broken, until: self.until(transcript, from, call, settling) };
        self.fronts.borrow_mut()[from as usize].push((call as u32, ruling));
        ruling
    }

    /// The call whose prompt shows all that is at fault with that of `call`, the raw end of which begins at `from`: the
    /// first one of the same terms by which the seam is settled, in a turn that lies to the seam as that of `call` does.
    fn settling(&self, transcript: &Transcript, from: u32, call: usize, accepted: &dyn Fn(usize) -> bool) -> usize {
        if self.is_open {
            return call;
        }
        let calls = &transcript.calls[..call];
        let is_settled = |upto: u32| self.spoken[upto as usize] >= self.spoken[from as usize] + SETTLED_AFTER;
        let mut first = calls.partition_point(|call| call.upto < from || !is_settled(call.upto));
        if self.turns[call] > from {
            first = first.max(self.turns[..call].partition_point(|turn| *turn <= from));
        }
        let thinking = self.thinking[from as usize];
        if thinking < transcript.calls[call].upto {
            first = first.max(calls.partition_point(|call| call.upto <= thinking));
        }
        let terms = transcript.calls[call].terms;
        (first..call).find(|other| accepted(*other) && transcript.calls[*other].terms == terms).unwrap_or(call)
    }

    /// The first call after `call` to which the ruling need not apply.
    fn until(&self, transcript: &Transcript, from: u32, call: usize, settling: usize) -> u32 {
        let upto = transcript.calls[call].upto;
        let is_settled = self.spoken[upto as usize] >= self.spoken[from as usize] + SETTLED_AFTER;
        // The call itself may be the first that settles the seam.
        if self.is_open || !is_settled || (settling == call && self.turns[call] > from && self.turns[call] >= upto) {
            return call as u32 + 1;
        }
        let terms = transcript.calls[call].terms;
        let behind = call + 1..transcript.calls.len();
        let same_terms = behind.clone().find(|other| transcript.calls[*other].terms != terms);
        let same_turn = if self.turns[call] > from {
            None
        } else {
            Some(call + 1 + self.turns[call + 1..].partition_point(|turn| *turn <= from))
        };
        let thinking = self.thinking[from as usize];
        let bound = (thinking >= upto && (thinking as usize) < transcript.messages.len())
            .then(|| call + 1 + transcript.calls[call + 1..].partition_point(|call| call.upto <= thinking));
        [same_terms, same_turn, bound].into_iter().flatten().min().unwrap_or(behind.end) as u32
    }
}

/// Judges what is sent up to a message by the full rules, for a call.
pub fn judge(
    transcript: &Transcript,
    overlay: &Overlay,
    sent: &Sent,
    call: usize,
    upto: u32,
) -> (Verdict, Option<(&'static str, u32)>) {
    let kept = sent.len() - (sent.upto() - upto.clamp(sent.from(), sent.upto())) as usize;
    let numbers: Vec<u32> = sent.numbers().take(kept).chain(sent.upto().max(sent.from())..upto).collect();
    let target = baseline::target(transcript, transcript.terms_of(call));
    let prompt = Prompt::of_call(transcript, call, &numbers).with(overlay);
    let findings = rules::check(&prompt, &target);
    let error = findings.iter().find(|finding| finding.severity == Severity::Error);
    let broken = error.map(|error| {
        let number = numbers.get(error.message.unwrap_or(0) as usize);
        (error.rule, number.and_then(|number| transcript.origin(overlay, *number)).unwrap_or(0))
    });
    (rules::verdict(&findings), broken)
}

fn spoken(transcript: &Transcript) -> Vec<u32> {
    let mut spoken = vec![0];
    let (mut times, mut was_assistant) = (0, false);
    for message in &transcript.messages {
        let is_assistant = message.speaker == Speaker::Assistant;
        times += u32::from(is_assistant && !was_assistant);
        was_assistant = is_assistant;
        spoken.push(times);
    }
    spoken
}

fn next_thinking(transcript: &Transcript) -> Vec<u32> {
    let n = transcript.messages.len();
    let mut next = vec![n as u32; n + 1];
    for index in (0..n).rev() {
        let thinks = transcript.parts_of(index).iter().any(|part| part.kind == PartKind::Thinking);
        next[index] = if thinks { index as u32 } else { next[index + 1] };
    }
    next
}
