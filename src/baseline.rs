//! Which calls of a session would be refused just as they were logged, before any policy touches them.
//!
//! Every call's prompt is a prefix of the transcript, so one look at the whole list and one at the tail of each prefix
//! give what a look at every prefix would: a fault behind the last assistant message can still be healed or revealed by
//! what follows and is judged on the tail; any other is final and holds for every longer prefix.

use crate::model::Api;
use crate::rules::{self, Finding, Scope, Target, Verdict};
use crate::transcript::{Prompt, Speaker, Transcript};

/// Whether an API judges a list turn by turn, so that a look at a prefix's tail and a front cut's head is enough. In the
/// others a result may stand far behind its call, or the current turn decides: there every prompt is judged whole.
pub fn judges_by_neighbours(api: Api) -> bool {
    matches!(api, Api::AnthropicMessages | Api::OpenaiChat)
}

/// The verdict on each call's full prompt, in the order of the calls.
pub fn verdicts(transcript: &Transcript) -> Vec<Verdict> {
    let n_messages = transcript.calls.last().map_or(0, |call| call.upto as usize);
    let everything: Vec<u32> = (0..n_messages as u32).collect();
    let target = Target::new(transcript.api, transcript.model.as_deref());
    if !judges_by_neighbours(transcript.api) {
        let of_prefix = |upto: u32| rules::check(&Prompt::new(transcript, &everything[..upto as usize]), &target);
        return transcript.calls.iter().map(|call| rules::verdict(&of_prefix(call.upto))).collect();
    }
    let whole = rules::check(&Prompt::new(transcript, &everything), &target);
    let last_assistant = last_assistants(transcript, n_messages);
    let mut verdicts: Vec<Verdict> = Vec::with_capacity(transcript.calls.len());
    for (number, call) in transcript.calls.iter().enumerate() {
        let upto = call.upto as usize;
        if number > 0 && transcript.calls[number - 1].upto == call.upto {
            verdicts.push(verdicts[number - 1]);
            continue;
        }
        let tail = upto.checked_sub(1).map_or(0, |last| last_assistant[last]);
        let behind = rules::check(&Prompt::new(transcript, &everything[tail..upto]), &target);
        let final_ones = whole.iter().filter(|finding| is_final(finding, tail, upto));
        let open_ones = behind.iter().filter(|finding| scope(finding) == Scope::Neighbours);
        verdicts.push(rules::verdict(final_ones.chain(open_ones)));
    }
    verdicts
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
fn last_assistants(transcript: &Transcript, n_messages: usize) -> Vec<usize> {
    let mut last = 0;
    (0..n_messages)
        .map(|index| {
            if transcript.messages[index].speaker == Speaker::Assistant {
                last = index;
            }
            last
        })
        .collect()
}
