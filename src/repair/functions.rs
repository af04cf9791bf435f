//! Function turns of Gemini: each content that calls stands behind the user's, and its responses fill the next one.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use crate::model::{Body, Fields, Message, Part, ToolResult, ToolUse};
use crate::rules::Place;
use crate::transcript::{PartFacts, PartKind, Prompt, Site, Speaker};

use super::answers::{part, shell};
use super::draft::Draft;
use super::{Round, beginnings, roles};

/// How Gemini spells the payload of a response.
const RESPONSE: [&str; 2] = ["functionResponse", "function_response"];

/// Gives every turn that calls its place and its responses.
pub(super) fn settle_turns(round: &Round, draft: &mut Draft) {
    place_calls(round, draft);
    if !draft.is_touched() {
        answer_turns(round, draft);
    }
}

/// Contents that call behind the model's own words join those; at the head of the list they go with all before a user.
fn place_calls(round: &Round, draft: &mut Draft) {
    let is_said = |position: usize| round.prompt.entry(position).message.speaker == Speaker::Assistant;
    for (position, entry) in round.prompt.entries().enumerate() {
        if entry.message.speaker != Speaker::Assistant || !entry.message.has_calls {
            continue;
        }
        let Some(before) = position.checked_sub(1) else {
            beginnings::begin_with_user(round, draft);
            return;
        };
        if is_said(before) && !round.prompt.entry(before).message.has_calls {
            draft.say(
                Place::message(position),
                "merge the calls into the content before them, which is the model's".to_owned(),
            );
            roles::append(draft, position, before);
        }
    }
}

/// A response whose call is looked for.
struct Stray {
    site: Site,
    key: Key,
}

/// What joins a call and its response: the id where both have one, else the name.
type Key = (Option<String>, String);

/// A turn that calls: the calls that nothing answers yet.
struct Turn {
    position: usize,
    open: Vec<Site>,
    /// Responses of the turn that stand in a later content than the next.
    far: Vec<Site>,
}

fn answer_turns(round: &Round, draft: &mut Draft) {
    let (mut turns, strays) = pair(&round.prompt, draft);
    let mut waiting: HashMap<Key, VecDeque<Site>> = HashMap::new();
    for stray in strays {
        waiting.entry(stray.key).or_default().push_back(stray.site);
    }
    for turn in &mut turns {
        answer(round, draft, turn, &mut waiting);
    }
    let mut left: Vec<Site> = waiting.into_values().flatten().collect();
    left.sort_unstable();
    for site in left {
        draft.say(site, "drop a function response: no call waits for it".to_owned());
        draft.drop_block(site);
    }
}

/// The turns with what they lack, and the responses that answer nothing in their own turn.
fn pair(prompt: &Prompt, draft: &Draft) -> (Vec<Turn>, Vec<Stray>) {
    let (mut turns, mut strays) = (Vec::<Turn>::new(), Vec::new());
    let mut open: Vec<(Site, Key)> = Vec::new();
    let mut asked = None;
    for (position, entry) in prompt.entries().enumerate() {
        let of_kind = |kind| (0..).zip(entry.parts).filter(move |(_, part)| part.kind == kind);
        let site = |block: u32| Site { message: position as u32, block };
        if entry.message.speaker == Speaker::Assistant {
            end(&mut turns, &mut open);
            open.extend(of_kind(PartKind::ToolUse).map(|(block, _)| (site(block), key(draft, site(block)))));
            asked = (!open.is_empty()).then_some(position);
            turns.extend(asked.map(|position| Turn { position, open: Vec::new(), far: Vec::new() }));
            continue;
        }
        for (block, _) in of_kind(PartKind::ToolResult) {
            let key = key(draft, site(block));
            match open.iter().position(|(_, call)| fits(call, &key)) {
                Some(at) => {
                    open.remove(at);
                    let is_far = asked.is_some_and(|asked| position > asked + 1);
                    turns.last_mut().filter(|_| is_far).into_iter().for_each(|turn| turn.far.push(site(block)));
                }
                None => strays.push(Stray { site: site(block), key }),
            }
        }
    }
    end(&mut turns, &mut open);
    (turns, strays)
}

/// Ends the last turn: what is open now stays so.
fn end(turns: &mut [Turn], open: &mut Vec<(Site, Key)>) {
    let left = open.drain(..).map(|(site, _)| site);
    match turns.last_mut() {
        Some(turn) => turn.open.extend(left),
        None => drop(left),
    }
}

fn fits(call: &Key, response: &Key) -> bool {
    match (&call.0, &response.0) {
        (Some(call), Some(response)) => call == response,
        _ => call.1 == response.1 || response.1.is_empty(),
    }
}

fn key(draft: &Draft, site: Site) -> Key {
    let part = draft.part(site);
    match &part.body {
        Body::ToolUse(ToolUse { id, name, .. }) => (id.clone(), name.clone()),
        Body::ToolResult(ToolResult { id, .. }) => (id.clone(), name_of(&part.extra)),
        _ => (None, String::new()),
    }
}

fn name_of(fields: &Fields) -> String {
    let payload = RESPONSE.iter().find_map(|name| fields.get(*name));
    payload.and_then(|payload| payload.get("name")?.as_str()).unwrap_or_default().to_owned()
}

/// Fills the content behind a turn: responses that stand further down are moved, calls without one get an error.
fn answer(round: &Round, draft: &mut Draft, turn: &Turn, waiting: &mut HashMap<Key, VecDeque<Site>>) {
    let mut moved = turn.far.clone();
    let mut made: Vec<(Site, String, Part)> = Vec::new();
    for call in &turn.open {
        let later = waiting.get_mut(&key(draft, *call)).and_then(|sites| {
            sites.iter().position(|site| site.message > call.message).and_then(|at| sites.remove(at))
        });
        match later {
            Some(site) => moved.push(site),
            None => {
                let asked = draft.part(*call).clone();
                let Body::ToolUse(said) = &asked.body else { continue };
                made.push((*call, said.name.clone(), part(draft.api(), &asked, said)));
            }
        }
    }
    if moved.is_empty() && made.is_empty() {
        return;
    }
    for site in &moved {
        draft.say(*site, "move the function response right behind its call".to_owned());
    }
    let next = turn.position + 1;
    let is_answered = (next < round.prompt.len())
        .then(|| round.prompt.entry(next).message)
        .is_some_and(|message| message.has_results && message.speaker != Speaker::Assistant);
    let results = |parts: &[PartFacts]| {
        parts.iter().rposition(|part| part.kind == PartKind::ToolResult).map_or(0, |last| last + 1)
    };
    let can_make = is_answered || moved.is_empty();
    for (call, name, _) in made.iter().filter(|_| can_make) {
        draft.say(*call, format!("answer the call of `{name}` with an error: no response to it is there"));
    }
    let made = made.into_iter().map(|(_, _, part)| part);
    if is_answered {
        let before = Site { message: next as u32, block: results(round.prompt.entry(next).parts) as u32 };
        moved.iter().for_each(|site| draft.move_block(*site, before));
        made.for_each(|part| draft.put_block(before, part));
    } else if moved.is_empty() {
        draft.put_message(next, Message { parts: made.collect(), ..shell() });
    } else {
        // What was made comes into this content in the next round.
        draft.move_blocks_out(&moved, next, shell());
    }
}

/// Names responses after the calls that they answer.
pub(super) fn name_responses(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        let Some(before) = (site.message as usize).checked_sub(1) else { continue };
        let responses = round.prompt.entry(site.message as usize).parts.iter().take(site.block as usize);
        let nth = responses.filter(|part| part.kind == PartKind::ToolResult).count();
        let (id, _) = key(draft, site);
        let calls = || {
            draft.message(before).parts.iter().filter_map(|part| match &part.body {
                Body::ToolUse(call) => Some(call),
                _ => None,
            })
        };
        let call = calls().find(|call| id.is_some() && call.id == id).or_else(|| calls().nth(nth));
        let Some(name) = call.map(|call| call.name.clone()).filter(|name| !name.is_empty()) else { continue };
        let fields = &mut draft.part_mut(site).extra;
        let payload = RESPONSE.into_iter().find(|name| fields.contains_key(*name)).unwrap_or(RESPONSE[0]);
        if let Some(payload) = fields.get_mut(payload).and_then(Value::as_object_mut) {
            payload.insert("name".to_owned(), name.clone().into());
            draft.say(site, format!("name the response after its call, `{name}`"));
        }
    }
}
