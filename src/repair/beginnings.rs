//! How a list begins and how it ends.

use crate::model::Body;
use crate::rules::Place;
use crate::transcript::prompt::Entry;
use crate::transcript::{PartKind, Prompt, Site, Speaker};

use super::Round;
use super::draft::Draft;

/// Drops what stands before the first thing a user says, system messages aside, if a user says anything.
pub(super) fn begin_with_user(round: &Round, draft: &mut Draft) {
    let Some(first) = first_said(&round.prompt) else { return };
    for position in 0..first {
        if !matches!(round.prompt.entry(position).message.speaker, Speaker::System | Speaker::Developer) {
            draft.say(Place::message(position), "drop a message before the first thing that the user says".to_owned());
            draft.drop_message(position);
        }
    }
}

/// The first message of a user that says more than results; those lose their calls, and go when they are orphans.
fn first_said(prompt: &Prompt) -> Option<usize> {
    let says = |entry: &Entry| entry.parts.iter().any(|part| part.kind != PartKind::ToolResult);
    prompt.entries().position(|entry| entry.message.speaker == Speaker::User && says(&entry))
}

/// Drops what the assistant says at the end, as far as nothing waits for it.
pub(super) fn drop_prefill(round: &Round, draft: &mut Draft) {
    let is_said = |position: &usize| {
        let message = round.prompt.entry(*position).message;
        message.speaker == Speaker::Assistant && !message.has_calls
    };
    for position in (0..round.prompt.len()).rev().take_while(is_said) {
        draft.say(
            Place::message(position),
            "drop the assistant's last message: this model does not go on with it".to_owned(),
        );
        draft.drop_message(position);
    }
}

/// Trims the text that ends the list.
pub(super) fn trim_end(round: &Round, draft: &mut Draft) {
    for finding in &round.findings {
        let Some((message, block)) = finding.message.zip(finding.block) else { continue };
        let site = Site { message, block };
        draft.say(site, "trim the white space at the end of the assistant's text".to_owned());
        if let Body::Text(text) = &mut draft.part_mut(site).body {
            text.truncate(text.trim_end().len());
        }
    }
}
