//! Cache marks of Anthropic: where they may stand, how many, and in which order of life.

use serde_json::Value;

use crate::model::Fields;
use crate::rules::Place;
use crate::transcript::{Marks, Site};

use super::Round;
use super::draft::Draft;

const MARK: &str = "cache_control";

/// The most marks that a request may hold.
const MOST: usize = 4;

/// Takes marks off thinking.
pub(super) fn drop_on_thinking(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        draft.say(site, "take the cache mark off thinking".to_owned());
        draft.part_mut(site).extra.shift_remove(MARK);
    }
}

/// Where a mark stands.
#[derive(Clone, Copy)]
enum Spot {
    Tool(usize),
    System(usize),
    Block(Site),
}

/// The marks of a request, in the order in which they count.
fn spots(round: &Round, draft: &Draft) -> Vec<Spot> {
    let is_marked = |mark: Option<&Value>| mark.is_some_and(|mark| !mark.is_null());
    let tools = draft.request.tools.iter().filter_map(Value::as_array).flatten().enumerate();
    let tools = tools.filter(|(_, tool)| is_marked(tool.get(MARK))).map(|(at, _)| Spot::Tool(at));
    let system = draft.request.system.parts.iter().enumerate();
    let system = system.filter(|(_, part)| is_marked(part.extra.get(MARK))).map(|(at, _)| Spot::System(at));
    let blocks = round.prompt.marked(Marks::CACHED).map(|(site, _)| Spot::Block(site));
    tools.chain(system).chain(blocks).collect()
}

/// The members beside a mark, and where they stand.
fn fields(draft: &mut Draft, spot: Spot) -> (Option<&mut Fields>, Place) {
    match spot {
        Spot::Tool(at) => {
            let tools = draft.request.tools.as_mut().and_then(Value::as_array_mut);
            (tools.and_then(|tools| tools.get_mut(at)?.as_object_mut()), Place::REQUEST)
        }
        Spot::System(at) => (draft.request.system.parts.get_mut(at).map(|part| &mut part.extra), Place::REQUEST),
        Spot::Block(site) => (Some(&mut draft.part_mut(site).extra), site.into()),
    }
}

/// Gives marks that stand behind one of five minutes the same life.
pub(super) fn shorten_late(round: &Round, draft: &mut Draft) {
    let mut has_short = false;
    for spot in spots(round, draft) {
        let (fields, place) = fields(draft, spot);
        let Some(mark) = fields.and_then(|fields| fields.get_mut(MARK)?.as_object_mut()) else { continue };
        let is_long = mark.get("ttl").is_some_and(|ttl| ttl == "1h");
        if is_long && has_short {
            mark.shift_remove("ttl");
            draft.say(place, "let the cache mark live five minutes, as the one before it does".to_owned());
        }
        has_short |= !is_long;
    }
}

/// Drops the marks above four: of the list from its beginning on, then those before the list.
pub(super) fn drop_surplus(round: &Round, draft: &mut Draft) {
    let spots = spots(round, draft);
    let (mut surplus, before): (Vec<Spot>, Vec<Spot>) = spots.iter().partition(|spot| matches!(spot, Spot::Block(_)));
    surplus.extend(before);
    surplus.truncate(spots.len().saturating_sub(MOST));
    for spot in surplus {
        let (fields, place) = fields(draft, spot);
        fields.map(|fields| fields.shift_remove(MARK));
        draft.say(place, "drop a cache mark: a request may hold four".to_owned());
    }
}
