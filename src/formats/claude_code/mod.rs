//! Claude Code session files: one line an increment, in an append-only file per session.
//!
//! The session is `sessionId` of the last line of the live thread; a sub-agent's thread (`isSidechain`, `agentId`) is the
//! session `<sessionId>/<agentId>` with that parent, and a thread left behind by a rewind or a retry is
//! `<sessionId>/branch-N` with that parent, holding only the calls that are its own. The live thread is the one that ends
//! in the last message of the file: parents are followed from there, by `logicalParentUuid` across a compaction, and
//! chunks and parallel results that hang beside the chain are taken in (see [`thread`]).
//!
//! A call is a distinct `message.id`: its chunks, one a line, make one message, and its usage (repeated on each) is taken
//! once, the largest output; a chunk of white space is not sent back. Input tokens are `input_tokens` plus both cache figures. Results go behind the message that
//! asked, whatever line they stand on. Times are the lines' `timestamp` (ISO 8601, UTC). Lines of the model
//! `<synthetic>` and API error lines were written by the client: they are no messages, and where their text states a
//! status (`API Error: 400 ...`) they are a call that ended so. A `compact_boundary` line and the `isCompactSummary` line
//! behind it are a compaction: trigger, tokens before and (newer versions) after, the summary; what left is everything
//! that was resident but the preserved lines.
//!
//! The format can never tell the system prompt, the tool schemas, what attachments put into a request (counted as
//! bookkeeping), the status of a call that went well, or which old tool results were cleared on the wire. Thinking may
//! be there with its signature and without its text. An export with one `loglines` document is read too.

mod entry;
mod thread;
mod wire;

use std::collections::{HashMap, HashSet};
use std::io;

use serde_json::Value;

use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Place, Record};
use entry::{Entry, Line, Parent};

/// The format `claude-code`.
pub const FORMAT: Format = Format {
    id: "claude-code",
    about: "Claude Code session files, sub-agents and exports included",
    shape: Shape::Transcript,
    sniff,
    read,
};

fn sniff(frame: &Frame) -> bool {
    let value = &frame.value;
    let has = |member: &str| value.get(member).is_some();
    let title = has("summary") && has("leafUuid");
    let snapshot = value.get("type").is_some_and(|kind| kind == "file-history-snapshot");
    let line = has("type") && value.get("sessionId").is_some_and(Value::is_string) && (has("uuid") || has("message"));
    title || snapshot || line || value.get("loglines").is_some_and(Value::is_array)
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let whole = frames.place();
    let mut file = File::new(whole.clone());
    while let Some(next) = frames.next_frame()? {
        match next {
            Ok(frame) => frames.bookkeeping(file.take(frame, emit)),
            Err(defect) => emit(Record::Defect(defect)),
        }
    }
    for group in file.groups() {
        let unused = group.emit(&whole, emit);
        frames.bookkeeping(unused);
    }
    Ok(())
}

/// The entries of a file, in its order.
struct File {
    place: Place,
    entries: Vec<Entry>,
    by_uuid: HashMap<String, usize>,
}

impl File {
    fn new(place: Place) -> File {
        File { place, entries: Vec::new(), by_uuid: HashMap::new() }
    }

    /// Takes a frame in; answers how many lines of it were bookkeeping.
    fn take(&mut self, mut frame: Frame, emit: &mut dyn FnMut(Record)) -> u64 {
        match frame.value.get_mut("loglines").map(Value::take) {
            Some(Value::Array(lines)) => {
                let numbered = lines.into_iter().enumerate();
                numbered.map(|(index, line)| self.take_line(line, self.at(index as u32 + 1), emit)).sum()
            }
            _ => self.take_line(frame.value, frame.place, emit),
        }
    }

    fn at(&self, line: u32) -> Place {
        Place { line, ..self.place.clone() }
    }

    fn take_line(&mut self, value: Value, place: Place, emit: &mut dyn FnMut(Record)) -> u64 {
        let entry = match entry::line(value, place.line) {
            Line::Bookkeeping => return 1,
            Line::Bad(reason) => {
                emit(super::defect(place, reason));
                return 0;
            }
            Line::Entry(entry) => *entry,
        };
        if let Some(uuid) = &entry.uuid {
            if self.by_uuid.contains_key(uuid) {
                return 1;
            }
            self.by_uuid.insert(uuid.clone(), self.entries.len());
        }
        let link = u64::from(!entry.is_message() && !entry.is_boundary());
        self.entries.push(entry);
        link
    }

    /// The conversations of the file: entries that hang together, and sub-agents apart.
    fn groups(self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut of_key: HashMap<(String, Option<String>), usize> = HashMap::new();
        let mut group_of: Vec<(usize, usize)> = Vec::with_capacity(self.entries.len());
        for entry in self.entries {
            let above = match &entry.parent {
                Parent::Uuid(uuid) => self.by_uuid.get(uuid).and_then(|index| group_of.get(*index)).copied(),
                _ => None,
            };
            let above = above.filter(|(group, _)| groups[*group].takes(&entry));
            let key = (entry.session.clone().unwrap_or_default(), entry.thread_name());
            let group = match above {
                Some((group, _)) => group,
                None => *of_key.entry(key).or_insert_with(|| {
                    groups.push(Group::default());
                    groups.len() - 1
                }),
            };
            let parent = above.map(|(_, index)| index);
            group_of.push((group, groups[group].entries.len()));
            groups[group].push(entry, parent);
        }
        groups
    }
}

/// The entries of one conversation with all its branches, in file order.
#[derive(Default)]
struct Group {
    entries: Vec<Entry>,
    /// The entry each one follows, by index.
    parents: Vec<Option<usize>>,
    agent: Option<String>,
    /// Lines whose parent is not in the file.
    lost: Vec<u32>,
}

impl Group {
    /// Whether an entry whose parent is here belongs here.
    fn takes(&self, entry: &Entry) -> bool {
        self.agent.is_some() == entry.sidechain && (entry.agent.is_none() || self.agent == entry.agent)
    }

    fn push(&mut self, entry: Entry, parent: Option<usize>) {
        let before = self.entries.len().checked_sub(1);
        if self.entries.is_empty() {
            self.agent = entry.thread_name();
        }
        let parent = match &entry.parent {
            Parent::Root => None,
            Parent::Unstated => before,
            Parent::Uuid(_) if parent.is_none() && before.is_some() => {
                self.lost.extend((!entry.is_boundary()).then_some(entry.line));
                before
            }
            Parent::Uuid(_) => parent,
        };
        self.entries.push(entry);
        self.parents.push(parent);
    }

    /// Emits a conversation for each thread, the live one first; answers how many message lines no thread used.
    fn emit(&self, place: &Place, emit: &mut dyn FnMut(Record)) -> u64 {
        for line in &self.lost {
            let place = Place { line: *line, ..place.clone() };
            emit(super::defect(place, "its `parentUuid` is not in the file: read as following the line before it"));
        }
        let mut covered = vec![false; self.entries.len()];
        let mut live: Option<String> = None;
        let mut n_branches = 0;
        let mut unused = 0;
        while let Some(leaf) = (0..covered.len()).rev().find(|&at| !covered[at] && self.entries[at].is_message()) {
            let members = thread::members(&self.entries, &self.parents, leaf);
            let owned: HashSet<usize> = members.iter().copied().filter(|&at| !covered[at]).collect();
            members.iter().for_each(|&at| covered[at] = true);
            let mut conversation = wire::conversation(&self.entries, &members, &owned);
            if live.is_some() && conversation.calls.as_ref().is_none_or(Vec::is_empty) {
                unused += owned.iter().filter(|&&at| self.entries[at].is_message()).count() as u64;
                continue;
            }
            let first = members[0];
            conversation.gaps.begins_late = first == 0 && matches!(self.entries[0].parent, Parent::Uuid(_));
            conversation.place = Place { line: self.entries[first].line, ..place.clone() };
            let (id, parent) = match &live {
                None => self.name(leaf, place),
                Some(live) => {
                    n_branches += 1;
                    (format!("{live}/branch-{n_branches}"), Some(live.clone()))
                }
            };
            live.get_or_insert_with(|| id.clone());
            (conversation.session, conversation.parent) = (id, parent);
            emit(Record::Conversation(Box::new(conversation)));
        }
        unused
    }

    /// The id of the live thread that ends at `leaf`, and its parent.
    fn name(&self, leaf: usize, place: &Place) -> (String, Option<String>) {
        let session = self.entries[leaf].session.clone().unwrap_or_else(|| place.source.to_string());
        match &self.agent {
            Some(agent) => (format!("{session}/{agent}"), Some(session)),
            None => (session, None),
        }
    }
}
