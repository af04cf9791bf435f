//! Items of OpenAI Responses: reasoning and what it led to, ids of their own, and words between calls and outputs.

use serde_json::Value;

use crate::model::{Body, Fields, Message};
use crate::rules::Place;
use crate::transcript::{Marks, PartKind};

use super::Round;
use super::draft::Draft;

/// Drops reasoning whose item is gone, and all reasoning right before it.
pub(super) fn drop_dangling(round: &Round, draft: &mut Draft) {
    let is_reasoning = |position: &usize| round.prompt.entry(*position).message.marks.has(Marks::REASONING);
    for at in round.messages() {
        for position in (0..=at).rev().take_while(is_reasoning) {
            draft.say(Place::message(position), "drop a reasoning item: what it led to is gone".to_owned());
            draft.drop_message(position);
        }
    }
}

/// Sends items once: a copy goes, another item under the same id goes without it.
pub(super) fn send_once(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let entry = round.prompt.entry(position);
        let is_twin = |before: &usize| round.prompt.entry(*before).message.item == entry.message.item;
        let first = (0..position).find(is_twin);
        let is_copy = first.is_some_and(|first| draft.message(first) == draft.message(position));
        if is_copy || entry.message.marks.has(Marks::REASONING) {
            draft.say(Place::message(position), "drop an item that stands in the list before".to_owned());
            draft.drop_message(position);
        } else if forget(draft.message_mut(position)) {
            draft.say(Place::message(position), "leave out the id of an item: another item has it".to_owned());
        }
    }
}

/// Leaves out ids that the server would not recognise.
pub(super) fn forget_ids(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        if forget(draft.message_mut(position)) {
            draft.say(Place::message(position), "leave out the id of an item: the server would not take it".to_owned());
        }
    }
}

/// Takes the id off an item; whether it had one.
fn forget(item: &mut Message) -> bool {
    fields(item).is_some_and(|fields| fields.shift_remove("id").is_some())
}

/// The members of an item beside what is understood.
fn fields(item: &mut Message) -> Option<&mut Fields> {
    if !item.extra.is_empty() {
        return Some(&mut item.extra);
    }
    match item.parts.as_mut_slice() {
        [only] => match &mut only.body {
            Body::Other(Value::Object(fields)) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

/// Adds the summary that a reasoning item must have.
pub(super) fn add_summary(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        draft.say(Place::message(position), "add the summary that a reasoning item must have, empty".to_owned());
        draft.message_mut(position).extra.insert("summary".to_owned(), Value::Array(Vec::new()));
    }
}

/// Moves what stands between calls and their outputs in front of the calls.
pub(super) fn move_words_before_calls(round: &Round, draft: &mut Draft) {
    let kind = |position: usize| round.prompt.entry(position).parts.first().map(|part| part.kind);
    let is_reasoning = |position: usize| round.prompt.entry(position).message.marks.has(Marks::REASONING);
    for last in round.messages() {
        let is_step = |position: &usize| kind(*position) == Some(PartKind::ToolUse) || is_reasoning(*position);
        let first = (0..=last).rev().take_while(is_step).last().unwrap_or(last);
        let is_between = |position: &usize| !matches!(kind(*position), Some(PartKind::ToolUse | PartKind::ToolResult));
        let between = (last + 1..round.prompt.len()).take_while(is_between);
        for position in between.filter(|position| !is_reasoning(*position)) {
            draft.say(Place::message(position), "move what stands behind a call in front of the calls".to_owned());
            draft.move_message(position, first);
        }
    }
}
