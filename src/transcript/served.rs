//! Tool uses of the provider's server, paired with their results turn by turn.
//!
//! A turn lasts until a user message that holds anything but results of client tools. A tool use is answered behind it
//! in its turn, normally in the same message; beside a client's tool use it waits for the next assistant message.

use std::collections::HashMap;

use super::prompt::{Entry, Prompt, Site};
use super::{IdNo, Marks, PartKind, Speaker};

/// A tool use of the server or a result of one that found no partner in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    Orphan { site: Site, id: IdNo },
    Unanswered { site: Site, id: IdNo },
}

/// A tool use without its result so far.
struct Open {
    site: Site,
    /// Its code asked the client for something.
    waits: bool,
}

/// Those of a prompt, in order. A turn that ends the list is open: its tool uses still wait.
pub fn served(prompt: &Prompt) -> Vec<Served> {
    let mut faults = Vec::new();
    if !prompt.may_have(Marks::SERVER_CALL.and(Marks::SERVER_RESULT)) {
        return faults;
    }
    let mut open: HashMap<IdNo, Open> = HashMap::new();
    for (position, entry) in (0..).zip(prompt.entries()) {
        if entry.message.speaker == Speaker::User && !only_results(&entry) {
            let unanswered = open.drain().filter(|(_, call)| !call.waits);
            faults.extend(unanswered.map(|(id, call)| Served::Unanswered { site: call.site, id }));
        }
        for (block, part) in (0..).zip(entry.parts) {
            let site = Site { message: position, block };
            if part.marks.has(Marks::SERVER_CALL) {
                open.insert(part.id, Open { site, waits: part.marks.has(Marks::WAITS_FOR_CLIENT) });
            } else if part.marks.has(Marks::SERVER_RESULT) && open.remove(&part.id).is_none() {
                faults.push(Served::Orphan { site, id: part.id });
            }
        }
    }
    faults.sort_by_key(|fault| match fault {
        Served::Orphan { site, .. } | Served::Unanswered { site, .. } => *site,
    });
    faults
}

fn only_results(entry: &Entry) -> bool {
    !entry.parts.is_empty() && entry.parts.iter().all(|part| part.kind == PartKind::ToolResult)
}
