//! Images under a role that takes none.

use crate::model::{Body, Form, Message, Part};
use crate::rules::Place;
use crate::transcript::{PartKind, Site, Speaker};

use super::Round;
use super::answers::shell;
use super::draft::Draft;

/// Moves images of Chat into a user message: behind the results that a tool's stand among.
pub(super) fn move_to_user(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let is_tool = |position: &usize| round.prompt.entry(*position).message.speaker == Speaker::Tool;
        let behind = (position..round.prompt.len()).take_while(is_tool).last().unwrap_or(position) + 1;
        draft.say(Place::message(position), "move the image into a user message: this role takes none".to_owned());
        let mut images = Vec::new();
        if let [Part { body: Body::ToolResult(result), .. }] = draft.message_mut(position).parts.as_mut_slice() {
            images.extend(result.content.extract_if(.., |part| matches!(part.body, Body::Image(_))));
            if result.content.is_empty() {
                result.form = Form::Text;
            }
            draft.put_message(behind, Message { parts: images, ..shell() });
            continue;
        }
        let blocks = (0..).zip(round.prompt.entry(position).parts).filter(|(_, part)| part.kind == PartKind::Image);
        let sites: Vec<Site> = blocks.map(|(block, _)| Site { message: position as u32, block }).collect();
        draft.move_blocks_out(&sites, behind, shell());
    }
}
