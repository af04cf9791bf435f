//! Which calls of a session would be rejected just as they were logged, before any policy touches them.
//!
//! Every call's uncompacted prompt is a prefix of the transcript, so one look at the whole list and one at the tail of
//! each prefix give what a look at every prefix would: a fault behind the last assistant message can still be healed or
//! revealed by what follows and is judged on the tail; any other is final and holds for every longer prefix. Calls of
//! other terms are judged apart.

use crate::finding::Target;
use crate::model::Api;
use crate::rules::{self, Finding, Scope, Verdict};
use crate::transcript::{Prompt, Speaker, Terms, Transcript};

/// Whether an API judges a list turn by turn, so that a look at a prefix's tail and a front cut's head is enough. In the
/// others a result may stand far behind its call, or the current turn decides: there every prompt is judged whole.
pub fn judges_by_neighbours(api: Api) -> bool {
    matches!(api, Api::AnthropicMessages | Api::OpenaiChat)
}

/// Whom calls of those terms are judged for.
pub fn target<'t>(transcript: &Transcript, terms: &'t Terms) -> Target<'t> {
    Target::of(transcript.api, terms.profile, terms.model.as_deref())
}

/// The verdict on each call's uncompacted prompt, in the order of the calls.
pub fn verdicts(transcript: &Transcript) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Accept; transcript.calls.len()];
    let last_assistant = last_assistants(transcript);
    for terms in 0..transcript.terms.len() {
        let calls: Vec<usize> =
            (0..transcript.calls.len()).filter(|call| transcript.calls[*call].terms as usize == terms).collect();
        Stretch::of(transcript, terms, &calls).judge(&last_assistant, &mut verdicts);
    }
    verdicts
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

    fn judge(&self, last_assistant: &[usize], verdicts: &mut [Verdict]) {
        let Some(&last) = self.calls.last() else { return };
        if !judges_by_neighbours(self.transcript.api) {
            for call in self.calls {
                let upto = self.transcript.calls[*call].upto as usize;
                verdicts[*call] = rules::verdict(&self.findings(*call, 0, upto));
            }
            return;
        }
        let whole = self.findings(last, 0, self.everything.len());
        let mut before: Option<(usize, Verdict)> = None;
        for call in self.calls {
            let upto = self.transcript.calls[*call].upto as usize;
            verdicts[*call] = match before {
                Some((same, verdict)) if same == upto => verdict,
                _ => {
                    let tail = upto.checked_sub(1).map_or(0, |last| last_assistant[last]);
                    let behind = self.findings(*call, tail, upto);
                    let final_ones = whole.iter().filter(|finding| is_final(finding, tail, upto));
                    let open_ones = behind.iter().filter(|finding| scope(finding) == Scope::Neighbours);
                    rules::verdict(final_ones.chain(open_ones))
                }
            };
            before = Some((upto, verdicts[*call]));
        }
    }

    fn findings(&self, call: usize, from: usize, to: usize) -> Vec<Finding> {
        rules::check(&Prompt::of_call(self.transcript, call, &self.everything[from..to]), &self.target)
    }
}

/// Whether a finding on the whole list holds for the prefix of length `upto` whose last assistant message is `tail`.
fn is_final(finding: &Finding, tail: usize, upto: usize) -> bool {
    let reach = match scope(finding) {
        Scope::Neighbours => tail,
        Scope::List => upto,
    };
    finding.message.is_none_or(|message| (message as usize) < reach)
}

fn scope(finding: &Finding) -> Scope {
    rules::rule(finding.rule).expect("a finding names a rule of the table").scope
}

/// For each message the index of the last assistant message up to and including it; 0 where there is none.
fn last_assistants(transcript: &Transcript) -> Vec<usize> {
    let mut last = 0;
    let of = |index: usize| {
        if transcript.messages[index].speaker == Speaker::Assistant {
            last = index;
        }
        last
    };
    (0..transcript.messages.len()).map(of).collect()
}
