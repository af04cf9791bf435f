//! Calls without any result, which three rules name by how they are missing.

use crate::transcript::pairs::{Ask, Fate, Group, Pairs};
use crate::transcript::{IdNo, Prompt, Site};

use super::{Findings, Shape, names};

/// The asks of a group without any result, by assistant message: the place of the first and the ids of all.
fn open_asks(asks: &[Ask]) -> Vec<(Site, Vec<IdNo>)> {
    let mut open: Vec<(Site, Vec<IdNo>)> = Vec::new();
    for ask in asks.iter().filter(|ask| ask.fate == Fate::Open) {
        match open.last_mut() {
            Some((site, ids)) if site.message == ask.site.message => ids.push(ask.id),
            _ => open.push((ask.site, vec![ask.id])),
        }
    }
    open
}

/// How the calls of a group that have no result at all are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    All,
    Some,
    Tail,
}

fn missing(pairs: &Pairs, group: &Group) -> Missing {
    match pairs.asks_of(group) {
        _ if group.trailing => Missing::Tail,
        asks if asks.iter().any(|ask| ask.fate == Fate::Answered) => Missing::Some,
        _ => Missing::All,
    }
}

/// Reports the calls without a result of every group that is missing them in that way.
pub(crate) fn report_open(prompt: &Prompt, findings: &mut Findings, wanted: Missing, say: impl Fn(String) -> String) {
    let pairs = findings.pairs;
    for group in &pairs.groups {
        let asks = pairs.asks_of(group);
        if asks.iter().all(|ask| ask.fate != Fate::Open) || missing(pairs, group) != wanted {
            continue;
        }
        let shape = if wanted == Missing::Tail { Shape::Tail } else { Shape::Middle };
        for (site, ids) in open_asks(asks) {
            let text = say(names(prompt, &ids));
            findings.report_lost(shape, site.into(), ids, text);
        }
    }
}
