//! Images under a role that takes none.

use crate::model::{Body, Form, Part};
use crate::rules::Place;
use crate::transcript::Speaker;

use super::answers::shell;
use super::draft::Draft;
use super::Round;

/// Moves images of Chat into a user message: behind the results that a tool's stand among.
pub(super) fn move_to_user(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let is_tool = |position: &usize| round.prompt.entry(*position).message.speaker == Speaker::Tool;
        let behind = (position..round.prompt.len()).take_while(is_tool).last().unwrap_or(position) + 1;
        draft.say(Place::message(position), "move the image into a user message: this role takes none".to_owned());
        let message = draft.message_mut(position);
        let mut images = Vec::new();
        if let [Part { body: Body::ToolResult(result), .. }] = message.parts.as_mut_slice() {
            images.extend(result.content.extract_if(.., |part| matches!(part.body, Body::Image(_))));
            if result.content.is_empty() {
                (result.form, message.form) = (Form::Text, Form::Text);
            }
        } else {
            images.extend(message.parts.extract_if(.., |part| matches!(part.body, Body::Image(_))));
        }
        draft.put_message(behind, crate::model::Message { parts: images, ..shell() });
    }
}
