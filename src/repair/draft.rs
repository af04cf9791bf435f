//! A request under repair: what is dropped, moved and put during one round is carried out at its end, so positions hold.

use std::collections::{BTreeMap, HashSet};
use std::mem;

use crate::judge;
use crate::model::{Api, Body, Fields, Form, Message, Part, Request};
use crate::rules::Place;
use crate::transcript::Site;

use super::Edit;

/// A block, and where the original request has it.
type Block = (Part, Option<Site>);

/// A message in blocks, and where the original request has it.
struct Row {
    message: Message,
    origin: Origin,
}

/// Where a message stood, and where each of its blocks did; `None` for what the repair made.
#[derive(Clone)]
struct Origin {
    message: Option<u32>,
    blocks: Vec<Option<Site>>,
}

/// A request under repair.
pub(super) struct Draft {
    pub request: Request,
    pub edits: Vec<Edit>,
    /// The rule that the edits of this round answer.
    pub rule: &'static str,
    origins: Vec<Origin>,
    dropped_messages: HashSet<usize>,
    dropped_blocks: HashSet<Site>,
    /// Messages to put, by the position that they come before.
    put_messages: BTreeMap<usize, Vec<Row>>,
    /// Blocks to put, by the place that they come before.
    put_blocks: BTreeMap<Site, Vec<Block>>,
}

impl Draft {
    pub fn new(request: &Request) -> Draft {
        let blocks = |message: u32, n: usize| (0..n as u32).map(|block| Some(Site { message, block })).collect();
        let origin =
            |(at, message): (u32, &Message)| Origin { message: Some(at), blocks: blocks(at, message.parts.len()) };
        Draft {
            request: request.clone(),
            edits: Vec::new(),
            rule: "",
            origins: (0..).zip(&request.messages).map(origin).collect(),
            dropped_messages: HashSet::new(),
            dropped_blocks: HashSet::new(),
            put_messages: BTreeMap::new(),
            put_blocks: BTreeMap::new(),
        }
    }

    pub fn api(&self) -> Api {
        self.request.api
    }

    /// Where the original request has each message.
    pub fn origins(&self) -> Vec<Option<u32>> {
        self.origins.iter().map(|origin| origin.message).collect()
    }

    pub fn message(&self, position: usize) -> &Message {
        &self.request.messages[position]
    }

    pub fn message_mut(&mut self, position: usize) -> &mut Message {
        &mut self.request.messages[position]
    }

    pub fn part(&self, site: Site) -> &Part {
        &self.request.messages[site.message as usize].parts[site.block as usize]
    }

    pub fn part_mut(&mut self, site: Site) -> &mut Part {
        &mut self.request.messages[site.message as usize].parts[site.block as usize]
    }

    /// Notes what is done at a place of this round, and why.
    pub fn say(&mut self, place: impl Into<Place>, why: String) {
        let place = place.into();
        let (mut message, mut block) = (None, None);
        if let Some(origin) = place.message.and_then(|position| self.origins.get(position as usize)) {
            let site = place.block.and_then(|block| origin.blocks.get(block as usize).copied().flatten());
            message = site.map(|site| site.message).or(origin.message);
            block = site.map(|site| site.block);
        }
        let path = judge::path_at(self.request.api, self.rule, message, block.filter(|_| has_blocks(self.request.api)));
        self.edits.push(Edit { rule: self.rule, path, why });
    }

    /// Whether an edit answers that rule.
    pub fn has_answered(&self, rule: &str) -> bool {
        self.edits.iter().any(|edit| edit.rule == rule)
    }

    pub fn drop_message(&mut self, position: usize) {
        self.dropped_messages.insert(position);
    }

    /// Drops a block; a message that is left with none goes too.
    pub fn drop_block(&mut self, site: Site) {
        self.dropped_blocks.insert(site);
    }

    /// Puts a message of ours before the one at a position.
    pub fn put_message(&mut self, before: usize, message: Message) {
        let origin = Origin { message: None, blocks: vec![None; message.parts.len()] };
        self.put_messages.entry(before).or_default().push(Row { message, origin });
    }

    pub fn move_message(&mut self, from: usize, before: usize) {
        let row = Row { message: self.message(from).clone(), origin: self.origins[from].clone() };
        self.drop_message(from);
        self.put_messages.entry(before).or_default().push(row);
    }

    /// Puts a block of ours before the one at a place.
    pub fn put_block(&mut self, before: Site, part: Part) {
        self.put_blocks.entry(before).or_default().push((part, None));
    }

    pub fn move_block(&mut self, from: Site, before: Site) {
        let block = self.lift(from);
        self.put_blocks.entry(before).or_default().push(block);
    }

    /// Takes blocks out of their messages into a new message before the one at a position; where they are all that one
    /// message of that role holds, it moves itself.
    pub fn move_blocks_out(&mut self, from: &[Site], before: usize, shell: Message) {
        if let Some(whole) = from.first().map(|site| site.message as usize)
            && from.iter().all(|site| site.message as usize == whole)
            && self.message(whole).parts.len() == from.len()
            && self.message(whole).role == shell.role
        {
            return self.move_message(whole, before);
        }
        let (parts, blocks) = from.iter().map(|site| self.lift(*site)).unzip();
        let row = Row { message: Message { parts, ..shell }, origin: Origin { message: None, blocks } };
        self.put_messages.entry(before).or_default().push(row);
    }

    fn lift(&mut self, from: Site) -> Block {
        let origin = self.origins[from.message as usize].blocks[from.block as usize];
        self.drop_block(from);
        (self.part(from).clone(), origin)
    }

    /// Whether anything is to be carried out.
    pub fn is_touched(&self) -> bool {
        let is_kept = self.dropped_messages.is_empty() && self.dropped_blocks.is_empty();
        !is_kept || !self.put_messages.is_empty() || !self.put_blocks.is_empty()
    }

    /// Carries out what was noted in this round.
    pub fn commit(&mut self) {
        let api = self.request.api;
        let origins = mem::take(&mut self.origins);
        let messages = mem::take(&mut self.request.messages);
        let end = messages.len();
        let mut rows = messages.into_iter().zip(origins);
        for position in 0..=end {
            for row in self.put_messages.remove(&position).unwrap_or_default() {
                self.admit(row);
            }
            let Some((message, origin)) = rows.next() else { break };
            if self.dropped_messages.contains(&position) {
                continue;
            }
            let (row, is_emptied) = self.settle(api, position as u32, Row { message, origin });
            if !is_emptied {
                self.admit(row);
            }
        }
        self.dropped_messages.clear();
        self.dropped_blocks.clear();
        self.put_blocks.clear();
    }

    fn admit(&mut self, row: Row) {
        self.request.messages.push(row.message);
        self.origins.push(row.origin);
    }

    /// A message without the blocks that go and with those that come; whether that leaves it empty.
    fn settle(&mut self, api: Api, position: u32, row: Row) -> (Row, bool) {
        let Row { mut message, origin } = row;
        let n = message.parts.len() as u32;
        let sites = |from| Site { message: position, block: from }..=Site { message: position, block: u32::MAX };
        let comes = self.put_blocks.range(sites(0)).next().is_some();
        let goes = (0..n).any(|block| self.dropped_blocks.contains(&Site { message: position, block }));
        if !comes && !goes {
            return (Row { message, origin }, false);
        }
        let (mut parts, mut blocks) = (Vec::new(), Vec::new());
        let old = mem::take(&mut message.parts).into_iter().zip(origin.blocks);
        let mut take = |(part, site): Block| {
            parts.push(part);
            blocks.push(site);
        };
        for (block, old) in (0..).zip(old) {
            let site = Site { message: position, block };
            self.put_blocks.remove(&site).into_iter().flatten().for_each(&mut take);
            if !self.dropped_blocks.contains(&site) {
                take(old);
            }
        }
        let behind: Vec<Site> = self.put_blocks.range(sites(n)).map(|(site, _)| *site).collect();
        behind.iter().filter_map(|site| self.put_blocks.remove(site)).flatten().for_each(take);
        message.parts = parts;
        message.form = form(api, &message);
        let is_emptied = message.parts.is_empty();
        (Row { message, origin: Origin { message: origin.message, blocks } }, is_emptied)
    }
}

/// Whether findings of an API name blocks.
fn has_blocks(api: Api) -> bool {
    !matches!(api, Api::OpenaiChat | Api::MistralChat | Api::OpenaiResponses)
}

/// How the content of a message can be written once its blocks have changed.
fn form(api: Api, message: &Message) -> Form {
    let is_call = |part: &Part| matches!(part.body, Body::ToolUse(_));
    let is_beside = matches!(api, Api::OpenaiChat | Api::MistralChat);
    let mut said = message.parts.iter().filter(|part| !(is_beside && is_call(part)));
    match (said.next(), said.next()) {
        (None, _) if is_beside => Form::Null,
        (Some(only), None) if message.form == Form::Text && is_bare_text(only) => Form::Text,
        _ => Form::List,
    }
}

fn is_bare_text(part: &Part) -> bool {
    matches!(part.body, Body::Text(_)) && part.extra.is_empty()
}

/// A part of one text.
pub(super) fn text(words: &str) -> Part {
    Part { body: Body::Text(words.to_owned()), extra: Fields::new() }
}
