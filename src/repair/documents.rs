//! Documents of Converse: their names and their number.

use std::collections::HashSet;

use serde_json::Value;

use crate::model::Body;
use crate::transcript::{Marks, Site};

use super::Round;
use super::draft::Draft;

/// The most that a request may hold.
const MOST: usize = 5;

/// The most letters of a name.
const LONGEST: usize = 200;

/// Writes names in the letters that are taken.
pub(super) fn rename(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        let Some(name) = name_of(draft, site) else { continue };
        let is_taken = |letter: char| letter.is_ascii_alphanumeric() || "_-()[]".contains(letter);
        let spaced: String = name.chars().map(|letter| if is_taken(letter) { letter } else { ' ' }).collect();
        let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
        let words: String = words.chars().take(LONGEST).collect();
        set(draft, site, if words.is_empty() { "document" } else { words.trim_end() });
    }
}

/// Tells documents apart that share a name, by a number.
pub(super) fn tell_apart(round: &Round, draft: &mut Draft) {
    let all: Vec<Site> = round.prompt.marked(Marks::DOCUMENT).map(|(site, _)| site).collect();
    let mut used: HashSet<String> = all.iter().filter_map(|site| name_of(draft, *site)).collect();
    for site in round.sites() {
        let Some(name) = name_of(draft, site) else { continue };
        let head: String = name.chars().take(LONGEST - 6).collect();
        let fresh = (2..).map(|n| format!("{} ({n})", head.trim_end())).find(|name| !used.contains(name));
        if let Some(fresh) = fresh {
            set(draft, site, &fresh);
            used.insert(fresh);
        }
    }
}

/// Drops the oldest documents above five.
pub(super) fn drop_oldest(round: &Round, draft: &mut Draft) {
    let all: Vec<Site> = round.prompt.marked(Marks::DOCUMENT).map(|(site, _)| site).collect();
    for site in &all[..all.len().saturating_sub(MOST)] {
        draft.say(*site, "drop the oldest document: a request may hold five".to_owned());
        draft.drop_block(*site);
    }
}

fn name_of(draft: &Draft, site: Site) -> Option<String> {
    match &draft.part(site).body {
        Body::Other(value) => value.get("document")?.get("name")?.as_str().map(str::to_owned),
        _ => None,
    }
}

fn set(draft: &mut Draft, site: Site, name: &str) {
    let Body::Other(value) = &mut draft.part_mut(site).body else { return };
    if let Some(document) = value.get_mut("document").and_then(Value::as_object_mut) {
        document.insert("name".to_owned(), name.into());
        draft.say(site, format!("name the document `{name}`"));
    }
}
