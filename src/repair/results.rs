//! Results that have no call go; those that stand too late are moved to where they belong.

use std::collections::BTreeMap;

use crate::model::Api;
use crate::rules::Place;
use crate::transcript::pairs::{Answer, Ask, Fate, Fit};
use crate::transcript::{IdNo, Site, Speaker};

use super::answers::{self, Seat, is_message, seat, shell};
use super::draft::Draft;
use super::{Round, ids, items};

pub(super) fn drop_orphans(round: &Round, draft: &mut Draft) {
    drop(round, draft, |answer| answer.fit == Fit::Orphan, "no call before it has its id");
}

pub(super) fn drop_second(round: &Round, draft: &mut Draft) {
    drop(round, draft, |answer| matches!(answer.fit, Fit::Second(_)), "its call was answered before");
}

fn drop(round: &Round, draft: &mut Draft, goes: impl Fn(&Answer) -> bool, why: &str) {
    for answer in round.pairs.answers.iter().filter(|answer| goes(answer)) {
        draft.say(answer.site, format!("drop tool result {}: {why}", round.name(answer.id)));
        draft.drop_block(answer.site);
    }
}

/// Drops tool uses of the server, or their results, that have no partner in their turn.
pub(super) fn drop_served(round: &Round, draft: &mut Draft) {
    for finding in &round.findings {
        let Some(site) = finding.message.zip(finding.block).map(|(message, block)| Site { message, block }) else {
            continue;
        };
        let name = round.name(finding.ids.first().copied().unwrap_or(IdNo::NONE));
        let what = match finding.rule {
            "orphan_server_tool_result" => format!("drop the server's result {name}: its tool use is gone"),
            _ => format!("drop the server's tool use {name}: its turn ends without a result"),
        };
        draft.say(site, what);
        draft.drop_block(site);
    }
}

/// Moves results that stand too late to where those of their calls belong.
pub(super) fn move_late(round: &Round, draft: &mut Draft) {
    if draft.api() == Api::OpenaiResponses {
        return items::move_words_before_calls(round, draft);
    }
    for group in &round.pairs.groups {
        let asks = round.pairs.asks_of(group);
        let late: Vec<(&Ask, Site)> = asks
            .iter()
            .filter_map(|ask| if let Fate::Late(site) = ask.fate { Some((ask, site)) } else { None })
            .collect();
        if late.is_empty() {
            continue;
        }
        for (ask, site) in &late {
            draft.say(*site, format!("move tool result {} right behind its call", round.name(ask.id)));
        }
        let sites: Vec<Site> = late.iter().map(|(_, site)| *site).collect();
        match seat(&round.prompt, group, asks) {
            Seat::Block(before) => sites.iter().for_each(|site| draft.move_block(*site, before)),
            Seat::Message(before) if is_message(draft.api()) => {
                sites.iter().for_each(|site| draft.move_message(site.message as usize, before));
            }
            Seat::Message(before) => draft.move_blocks_out(&sites, before, shell()),
        }
    }
}

/// Mistral: every call gets its one result right behind it.
pub(super) fn settle_turns(round: &Round, draft: &mut Draft) {
    if move_interruptions(round, draft) {
        return;
    }
    drop_orphans(round, draft);
    drop_second(round, draft);
    drop_surplus(round, draft);
    move_late(round, draft);
    answers::answer_open(round, draft);
    if !draft.is_touched() {
        ids::part_in_turns(round, draft);
    }
}

/// Drops results without id that no call is left for.
fn drop_surplus(round: &Round, draft: &mut Draft) {
    for group in &round.pairs.groups {
        let asks = round.pairs.asks_of(group).len();
        let fits = || round.pairs.answers_of(group).iter().filter(|answer| answer.fit == Fit::Fits);
        let nameless = fits().filter(|answer| answer.id == IdNo::NONE);
        for answer in nameless.skip(asks.saturating_sub(fits().filter(|answer| answer.id != IdNo::NONE).count())) {
            draft.say(answer.site, "drop a tool result without an id: every call has its own".to_owned());
            draft.drop_block(answer.site);
        }
    }
}

/// Moves what a user says between calls and their results in front of the calls, where no result stands before those:
/// behind the results it would need an assistant's message in between.
fn move_interruptions(round: &Round, draft: &mut Draft) -> bool {
    let prompt = &round.prompt;
    let speaker = |position: usize| prompt.entry(position).message.speaker;
    let mut moved: BTreeMap<usize, usize> = BTreeMap::new();
    for ask in &round.pairs.asks {
        let Fate::Late(result) = ask.fate else { continue };
        let call = ask.site.message as usize;
        let between = call + 1..result.message as usize;
        let is_free = call.checked_sub(1).is_none_or(|before| speaker(before) != Speaker::Tool);
        if is_free && between.clone().all(|position| matches!(speaker(position), Speaker::User | Speaker::Tool)) {
            let said = between.filter(|position| speaker(*position) == Speaker::User);
            moved.extend(said.map(|position| (position, call)));
        }
    }
    for (position, call) in &moved {
        draft.say(
            Place::message(*position),
            "move the user's message in front of the calls: their results come right behind".to_owned(),
        );
        draft.move_message(*position, *call);
    }
    !moved.is_empty()
}
