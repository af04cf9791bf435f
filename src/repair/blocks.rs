//! Blocks and messages that say nothing, and what may not stand in a failed result.

use crate::model::{Body, Form};
use crate::rules::Place;
use crate::transcript::Site;

use super::Round;
use super::draft::Draft;

/// Drops blocks that say nothing, and messages where they say nothing at all.
pub(super) fn drop_empty(round: &Round, draft: &mut Draft) {
    for finding in &round.findings {
        let Some(message) = finding.message else {
            drop_empty_system(draft);
            continue;
        };
        let place = Place { message: Some(message), block: finding.block };
        match finding.block {
            Some(block) => {
                draft.say(place, "drop a block that says nothing".to_owned());
                draft.drop_block(Site { message, block });
            }
            None => {
                draft.say(place, "drop a message that says nothing".to_owned());
                draft.drop_message(message as usize);
            }
        }
    }
}

fn drop_empty_system(draft: &mut Draft) {
    draft.say(Place::REQUEST, "drop an empty block of the system text".to_owned());
    let system = &mut draft.request.system;
    system.parts.retain(|part| !matches!(&part.body, Body::Text(text) if text.is_empty()));
    if system.parts.is_empty() {
        system.form = Form::Absent;
    }
}

/// Keeps of a failed result its text.
pub(super) fn keep_text_of_errors(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        draft.say(site, "keep only the text of a failed result".to_owned());
        if let Body::ToolResult(result) = &mut draft.part_mut(site).body {
            result.content.retain(|part| matches!(part.body, Body::Text(_)));
            if result.content.is_empty() {
                result.form = Form::Absent;
            }
        }
    }
}
