//! Which lines make up the thread that ends at a given line.
//!
//! Following parents alone loses what hangs beside the chain: chunks of a message that is in the chain, results of
//! parallel calls (each hangs on the chunk that asked), and what the client added behind such a result.

use std::collections::HashSet;

use super::entry::{Entry, Kind};
use crate::model::{Body, Message};

/// The entries of the thread that ends at `leaf`, by index, in file order.
pub fn members(entries: &[Entry], parents: &[Option<usize>], leaf: usize) -> Vec<usize> {
    let mut inside = ancestors(parents, leaf);
    take_chunks(entries, &mut inside);
    take_results(entries, parents, &mut inside);
    (0..entries.len()).filter(|&at| inside[at]).collect()
}

/// The chain of parents; a cycle ends it.
fn ancestors(parents: &[Option<usize>], leaf: usize) -> Vec<bool> {
    let mut inside = vec![false; parents.len()];
    let mut at = Some(leaf);
    while let Some(index) = at {
        if inside[index] {
            break;
        }
        inside[index] = true;
        at = parents[index];
    }
    inside
}

fn message_id(entry: &Entry) -> Option<&str> {
    match &entry.kind {
        Kind::Assistant(chunk) => chunk.id.as_deref(),
        _ => None,
    }
}

fn take_chunks(entries: &[Entry], inside: &mut [bool]) {
    let among = entries.iter().zip(&*inside);
    let ids: HashSet<&str> = among.filter(|(_, inside)| **inside).filter_map(|(entry, _)| message_id(entry)).collect();
    for (entry, inside) in entries.iter().zip(inside) {
        *inside |= message_id(entry).is_some_and(|id| ids.contains(id));
    }
}

/// Takes in results of calls inside that have none inside, and user lines that hang on such a result.
fn take_results(entries: &[Entry], parents: &[Option<usize>], inside: &mut [bool]) {
    let mut open: HashSet<&str> = HashSet::new();
    for (entry, _) in entries.iter().zip(&*inside).filter(|(_, inside)| **inside) {
        if let Kind::Assistant(chunk) = &entry.kind {
            open.extend(asked(&chunk.message));
        }
    }
    for (entry, _) in entries.iter().zip(&*inside).filter(|(_, inside)| **inside) {
        if let Kind::User { message } = &entry.kind {
            answered(message).for_each(|id| {
                open.remove(id);
            });
        }
    }
    let mut joined = vec![false; entries.len()];
    for (at, entry) in entries.iter().enumerate() {
        let Kind::User { message } = &entry.kind else {
            joined[at] = matches!(entry.kind, Kind::Link) && parents[at].is_some_and(|above| joined[above]);
            continue;
        };
        let results = answered(message).count();
        let beside = results > 0 && answered(message).all(|id| open.contains(id));
        let behind = results == 0 && parents[at].is_some_and(|above| joined[above]);
        if !inside[at] && (beside || behind) {
            answered(message).for_each(|id| {
                open.remove(id);
            });
            (inside[at], joined[at]) = (true, true);
        }
    }
}

/// The ids of the tools that a message asks for.
pub fn asked(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|part| match &part.body {
        Body::ToolUse(call) => call.id.as_deref(),
        _ => None,
    })
}

/// The ids that the results of a message answer.
pub fn answered(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|part| match &part.body {
        Body::ToolResult(result) => result.id.as_deref(),
        _ => None,
    })
}
