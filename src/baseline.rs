//! Which calls of a session would be rejected just as they were logged, before any policy touches them.
//!
//! Every call's uncompacted prompt is a prefix of the transcript, so one look at the whole list and one at the end of each
//! prefix give what a look at every prefix would. A fault behind the assistant's last words can still be healed or revealed
//! by what follows and is judged at the end of the prefix; what an open turn lacks is judged on that turn and holds until
//! it is over; any other fault is final and holds for every longer prefix. Calls of other terms are judged apart.

use crate::finding::Target;
use crate::rules::{self, Finding, Scope, Verdict};
use crate::transcript::{Marks, Prompt, Speaker, Terms, Transcript};

/// Whom calls of those terms are judged for.
pub fn target<'t>(transcript: &Transcript, terms: &'t Terms) -> Target<'t> {
    Target::of(transcript.api, terms.profile, terms.model.as_deref())
}

/// The verdict on each call's uncompacted prompt, in the order of the calls.
pub fn verdicts(transcript: &Transcript) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Accept; transcript.calls.len()];
    let ends = Ends::of(transcript);
    for terms in 0..transcript.terms.len() {
        let calls: Vec<usize> =
            (0..transcript.calls.len()).filter(|call| transcript.calls[*call].terms as usize == terms).collect();
        Stretch::of(transcript, terms, &calls).judge(&ends, &mut verdicts);
    }
    verdicts
}

/// Where the ends of prefixes begin.
struct Ends {
    /// For each message where the assistant began the words that are its last so far; 0 where it said nothing yet.
    spoken: Vec<usize>,
    /// For each message where the turn began to which it belongs: a run of assistant messages and results.
    turns: Vec<usize>,
}

impl Ends {
    fn of(transcript: &Transcript) -> Ends {
        let (mut ends, mut spoken, mut turn) = (Ends { spoken: Vec::new(), turns: Vec::new() }, 0, 0);
        let is_assistant = |index: usize| transcript.messages[index].speaker == Speaker::Assistant;
        for (index, message) in transcript.messages.iter().enumerate() {
            if is_assistant(index) && !(index > 0 && is_assistant(index - 1)) {
                spoken = index;
            }
            if !is_assistant(index) && !message.has_results {
                turn = index + 1;
            }
            ends.spoken.push(spoken);
            ends.turns.push(turn);
        }
        ends
    }
}

/// The calls of one session that have the same terms.
struct Stretch<'t> {
    transcript: &'t Transcript,
    target: Target<'t>,
    calls: &'t [usize],
    everything: Vec<u32>,
}

impl<'t> Stretch<'t> {
    fn of(transcript: &'t Transcript, terms: usize, calls: &'t [usize]) -> Stretch<'t> {
        let n_messages = calls.iter().map(|call| transcript.calls[*call].upto).max().unwrap_or(0);
        let target = target(transcript, &transcript.terms[terms]);
        Stretch { transcript, target, calls, everything: (0..n_messages).collect() }
    }

    fn judge(&self, ends: &Ends, verdicts: &mut [Verdict]) {
        let Some(&last) = self.calls.last() else { return };
        let whole = Whole::of(&self.findings(last, &self.everything));
        // A turn of the server ends with the user's, and a far answer heals: there only the whole prefix tells.
        let has_server_tools = self.transcript.has_any(Marks::SERVER_CALL.and(Marks::SERVER_RESULT));
        let mut before = Before { upto: 0, turn: usize::MAX, lacks: Verdict::Accept, verdict: None };
        for call in self.calls {
            let upto = self.transcript.calls[*call].upto as usize;
            verdicts[*call] = match before.verdict.filter(|_| before.upto == upto) {
                Some(verdict) => verdict,
                None if has_server_tools || self.transcript.units().is_answered_behind(upto as u32) => {
                    rules::verdict(&self.findings(*call, &self.everything[..upto]))
                }
                None => self.of_prefix(*call, upto, &whole, ends, &mut before),
            };
            (before.upto, before.verdict) = (upto, Some(verdicts[*call]));
        }
    }

    /// The verdict on a prefix by what the whole list shows of it, and by its end.
    fn of_prefix(&self, call: usize, upto: usize, whole: &Whole, ends: &Ends, before: &mut Before) -> Verdict {
        let tail = upto.checked_sub(1).map_or(0, |last| ends.spoken[last]);
        let behind = self.findings(call, &self.everything[tail..upto]);
        let open_ones = behind.iter().filter(|finding| scope(finding) == Scope::Neighbours);
        let verdict = worse(whole.of_prefix(tail, upto), rules::verdict(open_ones));
        // The beginning of the turn, and what is new of it: what was lacking before is lacking still.
        let turn = upto.checked_sub(1).map_or(0, |last| ends.turns[last]);
        if turn != before.turn {
            (before.turn, before.lacks) = (turn, Verdict::Accept);
        }
        let new_from = tail.min(before.upto).max(turn);
        let begins = (turn..new_from).take_while(|index| self.begins_turn(turn, *index));
        let shown: Vec<u32> = begins.chain(new_from..upto).map(|index| index as u32).collect();
        let prompt = Prompt::of_call(self.transcript, call, &shown);
        let lacking = rules::check_some(&prompt, &self.target, |rule| rule.scope == Scope::Turn);
        before.lacks = before.lacks.max(rules::verdict(&lacking));
        worse(verdict, before.lacks)
    }

    /// Whether a message is one of the first words of the assistant in its turn.
    fn begins_turn(&self, turn: usize, index: usize) -> bool {
        index == turn || self.transcript.messages[index].speaker == Speaker::Assistant
    }

    fn findings(&self, call: usize, resident: &[u32]) -> Vec<Finding> {
        rules::check(&Prompt::of_call(self.transcript, call, resident), &self.target)
    }
}

/// What is known of the prefix before.
struct Before {
    upto: usize,
    turn: usize,
    /// What its open turn lacks.
    lacks: Verdict,
    verdict: Option<Verdict>,
}

/// What is found on the whole list, by where it is found: what holds for a prefix is one look.
struct Whole {
    /// Of rules that look at neighbours, and of those that look at the list: the first message behind each finding, and
    /// the verdict on all findings up to it.
    neighbours: Vec<(usize, Verdict)>,
    list: Vec<(usize, Verdict)>,
}

impl Whole {
    fn of(findings: &[Finding]) -> Whole {
        let running = |wanted: Scope| {
            let of_scope = findings.iter().filter(|finding| scope(finding) == wanted);
            let mut verdict = Verdict::Accept;
            let found = of_scope.map(|finding| {
                verdict = worse(verdict, rules::verdict([finding]));
                (finding.message.map_or(0, |message| message as usize + 1), verdict)
            });
            found.collect()
        };
        Whole { neighbours: running(Scope::Neighbours), list: running(Scope::List) }
    }

    /// The verdict on what is final for the prefix of length `upto` whose end begins at `tail`.
    fn of_prefix(&self, tail: usize, upto: usize) -> Verdict {
        let below = |found: &[(usize, Verdict)], end: usize| {
            let n = found.partition_point(|(behind, _)| *behind <= end);
            n.checked_sub(1).map_or(Verdict::Accept, |last| found[last].1)
        };
        worse(below(&self.neighbours, tail), below(&self.list, upto))
    }
}

/// The verdict on what gives both: what cannot be judged in part cannot be judged.
fn worse(one: Verdict, other: Verdict) -> Verdict {
    if [one, other].contains(&Verdict::Unverifiable) { Verdict::Unverifiable } else { one.max(other) }
}

fn scope(finding: &Finding) -> Scope {
    rules::rule(finding.rule).expect("a finding names a rule of the table").scope
}
