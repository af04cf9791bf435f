//! Which calls of a session would be rejected before any policy touches them: uncompacted, and just as they were logged.
//!
//! Every call's uncompacted prompt is a prefix of the transcript, so one look at the whole list and one at the end of each
//! prefix give what a look at every prefix would. A fault behind the assistant's last words can still be healed or revealed
//! by what follows and is judged at the end of the prefix; what an open turn lacks is judged on that turn and holds until
//! it is over; any other fault is final and holds for every longer prefix. Calls of other terms are judged apart.

use std::ops::Range;

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
    let everything: Vec<u32> = (0..transcript.messages.len() as u32).collect();
    List::of(transcript, &everything, 0).judge(0..transcript.calls.len(), &mut verdicts);
    verdicts
}

/// The verdict on each call's prompt as the log has it: behind a compaction that the log shows, the list that it left.
/// `full` are the verdicts on the uncompacted prompts.
pub fn recorded(transcript: &Transcript, full: &[Verdict]) -> Vec<Verdict> {
    let mut verdicts = full.to_vec();
    let compactions = &transcript.recorded.compactions;
    let n = transcript.messages.len() as u32;
    let mut list: Vec<u32> = (0..n).collect();
    for (at, compaction) in compactions.iter().enumerate() {
        list = compaction.apply(&list, transcript);
        let end = compactions.get(at + 1).map_or(transcript.calls.len(), |next| next.call as usize);
        let calls = compaction.call as usize..end.min(transcript.calls.len());
        let as_logged = list.iter().rev().zip((0..n).rev()).take_while(|(number, at)| *number == at).count() as u32;
        if calls.start < calls.end {
            List::of(transcript, &list, n - as_logged).judge(calls, &mut verdicts);
        }
    }
    verdicts
}

/// A list of which calls send the beginning.
struct List<'t> {
    transcript: &'t Transcript,
    numbers: &'t [u32],
    /// The message from which on it is the transcript as it is, and where that stands.
    from: u32,
    at: usize,
    ends: Ends,
}

impl<'t> List<'t> {
    fn of(transcript: &'t Transcript, numbers: &'t [u32], from: u32) -> List<'t> {
        let at = numbers.iter().position(|number| *number == from).unwrap_or(numbers.len());
        List { transcript, numbers, from, at, ends: Ends::of(transcript, numbers) }
    }

    /// How many of its messages a call sends.
    fn sent(&self, call: usize) -> usize {
        let upto = self.transcript.calls[call].upto;
        self.at + upto.saturating_sub(self.from) as usize
    }

    fn judge(&self, calls: Range<usize>, verdicts: &mut [Verdict]) {
        for (number, terms) in self.transcript.terms.iter().enumerate() {
            let own: Vec<usize> =
                calls.clone().filter(|call| self.transcript.calls[*call].terms as usize == number).collect();
            let target = target(self.transcript, terms);
            Stretch { list: self, target, calls: &own }.judge(verdicts);
        }
    }
}

/// Where the ends of prefixes begin.
struct Ends {
    /// For each message where the assistant began the words that are its last so far; 0 where it said nothing yet.
    spoken: Vec<usize>,
    /// For each message where the turn began to which it belongs: a run of assistant messages and results.
    turns: Vec<usize>,
}

impl Ends {
    fn of(transcript: &Transcript, numbers: &[u32]) -> Ends {
        let (mut ends, mut spoken, mut turn) = (Ends { spoken: Vec::new(), turns: Vec::new() }, 0, 0);
        let mut was_assistant = false;
        for (index, number) in numbers.iter().enumerate() {
            let (message, _) = transcript.message(&transcript.recorded.inserted, *number);
            let is_assistant = message.speaker == Speaker::Assistant;
            if is_assistant && !was_assistant {
                spoken = index;
            }
            if !is_assistant && !message.has_results {
                turn = index + 1;
            }
            was_assistant = is_assistant;
            ends.spoken.push(spoken);
            ends.turns.push(turn);
        }
        ends
    }
}

/// The calls on one list that have the same terms.
struct Stretch<'t> {
    list: &'t List<'t>,
    target: Target<'t>,
    calls: &'t [usize],
}

impl Stretch<'_> {
    fn judge(&self, verdicts: &mut [Verdict]) {
        let Some(&last) = self.calls.last() else { return };
        let (list, transcript) = (self.list, self.list.transcript);
        let most = self.calls.iter().map(|call| list.sent(*call)).max().unwrap_or(0);
        let whole = Whole::of(&self.findings(last, &list.numbers[..most]));
        // A turn of the server ends with the user's, and a far answer heals: there only the whole prefix tells.
        let has_server_tools = transcript.has_any(Marks::SERVER_CALL.and(Marks::SERVER_RESULT));
        let mut before = Before { upto: 0, turn: usize::MAX, lacks: Verdict::Accept, verdict: None };
        for call in self.calls {
            let upto = list.sent(*call);
            let is_open = transcript.units().is_answered_behind(transcript.calls[*call].upto);
            verdicts[*call] = match before.verdict.filter(|_| before.upto == upto) {
                Some(verdict) => verdict,
                None if has_server_tools || is_open => rules::verdict(&self.findings(*call, &list.numbers[..upto])),
                None => self.of_prefix(*call, upto, &whole, &mut before),
            };
            (before.upto, before.verdict) = (upto, Some(verdicts[*call]));
        }
    }

    /// The verdict on a prefix by what the whole list shows of it, and by its end.
    fn of_prefix(&self, call: usize, upto: usize, whole: &Whole, before: &mut Before) -> Verdict {
        let tail = upto.checked_sub(1).map_or(0, |last| self.list.ends.spoken[last]);
        let behind = self.findings(call, &self.list.numbers[tail..upto]);
        let open_ones = behind.iter().filter(|finding| scope(finding) == Scope::Neighbours);
        let verdict = worse(whole.of_prefix(tail, upto), rules::verdict(open_ones));
        // The beginning of the turn, and what is new of it: what was lacking before is lacking still.
        let turn = upto.checked_sub(1).map_or(0, |last| self.list.ends.turns[last]);
        if turn != before.turn {
            (before.turn, before.lacks) = (turn, Verdict::Accept);
        }
        let new_from = tail.min(before.upto).max(turn);
        let begins = (turn..new_from).take_while(|index| self.begins_turn(turn, *index));
        let shown: Vec<u32> = begins.chain(new_from..upto).map(|index| self.list.numbers[index]).collect();
        let prompt = self.prompt(call, &shown);
        let lacking = rules::check_some(&prompt, &self.target, |rule| rule.scope == Scope::Turn);
        before.lacks = before.lacks.max(rules::verdict(&lacking));
        worse(verdict, before.lacks)
    }

    /// Whether a message is one of the first words of the assistant in its turn.
    fn begins_turn(&self, turn: usize, index: usize) -> bool {
        let transcript = self.list.transcript;
        let (message, _) = transcript.message(&transcript.recorded.inserted, self.list.numbers[index]);
        index == turn || message.speaker == Speaker::Assistant
    }

    fn findings(&self, call: usize, numbers: &[u32]) -> Vec<Finding> {
        rules::check(&self.prompt(call, numbers), &self.target)
    }

    fn prompt<'n>(&'n self, call: usize, numbers: &'n [u32]) -> Prompt<'n> {
        let transcript = self.list.transcript;
        Prompt::of_call(transcript, call, numbers).with(&transcript.recorded.inserted)
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
