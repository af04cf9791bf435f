//! The order of blocks inside a message: thinking, then words, then calls; results before anything else.

use crate::rules::Place;
use crate::transcript::pairs::Fit;
use crate::transcript::{PartKind, Site};

use super::Round;
use super::draft::Draft;

/// Puts the results of a turn first, all into the message in which the turn is answered.
pub(super) fn put_results_first(round: &Round, draft: &mut Draft) {
    let at_fault = round.messages();
    for group in &round.pairs.groups {
        let run = group.run.start as usize..group.run.end as usize;
        if !at_fault.iter().any(|position| run.contains(position)) {
            continue;
        }
        let fits = round.pairs.answers_of(group).iter().filter(|answer| answer.fit == Fit::Fits);
        let first = round.prompt.entry(run.start).parts;
        let leading = first.iter().take_while(|part| part.kind == PartKind::ToolResult).count() as u32;
        let before = Site { message: group.run.start, block: leading };
        for answer in fits.filter(|answer| answer.site >= before) {
            draft.say(
                answer.site,
                format!("move tool result {} in front of what is said beside it", round.name(answer.id)),
            );
            draft.move_block(answer.site, before);
        }
    }
}

/// Puts what the assistant says before what it calls.
pub(super) fn put_text_first(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let parts = round.prompt.entry(position).parts;
        let Some(call) = parts.iter().position(|part| part.kind == PartKind::ToolUse) else { continue };
        let before = Site { message: position as u32, block: call as u32 };
        for (block, _) in parts.iter().enumerate().skip(call).filter(|(_, part)| part.kind == PartKind::Text) {
            let site = Site { block: block as u32, ..before };
            draft.say(site, "move the text in front of the calls".to_owned());
            draft.move_block(site, before);
        }
    }
}

/// Puts thinking before all else.
pub(super) fn put_thinking_first(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let before = Site { message: position as u32, block: 0 };
        let parts = round.prompt.entry(position).parts;
        for (block, _) in (0..).zip(parts).filter(|(_, part)| part.kind == PartKind::Thinking) {
            let site = Site { block, ..before };
            draft.say(site, "move the thinking to the front of its message".to_owned());
            draft.move_block(site, before);
        }
    }
}

/// Puts text that may not stand beside results into a message of its own behind them: who said it says it still.
pub(super) fn part_text_from_results(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let parts = round.prompt.entry(position).parts;
        let texts = (0..).zip(parts).filter(|(_, part)| part.kind == PartKind::Text);
        let sites: Vec<Site> = texts.map(|(block, _)| Site { message: position as u32, block }).collect();
        draft.say(
            Place::message(position),
            "move the text into a message of its own behind the results: this model takes none beside them".to_owned(),
        );
        draft.move_blocks_out(&sites, position + 1, super::answers::shell());
    }
}
