//! Which result answers which call inside one prompt, as the provider pairs them: by id and adjacency.
//!
//! The calls of one turn are a group; results fit when they stand in the run of messages right behind it. Anthropic
//! merges neighbouring messages of one role, so its groups and runs may span several; Chat wants each result as a tool
//! message directly behind its assistant message; Responses takes a result anywhere behind its call. Ids repeat in real sessions, so an id is never looked up beyond its
//! group, except to say of a result that came too late which open call it meant.
//! One walk, linear in the number of parts.

use std::ops::Range;

use crate::model::Api;

use super::prompt::{Entry, Prompt, Site};
use super::{IdNo, Marks, PartFacts, PartKind, Speaker};

/// A tool use and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    pub site: Site,
    pub id: IdNo,
    pub legacy: bool,
    pub fate: Fate,
    /// The first ask of the prompt with this id, if that is another one.
    pub first: Option<u32>,
    /// The youngest ask with this id before this one that was open when this one was made.
    below: Option<u32>,
    group: u32,
}

/// What became of a tool use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A result for it stands in the run behind it.
    Answered,
    /// Its result stands further down.
    Late(Site),
    /// No result for it stands anywhere.
    Open,
    /// A message whose role the API does not know stands where its results belong.
    Veiled,
}

/// A tool result and how it fits.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub site: Site,
    pub id: IdNo,
    pub fit: Fit,
}

/// How a tool result fits the calls before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It answers a call of the group it follows.
    Fits,
    /// Its call was answered before, inside the same run, at that site.
    Second(Site),
    /// It answers a call of an earlier group (an index of [`Pairs::asks`]).
    Late(u32),
    /// No open call has its id.
    Orphan,
}

/// The tool uses of one turn and the messages that may answer them.
#[derive(Clone, Debug)]
pub struct Group {
    pub asks: Range<u32>,
    pub answers: Range<u32>,
    /// The messages right behind the turn that may hold results; empty where another role follows or nothing.
    pub run: Range<u32>,
    /// Nothing stands behind the turn.
    pub trailing: bool,
}

/// All calls and results of one prompt, paired.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// In the order of the prompt.
    pub asks: Vec<Ask>,
    /// In the order of the prompt.
    pub answers: Vec<Answer>,
    /// Turns that ask, in the order of the prompt.
    pub groups: Vec<Group>,
}

impl Pairs {
    /// The pairs of a prompt.
    pub fn of(prompt: &Prompt) -> Pairs {
        if prompt.api() == Api::OpenaiResponses {
            return by_id(prompt);
        }
        let mut walk = Walk::new(prompt);
        for (position, entry) in prompt.entries().enumerate() {
            walk.admit(position as u32, entry);
        }
        walk.end()
    }

    /// The asks of a group.
    pub fn asks_of(&self, group: &Group) -> &[Ask] {
        &self.asks[group.asks.start as usize..group.asks.end as usize]
    }

    /// The results in the run of a group.
    pub fn answers_of(&self, group: &Group) -> &[Answer] {
        &self.answers[group.answers.start as usize..group.answers.end as usize]
    }
}

/// The pairs of a list whose results stand anywhere behind their calls: each call is a group of its own.
fn by_id(prompt: &Prompt) -> Pairs {
    let mut pairs = Pairs::default();
    // What the server keeps may hold either side of a pair, and a mask joins nothing.
    let envelope = prompt.envelope();
    let refers = || prompt.entries().any(|entry| entry.message.marks.has(Marks::REFERENCE));
    let is_masked = || prompt.entries().any(|entry| entry.parts.iter().any(|part| part.marks.has(Marks::MASKED_ID)));
    if envelope.previous_response || envelope.conversation || refers() || is_masked() {
        return pairs;
    }
    let mut youngest = vec![NO_ASK; prompt.n_ids()];
    // What has no id is no orphan: it answers, or is answered by, one that nothing else pairs with.
    let (mut nameless_asks, mut nameless_answers) = (0, 0);
    for (position, entry) in (0..).zip(prompt.entries()) {
        for (block, part) in calls(&entry) {
            let (asks, answers) = (pairs.asks.len() as u32, pairs.answers.len() as u32);
            let ask = Ask {
                site: Site { message: position, block },
                id: part.id,
                legacy: false,
                fate: if part.id == IdNo::NONE { Fate::Answered } else { Fate::Open },
                first: slot(part.id).and_then(|slot| known(youngest[slot])),
                below: None,
                group: pairs.groups.len() as u32,
            };
            match slot(part.id) {
                Some(slot) => youngest[slot] = asks,
                None => nameless_asks += 1,
            }
            pairs.asks.push(ask);
            let run = position + 1..position + 1;
            pairs.groups.push(Group { asks: asks..asks + 1, answers: answers..answers, run, trailing: false });
        }
        for (block, part) in results(&entry) {
            let ask = slot(part.id).and_then(|slot| known(youngest[slot]));
            if let Some(index) = ask {
                pairs.asks[index as usize].fate = Fate::Answered;
            }
            let fit = match slot(part.id) {
                Some(_) if ask.is_some() => Fit::Fits,
                Some(_) if nameless_asks > 0 => {
                    nameless_asks -= 1;
                    Fit::Fits
                }
                Some(_) => Fit::Orphan,
                None => {
                    nameless_answers += 1;
                    Fit::Fits
                }
            };
            pairs.answers.push(Answer { site: Site { message: position, block }, id: part.id, fit });
        }
    }
    for ask in pairs.asks.iter_mut().filter(|ask| ask.fate == Fate::Open).take(nameless_answers) {
        ask.fate = Fate::Answered;
    }
    pairs
}

/// What a message does for pairing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Asks,
    Answers,
    Apart,
    /// Its role is unknown to the API.
    Veil,
}

fn part_of(api: Api, speaker: Speaker) -> Part {
    match (api, speaker) {
        (_, Speaker::Assistant) => Part::Asks,
        (Api::AnthropicMessages | Api::BedrockConverse, Speaker::User) => Part::Answers,
        (Api::GeminiGenerateContent, Speaker::User | Speaker::Unknown | Speaker::Function) => Part::Answers,
        (_, Speaker::Tool | Speaker::Function) if api != Api::AnthropicMessages => Part::Answers,
        (Api::AnthropicMessages, Speaker::System) => Part::Apart,
        (Api::AnthropicMessages, _) | (_, Speaker::Unknown) => Part::Veil,
        _ => Part::Apart,
    }
}

const NO_ASK: u32 = u32::MAX;

/// The walk over a prompt.
struct Walk<'a> {
    prompt: Prompt<'a>,
    pairs: Pairs,
    last: Part,
    /// Whether the last group may still gain results (or, where messages merge, calls).
    is_open: bool,
    /// By id: the youngest ask not answered yet, the first ask, and the last result that fitted.
    youngest: Vec<u32>,
    first: Vec<u32>,
    fitted: Vec<u32>,
    /// Where to go on looking for a call without id in the open group.
    nameless_from: u32,
    /// Results without id in the open run.
    nameless: u32,
}

impl<'a> Walk<'a> {
    fn new(prompt: &Prompt<'a>) -> Walk<'a> {
        let none = vec![NO_ASK; prompt.n_ids()];
        Walk {
            prompt: *prompt,
            pairs: Pairs::default(),
            last: Part::Apart,
            is_open: false,
            youngest: none.clone(),
            first: none.clone(),
            fitted: none,
            nameless_from: 0,
            nameless: 0,
        }
    }

    fn admit(&mut self, position: u32, entry: Entry) {
        let part = part_of(self.prompt.api(), entry.message.speaker);
        match part {
            Part::Asks if entry.message.has_calls => self.ask(position, &entry),
            Part::Asks if self.last == Part::Asks && self.merges() => {}
            Part::Asks | Part::Apart => self.close(),
            Part::Answers => self.answer(position, &entry),
            Part::Veil => {
                self.veil();
                self.close();
            }
        }
        self.last = part;
    }

    fn merges(&self) -> bool {
        matches!(self.prompt.api(), Api::AnthropicMessages | Api::BedrockConverse)
    }

    fn ask(&mut self, position: u32, entry: &Entry) {
        if !(self.is_open && self.merges() && self.last == Part::Asks) {
            self.close();
            self.open();
        }
        let group = self.pairs.groups.len() as u32 - 1;
        for (block, part) in calls(entry) {
            let index = self.pairs.asks.len() as u32;
            let mut ask = Ask {
                site: Site { message: position, block },
                id: part.id,
                legacy: part.legacy,
                fate: Fate::Open,
                first: None,
                below: None,
                group,
            };
            if let Some(slot) = slot(part.id) {
                ask.first = known(self.first[slot]);
                ask.below = self.open_ask(slot);
                self.first[slot] = self.first[slot].min(index);
                self.youngest[slot] = index;
            }
            self.pairs.asks.push(ask);
        }
        let asked = self.pairs.asks.len() as u32;
        let group = &mut self.pairs.groups[group as usize];
        group.asks.end = asked;
        group.run = position + 1..position + 1;
    }

    fn open(&mut self) {
        let (asks, answers) = (self.pairs.asks.len() as u32, self.pairs.answers.len() as u32);
        self.pairs.groups.push(Group { asks: asks..asks, answers: answers..answers, run: 0..0, trailing: false });
        self.is_open = true;
        self.nameless_from = asks;
        self.nameless = 0;
    }

    fn answer(&mut self, position: u32, entry: &Entry) {
        let is_legacy = entry.message.speaker == Speaker::Function;
        for (block, part) in results(entry) {
            let site = Site { message: position, block };
            let fit = match slot(part.id) {
                None => self.fit_nameless(is_legacy),
                Some(slot) => self.fit(slot, site),
            };
            self.pairs.answers.push(Answer { site, id: part.id, fit });
        }
        if let Some(group) = self.pairs.groups.last_mut().filter(|_| self.is_open) {
            // Behind a merged turn the run begins at its first user message.
            if group.run.is_empty() {
                group.run.start = position;
            }
            group.run.end = position + 1;
            group.answers.end = self.pairs.answers.len() as u32;
        }
    }

    /// How a result with an id fits.
    fn fit(&mut self, slot: usize, site: Site) -> Fit {
        let answer = self.pairs.answers.len() as u32;
        let group = self.pairs.groups.len() as u32;
        let candidate = self.open_ask(slot);
        if let Some(index) = candidate
            && self.is_open
            && self.pairs.asks[index as usize].group + 1 == group
        {
            self.pairs.asks[index as usize].fate = Fate::Answered;
            self.fitted[slot] = answer;
            return Fit::Fits;
        }
        if let Some(first) = self.fitted_in_run(slot) {
            return Fit::Second(first);
        }
        if let Some(index) = self.nameless_ask(false) {
            self.pairs.asks[index as usize].fate = Fate::Answered;
            return Fit::Fits;
        }
        match candidate {
            Some(index) => {
                self.pairs.asks[index as usize].fate = Fate::Late(site);
                Fit::Late(index)
            }
            None => Fit::Orphan,
        }
    }

    /// The site of a result with that id that fitted in the open run.
    fn fitted_in_run(&self, slot: usize) -> Option<Site> {
        let index = known(self.fitted[slot]).filter(|_| self.is_open)?;
        let group = self.pairs.groups.last()?;
        (index >= group.answers.start).then(|| self.pairs.answers[index as usize].site)
    }

    /// A result without id answers a call without id; else it waits for a call that nobody else answers.
    fn fit_nameless(&mut self, is_legacy: bool) -> Fit {
        if !self.is_open {
            return Fit::Orphan;
        }
        match self.nameless_ask(is_legacy) {
            Some(index) => self.pairs.asks[index as usize].fate = Fate::Answered,
            None if is_legacy => return Fit::Orphan,
            None => self.nameless += 1,
        }
        Fit::Fits
    }

    /// The next open call without id of the open group.
    fn nameless_ask(&mut self, legacy: bool) -> Option<u32> {
        if !self.is_open {
            return None;
        }
        let wanted = |ask: &Ask| ask.id == IdNo::NONE && ask.legacy == legacy && ask.fate == Fate::Open;
        if legacy {
            let group = self.pairs.groups.last()?;
            return group.asks.clone().next_back().filter(|last| wanted(&self.pairs.asks[*last as usize]));
        }
        let rest = self.pairs.asks[self.nameless_from as usize..].iter().position(wanted);
        let found = rest.map(|steps| self.nameless_from + steps as u32);
        self.nameless_from = found.map_or(self.pairs.asks.len() as u32, |index| index + 1);
        found
    }

    /// The youngest open ask with that id.
    fn open_ask(&mut self, slot: usize) -> Option<u32> {
        while let Some(index) = known(self.youngest[slot]) {
            let ask = &self.pairs.asks[index as usize];
            if ask.fate == Fate::Open {
                return Some(index);
            }
            self.youngest[slot] = ask.below.unwrap_or(NO_ASK);
        }
        None
    }

    fn veil(&mut self) {
        if let Some(group) = self.pairs.groups.last().filter(|group| self.is_open && group.run.is_empty()) {
            for ask in &mut self.pairs.asks[group.asks.start as usize..group.asks.end as usize] {
                ask.fate = Fate::Veiled;
            }
        }
    }

    fn end(mut self) -> Pairs {
        if let Some(group) = self.pairs.groups.last_mut().filter(|_| self.is_open) {
            group.trailing = group.run.is_empty();
        }
        self.close();
        self.pairs
    }

    /// Ends the open group: one result is enough for all its calls of one id, and a result without id answers the first
    /// call that is still open.
    fn close(&mut self) {
        if !self.is_open {
            return;
        }
        self.is_open = false;
        let Some(group) = self.pairs.groups.last() else { return };
        for index in group.asks.start as usize..group.asks.end as usize {
            let ask = &self.pairs.asks[index];
            let is_named = slot(ask.id).and_then(|slot| known(self.fitted[slot]));
            if ask.fate != Fate::Open {
                continue;
            }
            if is_named.is_some_and(|answer| answer >= group.answers.start) {
                self.pairs.asks[index].fate = Fate::Answered;
            } else if self.nameless > 0 && !ask.legacy {
                self.nameless -= 1;
                self.pairs.asks[index].fate = Fate::Answered;
            }
        }
    }
}

fn slot(id: IdNo) -> Option<usize> {
    (id != IdNo::NONE).then_some(id.0 as usize)
}

fn known(index: u32) -> Option<u32> {
    (index != NO_ASK).then_some(index)
}

fn calls<'a>(entry: &Entry<'a>) -> impl Iterator<Item = (u32, &'a PartFacts)> + use<'a> {
    of_kind(entry, PartKind::ToolUse)
}

fn results<'a>(entry: &Entry<'a>) -> impl Iterator<Item = (u32, &'a PartFacts)> + use<'a> {
    of_kind(entry, PartKind::ToolResult)
}

fn of_kind<'a>(entry: &Entry<'a>, kind: PartKind) -> impl Iterator<Item = (u32, &'a PartFacts)> + use<'a> {
    (0..).zip(entry.parts).filter(move |(_, part)| part.kind == kind)
}
