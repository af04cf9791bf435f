//! New ids for calls and their results: valid, unused, and the same on both sides.

use std::collections::{BTreeMap, HashSet};

use crate::model::{Api, Body, Part, Request};
use crate::rules::Place;
use crate::transcript::pairs::{Ask, Fate, Fit, Group};
use crate::transcript::{IdNo, Marks, Site, Speaker, ids, marks};

use super::Round;
use super::draft::Draft;

/// Makes ids that a request does not use.
struct Fresh {
    api: Api,
    used: HashSet<String>,
    n: u32,
}

impl Fresh {
    fn of(request: &Request) -> Fresh {
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let used = parts.filter_map(|part| marks::name_of(request.api, part)).map(str::to_owned);
        Fresh { api: request.api, used: used.collect(), n: 0 }
    }

    /// A new id, as like the old one as its API allows.
    fn id(&mut self, old: &str) -> String {
        let keeps = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        let mut wanted: String = old.chars().map(|letter| if keeps(letter) { letter } else { '_' }).take(40).collect();
        while ids::is_refused(self.api, &wanted) || ids::is_masked(&wanted) || self.used.contains(&wanted) {
            self.n += 1;
            wanted = match self.api {
                Api::MistralChat => format!("call{:05}", self.n),
                _ => format!("call_{}", self.n),
            };
        }
        self.used.insert(wanted.clone());
        wanted
    }
}

/// The id of a call or result.
fn id_of(part: &mut Part) -> Option<&mut Option<String>> {
    match &mut part.body {
        Body::ToolUse(call) => Some(&mut call.id),
        Body::ToolResult(result) => Some(&mut result.id),
        _ => None,
    }
}

fn set(draft: &mut Draft, site: Site, new: &str) {
    if let Some(id) = id_of(draft.part_mut(site)) {
        *id = Some(new.to_owned());
    }
}

/// Gives calls without an id a new one, and their results the same; what no call is left for goes.
pub(super) fn give(round: &Round, draft: &mut Draft) {
    let is_missing = |id: IdNo, site: Site| {
        let part = &round.prompt.entry(site.message as usize).parts[site.block as usize];
        id == IdNo::NONE && !part.marks.has(Marks::MASKED_ID)
    };
    let mut fresh = Fresh::of(&draft.request);
    let mut served: HashSet<Site> = HashSet::new();
    for group in &round.pairs.groups {
        let answers = round.pairs.answers_of(group);
        let named: HashSet<IdNo> = answers.iter().map(|answer| answer.id).filter(|id| *id != IdNo::NONE).collect();
        let waiting = round.pairs.asks_of(group).iter().filter(|ask| !ask.legacy && !named.contains(&ask.id));
        let mut nameless = answers.iter().filter(|answer| is_missing(answer.id, answer.site));
        for ask in waiting {
            let answer = nameless.next();
            let id = match round.prompt.id(ask.id) {
                Some(id) => id.to_owned(),
                None if !is_missing(ask.id, ask.site) => continue,
                None => {
                    let id = fresh.id("");
                    draft.say(ask.site, format!("give the tool call the id `{id}`: it has none"));
                    set(draft, ask.site, &id);
                    id
                }
            };
            if let Some(answer) = answer {
                draft.say(answer.site, format!("give the tool result the id of its call, `{id}`"));
                set(draft, answer.site, &id);
                served.insert(answer.site);
            }
        }
    }
    let is_function = |site: Site| round.prompt.entry(site.message as usize).message.speaker == Speaker::Function;
    for answer in round.pairs.answers.iter().filter(|answer| is_missing(answer.id, answer.site)) {
        if !served.contains(&answer.site) && !is_function(answer.site) {
            draft.say(answer.site, "drop a tool result without an id: no call waits for it".to_owned());
            draft.drop_block(answer.site);
        }
    }
}

/// Writes ids that the API does not take in letters that it does, on call and result alike.
pub(super) fn replace(round: &Round, draft: &mut Draft) {
    let mut fresh = Fresh::of(&draft.request);
    let mut new: BTreeMap<IdNo, String> = BTreeMap::new();
    for finding in &round.findings {
        let Some(old) = finding.ids.first().copied() else { continue };
        let id = fresh.id(round.prompt.id(old).unwrap_or_default());
        let place = Place { message: finding.message, block: finding.block };
        draft.say(
            place,
            format!("rename the id {} to `{id}` in call and result: this API takes no such id", round.name(old)),
        );
        new.insert(old, id);
    }
    let asks = round.pairs.asks.iter().map(|ask| (ask.site, ask.id));
    for (site, id) in asks.chain(round.pairs.answers.iter().map(|answer| (answer.site, answer.id))) {
        if let Some(id) = new.get(&id) {
            set(draft, site, id);
        }
    }
}

/// Tells calls apart that share an id: the same call twice in one turn goes, another gets a new id with its result.
pub(super) fn part(round: &Round, draft: &mut Draft) {
    let mut fresh = Fresh::of(&draft.request);
    for group in &round.pairs.groups {
        let asks = round.pairs.asks_of(group);
        for (at, ask) in asks.iter().enumerate().filter(|(_, ask)| ask.first.is_some()) {
            let twins = || asks[..at].iter().filter(|other| other.id == ask.id);
            if twins().any(|other| draft.part(other.site) == draft.part(ask.site)) {
                draft.say(ask.site, format!("drop tool call {}: the same call stands before it", round.name(ask.id)));
                draft.drop_block(ask.site);
                continue;
            }
            rename(round, draft, &mut fresh, group, ask, twins().count());
        }
    }
}

/// Tells calls of one message apart that share an id.
pub(super) fn part_in_turns(round: &Round, draft: &mut Draft) {
    let mut fresh = Fresh::of(&draft.request);
    for group in &round.pairs.groups {
        let asks = round.pairs.asks_of(group);
        for (at, ask) in asks.iter().enumerate().filter(|(_, ask)| ask.id != IdNo::NONE) {
            let twins = asks[..at].iter().filter(|other| other.id == ask.id).count();
            if twins > 0 {
                rename(round, draft, &mut fresh, group, ask, twins);
            }
        }
    }
}

/// Responses: gives open calls whose id another call has a new one, or drops them where that is the same call; whether
/// there was any.
pub(super) fn part_open(round: &Round, draft: &mut Draft) -> bool {
    let mut fresh = Fresh::of(&draft.request);
    let mut last: BTreeMap<IdNo, &Ask> = BTreeMap::new();
    let is_done = draft.edits.len();
    for ask in round.pairs.asks.iter().rev() {
        let Some(next) = last.insert(ask.id, ask).filter(|_| ask.fate == Fate::Open) else { continue };
        if draft.part(next.site) == draft.part(ask.site) {
            draft.say(ask.site, format!("drop tool call {}: the same call stands behind it", round.name(ask.id)));
            draft.drop_block(ask.site);
            continue;
        }
        let id = fresh.id(round.prompt.id(ask.id).unwrap_or_default());
        draft
            .say(ask.site, format!("rename the id of tool call {} to `{id}`: another call has it", round.name(ask.id)));
        set(draft, ask.site, &id);
    }
    draft.edits.len() > is_done
}

/// Gives a call, of which so many before it in its turn share the id, a new one, and its result the same.
fn rename(round: &Round, draft: &mut Draft, fresh: &mut Fresh, group: &Group, ask: &Ask, nth: usize) {
    let id = fresh.id(round.prompt.id(ask.id).unwrap_or_default());
    draft.say(ask.site, format!("rename the id of tool call {} to `{id}`: another call has it", round.name(ask.id)));
    set(draft, ask.site, &id);
    let own = round.pairs.answers_of(group).iter().filter(|answer| answer.id == ask.id);
    let mut own = own.filter(|answer| matches!(answer.fit, Fit::Fits | Fit::Second(_))).map(|answer| answer.site);
    let late = if let Fate::Late(site) = ask.fate { Some(site) } else { None };
    if let Some(site) = own.nth(nth).or(late) {
        set(draft, site, &id);
    }
}
