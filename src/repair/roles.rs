//! Who says what: roles that an API does not know, system messages inside the list, blocks under the wrong role, and
//! neighbours of one role.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{Api, Body, Fields, Form, Message, Part, Role, ToolResult};
use crate::rules::Place;
use crate::transcript::{PartKind, Site, Speaker};

use super::Round;
use super::draft::{Draft, text};

/// Writes a role in the API's own words, where what the message holds or is called tells which is meant.
pub(super) fn name_roles(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        read_result(draft.message_mut(position));
        let Some(role) = meant(draft.api(), draft.message(position)) else { continue };
        let is_model = role == Role::Assistant && draft.api() == Api::GeminiGenerateContent;
        let name = if is_model { "model" } else { role.as_str() };
        draft.say(
            Place::message(position),
            format!("give the message the role `{name}`: this API does not know its own"),
        );
        draft.message_mut(position).role = role;
    }
}

/// Reads a result that is written as OpenAI Chat writes it.
fn read_result(message: &mut Message) {
    if message.role != Role::Tool || message.parts.len() != 1 {
        return;
    }
    if let Some(Value::String(id)) = message.extra.shift_remove("tool_call_id") {
        let (form, content) = (std::mem::replace(&mut message.form, Form::List), std::mem::take(&mut message.parts));
        let result = ToolResult { id: Some(id), form, content, is_error: false };
        message.parts = vec![Part { body: Body::ToolResult(result), extra: Fields::new() }];
    }
}

fn meant(api: Api, message: &Message) -> Option<Role> {
    let holds = |wanted: fn(&Body) -> bool| message.parts.iter().any(|part| wanted(&part.body));
    if holds(|body| matches!(body, Body::ToolUse(_))) {
        return Some(Role::Assistant);
    }
    if holds(|body| matches!(body, Body::ToolResult(_))) && !matches!(api, Api::OpenaiChat | Api::MistralChat) {
        return Some(Role::User);
    }
    match message.role.as_str() {
        "assistant" | "model" | "ai" | "bot" => Some(Role::Assistant),
        "user" | "human" => Some(Role::User),
        "developer" if api == Api::AnthropicMessages => Some(Role::System),
        _ => None,
    }
}

/// Says system messages where the target takes them: outside the list, first in it, or as the user's.
pub(super) fn move_system(round: &Round, draft: &mut Draft) {
    let is_system = |speaker| matches!(speaker, Speaker::System | Speaker::Developer);
    let first = round.prompt.entries().position(|entry| !is_system(entry.message.speaker)).unwrap_or(0);
    let is_refused = round.findings.first().is_some_and(|finding| finding.rule == "system_role_not_supported");
    for position in round.messages() {
        let place = Place::message(position);
        if draft.api() == Api::AnthropicMessages {
            draft.say(place, "say the system message in `system`: this model takes none there in the list".to_owned());
            hoist(draft, position);
        } else if is_refused {
            draft.say(place, "give the message the role `user`: this model takes no system message".to_owned());
            draft.message_mut(position).role = Role::User;
        } else {
            draft.say(place, "move the system message to the front of the list".to_owned());
            draft.move_message(position, first);
        }
    }
}

/// Moves what a message says to the end of the system text.
fn hoist(draft: &mut Draft, position: usize) {
    let said = draft.message(position).parts.clone();
    let system = &mut draft.request.system;
    if system.form == Form::Absent && said.len() == 1 && is_bare(&said[0]) {
        system.form = Form::Text;
    } else {
        system.form = Form::List;
    }
    system.parts.extend(said);
    draft.drop_message(position);
}

fn is_bare(part: &Part) -> bool {
    matches!(part.body, Body::Text(_)) && part.extra.is_empty()
}

/// Moves calls to the assistant and results to the user.
pub(super) fn move_blocks(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let entry = round.prompt.entry(position);
        let (kind, role) = match entry.message.speaker {
            Speaker::Assistant => (PartKind::ToolResult, Role::User),
            _ => (PartKind::ToolUse, Role::Assistant),
        };
        let blocks = (0..).zip(entry.parts).filter(|(_, part)| part.kind == kind);
        let sites: Vec<Site> = blocks.map(|(block, _)| Site { message: position as u32, block }).collect();
        let speaks = |at: Option<usize>, speaker| {
            at.filter(|at| *at < round.prompt.len() && round.prompt.entry(*at).message.speaker == speaker)
        };
        if sites.len() == entry.parts.len() {
            draft.say(
                Place::message(position),
                format!("give the message the role that its blocks need, {}", role.as_str()),
            );
            draft.message_mut(position).role = role;
            continue;
        }
        for site in &sites {
            draft.say(*site, format!("move the block into a message of the role {}", role.as_str()));
        }
        let shell = Message { role: role.clone(), ..super::answers::shell() };
        match role {
            Role::User => match speaks(Some(position + 1), Speaker::User) {
                Some(next) => {
                    sites.iter().for_each(|site| draft.move_block(*site, Site { message: next as u32, block: 0 }))
                }
                None => draft.move_blocks_out(&sites, position + 1, shell),
            },
            _ => match speaks(position.checked_sub(1), Speaker::Assistant) {
                Some(before) => {
                    let end = Site { message: before as u32, block: round.prompt.entry(before).parts.len() as u32 };
                    sites.iter().for_each(|site| draft.move_block(*site, end));
                }
                None => draft.move_blocks_out(&sites, position, shell),
            },
        }
    }
}

/// Merges messages into the one of the same role right before them.
pub(super) fn merge(round: &Round, draft: &mut Draft) {
    let mut into: BTreeMap<usize, usize> = BTreeMap::new();
    for position in round.messages() {
        let Some(before) = position.checked_sub(1) else { continue };
        let speaker = |at: usize| round.prompt.entry(at).message.speaker;
        let is_mergeable = |at: usize| {
            let message = draft.message(at);
            matches!(message.form, Form::Text | Form::List) && !message.parts.is_empty() && message.extra.is_empty()
        };
        if speaker(before) == speaker(position) && is_mergeable(before) && is_mergeable(position) {
            let first = into.get(&before).copied().unwrap_or(before);
            into.insert(position, first);
            draft
                .say(Place::message(position), "merge the message into the one before it, of the same role".to_owned());
            append(draft, position, first);
        }
    }
}

/// Appends what a message says to an earlier one.
pub(super) fn append(draft: &mut Draft, position: usize, first: usize) {
    let is_chat = matches!(draft.api(), Api::OpenaiChat | Api::MistralChat);
    if let (true, Some(begun), Some(rest)) = (is_chat, said(draft.message(first)), said(draft.message(position))) {
        let joined = format!("{begun}\n\n{rest}");
        draft.message_mut(first).parts = vec![text(&joined)];
        draft.drop_message(position);
        return;
    }
    let end = Site { message: first as u32, block: draft.message(first).parts.len() as u32 };
    for block in 0..draft.message(position).parts.len() as u32 {
        draft.move_block(Site { message: position as u32, block }, end);
    }
}

/// What a message says whose content is a bare string.
fn said(message: &Message) -> Option<&str> {
    match message.parts.as_slice() {
        [Part { body: Body::Text(text), .. }] if message.form == Form::Text => Some(text),
        _ => None,
    }
}
