//! A session as columns of integers: what the fast path needs, summed up once for all cells.
//!
//! A front cut is one number, how many of the oldest units are gone; with prefix sums over messages its size, and with
//! prefix sums over calls a whole run of calls without a compaction, are each one subtraction.

use crate::baseline;
use crate::model::Api;
use crate::rules::Verdict;
use crate::transcript::{CallFacts, Marks, MessageFacts, PartKind, Speaker, Transcript, Unit};

/// The sums of one session.
#[derive(Debug)]
pub struct Columns {
    /// The size of each call's full prompt.
    pub full: Vec<u64>,
    /// Tokens of each call's prompt outside the message list.
    pub fixed: Vec<u64>,
    /// Output tokens each call reserves.
    pub reserve: Vec<u64>,
    pub reserve_max: u64,
    /// Whether a call starts with the same system text and tools as the one before it.
    pub same_preface: Vec<bool>,
    /// Whether the full prompt is taken; a policy is charged for these calls only.
    pub taken: Vec<bool>,
    /// Sums over the calls before each: sizes, sizes of the prompt before where it can be a prefix, and counts.
    pub full_sum: Vec<u64>,
    pub shareable_sum: Vec<u64>,
    pub shareable_count: Vec<u64>,
    pub taken_count: Vec<u64>,
    /// How many calls before each are taken by every target.
    pub sure_count: Vec<u64>,
    /// For each call the last message with thinking that is bound to what stands before it, counted from 1; 0 for none.
    pub bound_thinking: Vec<u32>,
    pub units: [UnitColumns; Unit::ALL.len()],
    /// The first call that carries a capped result.
    pub first_capped_call: Option<u32>,
    /// Tokens that caps took from results, each counted where it enters.
    pub truncated_tokens: u64,
}

/// The sums of one session along one kind of unit; entry `k` stands for "the `k` oldest units are gone".
#[derive(Debug)]
pub struct UnitColumns {
    /// The first message that is left.
    pub start: Vec<u32>,
    /// Tokens gone.
    pub gone: Vec<u64>,
    /// Unpinned messages gone.
    pub messages_gone: Vec<u32>,
    /// Exchanges begun before the first message that is left.
    pub exchanges_gone: Vec<u32>,
    /// Tokens of the pinned messages in front of the first message that is left.
    pub pinned_before: Vec<u64>,
    /// Whether the first message that is left carries a tool result, whose call is gone with what stood before it.
    pub orphaned: Vec<bool>,
    /// The rule that such a cut breaks.
    pub breaks: Vec<&'static str>,
    /// Whether the first message that is left is one that some targets do not begin with.
    pub begins_amiss: Vec<bool>,
    /// For each call, how many units its full prompt holds.
    pub units_in: Vec<u32>,
}

/// What a cap on tool results does to the tokens of each message.
struct Capped {
    tokens: Vec<u64>,
    first: Option<usize>,
    truncated: u64,
}

impl Columns {
    /// The columns of a session whose tool results are capped at `cap` tokens, if at all.
    pub fn new(transcript: &Transcript, verdicts: &[Verdict], cap: Option<u32>) -> Columns {
        let capped = cap_results(transcript, cap);
        let sums = MessageSums::new(transcript, &capped.tokens);
        let calls = &transcript.calls;
        let fixed: Vec<u64> = calls.iter().map(|call| u64::from(call.fixed)).collect();
        let full: Vec<u64> = calls.iter().map(|call| u64::from(call.fixed) + sums.all(call.upto)).collect();
        let same_preface: Vec<bool> =
            (0..calls.len()).map(|call| call > 0 && calls[call].preface == calls[call - 1].preface).collect();
        let taken: Vec<bool> = verdicts.iter().map(|verdict| verdict.is_chargeable()).collect();
        let shareable = |call: usize| if same_preface[call] { full[call - 1] } else { 0 };
        Columns {
            full_sum: running_sum(full.iter().copied()),
            shareable_sum: running_sum((0..calls.len()).map(shareable)),
            shareable_count: running_sum(same_preface.iter().map(|same| u64::from(*same))),
            taken_count: running_sum(taken.iter().map(|taken| u64::from(*taken))),
            sure_count: running_sum(verdicts.iter().map(|verdict| u64::from(*verdict == Verdict::Accept))),
            bound_thinking: bound_thinking(transcript),
            units: Unit::ALL.map(|unit| UnitColumns::new(transcript, &sums, unit)),
            reserve: calls.iter().map(|call| u64::from(call.reserve)).collect(),
            reserve_max: calls.iter().map(|call| u64::from(call.reserve)).max().unwrap_or(0),
            first_capped_call: capped.first.and_then(|message| first_call_with(transcript, message)),
            truncated_tokens: capped.truncated,
            full,
            fixed,
            same_preface,
            taken,
        }
    }

    /// How many calls the session has.
    pub fn calls(&self) -> usize {
        self.full.len()
    }
}

impl UnitColumns {
    fn new(transcript: &Transcript, sums: &MessageSums, unit: Unit) -> UnitColumns {
        let starts = transcript.starts(unit);
        let at = |start: &u32| &transcript.messages[*start as usize];
        UnitColumns {
            start: starts.to_vec(),
            gone: starts.iter().map(|start| sums.unpinned(*start)).collect(),
            messages_gone: starts.iter().map(|start| sums.n_unpinned[*start as usize]).collect(),
            exchanges_gone: starts.iter().map(|start| at(start).exchange).collect(),
            pinned_before: starts.iter().map(|start| sums.all(*start) - sums.unpinned(*start)).collect(),
            orphaned: starts.iter().map(|start| refers_back(at(start))).collect(),
            breaks: starts.iter().map(|start| broken_rule(at(start))).collect(),
            begins_amiss: starts.iter().map(|start| begins_amiss(transcript.api, at(start))).collect(),
            units_in: transcript
                .calls
                .iter()
                .map(|call| starts.partition_point(|start| *start < call.upto) as u32)
                .collect(),
        }
    }
}

/// Whether a message answers a call of an earlier one.
fn refers_back(message: &MessageFacts) -> bool {
    message.has_results || message.marks.has(Marks::FAR_SERVER_RESULT)
}

fn broken_rule(message: &MessageFacts) -> &'static str {
    if message.has_results { "orphan_tool_result" } else { "orphan_server_tool_result" }
}

/// Whether some targets take no list that begins with this message (`first_message_not_user`).
fn begins_amiss(api: Api, message: &MessageFacts) -> bool {
    api == Api::AnthropicMessages && message.speaker == Speaker::Assistant
}

/// For each call the last message with thinking that the model binds to what stands before it (`bound_thinking_kept`).
fn bound_thinking(transcript: &Transcript) -> Vec<u32> {
    let binds = transcript.api == Api::AnthropicMessages
        && transcript.terms.first().is_some_and(|terms| {
            let abilities = baseline::target(transcript, terms).abilities();
            abilities.binds_thinking == Some(true) && !terms.envelope.drops_unbound_thinking
        });
    let thinks = |index: u32| {
        let parts = transcript.parts_of(index as usize);
        binds && parts.iter().any(|part| part.kind == PartKind::Thinking)
    };
    let (mut from, mut last) = (0, 0);
    let of_call = |call: &CallFacts| {
        last = (from..call.upto).rev().find(|index| thinks(*index)).map_or(last, |index| index + 1);
        from = call.upto;
        last
    };
    transcript.calls.iter().map(of_call).collect()
}

/// Sums over the messages before each.
struct MessageSums {
    all: Vec<u64>,
    unpinned: Vec<u64>,
    n_unpinned: Vec<u32>,
}

impl MessageSums {
    fn new(transcript: &Transcript, tokens: &[u64]) -> MessageSums {
        let pinned = |index: usize| transcript.messages[index].pinned;
        let mut n_unpinned = 0;
        MessageSums {
            all: running_sum(tokens.iter().copied()),
            unpinned: running_sum((0..tokens.len()).map(|index| if pinned(index) { 0 } else { tokens[index] })),
            n_unpinned: (0..tokens.len())
                .map(|index| {
                    let before = n_unpinned;
                    n_unpinned += u32::from(!pinned(index));
                    before
                })
                .collect(),
        }
    }

    fn all(&self, upto: u32) -> u64 {
        self.all[upto as usize]
    }

    fn unpinned(&self, upto: u32) -> u64 {
        self.unpinned[upto as usize]
    }
}

/// The sum of all values before each, and of all of them at the end.
fn running_sum(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut sums = vec![0];
    let mut sum = 0;
    sums.extend(values.map(|value| {
        sum += value;
        sum
    }));
    sums
}

fn cap_results(transcript: &Transcript, cap: Option<u32>) -> Capped {
    let cap = cap.unwrap_or(u32::MAX);
    let mut capped = Capped { tokens: Vec::with_capacity(transcript.messages.len()), first: None, truncated: 0 };
    for (index, message) in transcript.messages.iter().enumerate() {
        let over: u64 = transcript.parts_of(index).iter().map(|part| u64::from(part.over(cap))).sum();
        if over > 0 {
            capped.first.get_or_insert(index);
            capped.truncated += over;
        }
        capped.tokens.push(u64::from(message.tokens).saturating_sub(over));
    }
    capped
}

fn first_call_with(transcript: &Transcript, message: usize) -> Option<u32> {
    let first = transcript.calls.partition_point(|call| call.upto as usize <= message);
    (first < transcript.calls.len()).then_some(first as u32)
}
