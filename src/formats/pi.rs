//! Sessions of the pi coding agent: one entry a line in an append-only file; newer files are a tree of entries.
//!
//! The session is `id` of the `session` line, its parent `parentSession` or `branchedFrom` (a path). In a tree the live
//! thread is the one that ends in the last message; a thread left behind is `<id>/branch-N` with that parent and only
//! the calls that are its own. Messages are written as Anthropic Messages where the session's last answer came from
//! that API (`api`), else as OpenAI Chat; the model is that answer's, else the `session` line's.
//!
//! An assistant's message is a call with `usage` (`input` leaves cached tokens out and is added up) and the message's
//! own `timestamp` (milliseconds since 1970). One whose `stopReason` is `aborted` or `error` is dropped by the client:
//! it is a call without message, with `errorMessage` and the status that this text begins with. A tool call without
//! result is answered as the client does when it goes on. A `compaction` line keeps the entries from
//! `firstKeptEntryId`, or `firstKeptEntryIndex` (counted over all lines of the file), and puts `summary` before them;
//! tokens before are `tokensBefore`. Command runs and branch summaries are the user's messages.
//!
//! The format can never tell the system prompt, the tool schemas, tokens after a compaction or why one was made.

use std::collections::{HashMap, HashSet};
use std::io;

use serde_json::Value;

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Part, Place, Record, Reply, Role, SessionCall, Usage};

/// The format `pi`.
pub const FORMAT: Format =
    Format { id: "pi", about: "session files of the pi coding agent", shape: Shape::Transcript, sniff, read };

/// What the client answers for a tool that gave no result.
const NO_RESULT: &str = "No result provided";

fn sniff(frame: &Frame) -> bool {
    let value = &frame.value;
    let has = |member: &str| value.get(member).is_some();
    let dated =
        value.get("timestamp").is_some_and(Value::is_string) && !has("sessionId") && !has("payload") && !has("data");
    match kind(value) {
        "session" => dated && has("id") && has("cwd"),
        "message" => dated && value.pointer("/message/role").is_some(),
        _ => false,
    }
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut file = File { place: frames.place(), entries: Vec::new() };
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) if kind(&frame.value).is_empty() => emit(super::defect(frame.place, "no `type`: not an entry")),
            Ok(frame) => file.entries.push(frame.value),
        }
    }
    let unused = file.emit(emit);
    frames.bookkeeping(unused);
    Ok(())
}

/// The entries of a file, in its order.
struct File {
    place: Place,
    entries: Vec<Value>,
}

impl File {
    /// Emits each thread, the live one first; answers how many entries none of them used.
    fn emit(&self, emit: &mut dyn FnMut(Record)) -> u64 {
        let header = self.entries.iter().find(|entry| kind(entry) == "session").unwrap_or(&Value::Null);
        let session = super::name(header, &["id"]).unwrap_or_else(|| self.place.to_string());
        let parents = self.parents();
        let mut covered = vec![false; self.entries.len()];
        let (mut used, mut n_threads) = (HashSet::new(), 0);
        while let Some(leaf) = (0..covered.len()).rev().find(|&at| !covered[at] && kind(&self.entries[at]) == "message")
        {
            let path = path(&parents, leaf);
            let mut thread = Thread::new(self.api(&path));
            for &at in &path {
                if thread.entry(at, &self.entries, covered[at]) {
                    used.insert(at);
                }
            }
            path.iter().for_each(|&at| covered[at] = true);
            let mut head = self.head(header, &session);
            if n_threads > 0 {
                head.session = format!("{session}/branch-{n_threads}");
                head.parent = Some(session.clone());
            }
            n_threads += 1;
            head.model = thread.model.take().or(head.model);
            emit(Record::Conversation(Box::new(thread.script.conversation(head))));
        }
        (self.entries.len() - used.len()) as u64
    }

    fn head(&self, header: &Value, session: &str) -> Head {
        Head {
            place: self.place.clone(),
            session: session.to_owned(),
            parent: super::name(header, &["parentSession", "branchedFrom"]),
            model: super::name(header, &["modelId"]),
            system: None,
            tools: None,
        }
    }

    /// The entry before each one: the stated parent, else the line before.
    fn parents(&self) -> Vec<Option<usize>> {
        let mut by_id: HashMap<&str, usize> = HashMap::new();
        let mut parents = Vec::with_capacity(self.entries.len());
        for (at, entry) in self.entries.iter().enumerate() {
            let stated = entry.get("parentId").and_then(Value::as_str).and_then(|id| by_id.get(id).copied());
            let is_root = entry.get("parentId").is_some_and(Value::is_null);
            parents.push(stated.or(at.checked_sub(1)).filter(|_| !is_root));
            by_id.extend(entry.get("id").and_then(Value::as_str).map(|id| (id, at)));
        }
        parents
    }

    /// The API of the last answer.
    fn api(&self, path: &[usize]) -> Api {
        let answer = path.iter().rev().map(|&at| &self.entries[at]).find_map(|entry| {
            let message = entry.get("message").filter(|message| !is_dropped(message))?;
            message.get("api")?.as_str()
        });
        match answer {
            Some("anthropic-messages" | "bedrock-converse-stream") => Api::AnthropicMessages,
            _ => Api::OpenaiChat,
        }
    }
}

/// The entries from the root to the leaf.
fn path(parents: &[Option<usize>], leaf: usize) -> Vec<usize> {
    let mut path: Vec<usize> = std::iter::successors(Some(leaf), |&at| parents[at]).collect();
    path.reverse();
    path
}

/// One thread while it is being read.
struct Thread {
    api: Api,
    script: Script,
    /// The entry of the script that each line became.
    numbers: HashMap<usize, usize>,
    model: Option<String>,
}

impl Thread {
    fn new(api: Api) -> Thread {
        Thread { api, script: Script::new(api, Unanswered::Answered(NO_RESULT)), numbers: HashMap::new(), model: None }
    }

    /// Takes an entry in, whose call belongs to another thread if `is_shared`; false where it says nothing.
    fn entry(&mut self, at: usize, entries: &[Value], is_shared: bool) -> bool {
        let (entry, number) = (&entries[at], self.script.next());
        match kind(entry) {
            "message" if !self.message(entry.get("message").unwrap_or(&Value::Null), is_shared) => return false,
            "message" => {}
            "compaction" if !is_shared => self.cut(entry, entries),
            "branch_summary" => self.script.say(Role::User, script::content(entry.get("summary"))),
            "custom_message" => self.script.say(Role::User, self.content(entry.get("content"))),
            "session" => return true,
            _ => return false,
        }
        self.numbers.insert(at, number);
        true
    }

    /// Takes a message in; false for a result that no call waits for.
    fn message(&mut self, message: &Value, is_shared: bool) -> bool {
        match message.get("role").and_then(Value::as_str).unwrap_or_default() {
            "assistant" => self.assistant(message, is_shared),
            "toolResult" => {
                let is_error = message.get("isError").is_some_and(|flag| flag == true);
                let content = self.content(message.get("content"));
                return self.script.answer(script::result(super::name(message, &["toolCallId"]), content, is_error));
            }
            "bashExecution" => self.script.say(Role::User, ran(message)),
            _ => self.script.say(Role::User, self.content(message.get("content"))),
        }
        true
    }

    fn assistant(&mut self, message: &Value, is_shared: bool) {
        let dropped = is_dropped(message);
        let error = super::error_text(message.get("errorMessage")).filter(|_| dropped);
        let status = error.as_deref().and_then(|error| error.get(..3)?.parse().ok());
        let reply = Reply { status, error, usage: usage(message.get("usage")) };
        let call = SessionCall { time: super::time(message.get("timestamp")), reply, ..SessionCall::default() };
        let call = Some(call).filter(|_| !is_shared);
        if !dropped {
            self.model = super::name(message, &["model"]).or(self.model.take());
            let parts = self.content(message.get("content"));
            self.script.turn(parts, call);
        } else if let Some(call) = call {
            self.script.call(call);
        }
    }

    fn cut(&mut self, entry: &Value, entries: &[Value]) {
        let id = entry.get("firstKeptEntryId").and_then(Value::as_str);
        let named = id.and_then(|id| entries.iter().position(|entry| entry.get("id").is_some_and(|own| own == id)));
        let index = entry.get("firstKeptEntryIndex").and_then(Value::as_u64).map(|index| index as usize);
        let first = named.or(index).unwrap_or(usize::MAX);
        let mut kept: Vec<usize> =
            self.numbers.iter().filter(|(at, _)| **at >= first).map(|(_, number)| *number).collect();
        kept.sort_unstable();
        let summary = script::content(entry.get("summary"));
        self.script.cut(Cut {
            tokens_before: entry.get("tokensBefore").and_then(Value::as_u64),
            time: super::time(entry.get("timestamp")),
            kept,
            inserted: vec![script::message(self.api, Role::User, summary)],
            ..Cut::default()
        });
    }

    fn content(&self, value: Option<&Value>) -> Vec<Part> {
        match value {
            Some(Value::Array(blocks)) => blocks.iter().filter_map(|block| part(self.api, block)).collect(),
            other => script::content(other),
        }
    }
}

fn kind(entry: &Value) -> &str {
    entry.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Whether the client leaves an assistant's message out of what it sends.
fn is_dropped(message: &Value) -> bool {
    matches!(message.get("stopReason").and_then(Value::as_str), Some("aborted" | "error"))
}

fn part(api: Api, block: &Value) -> Option<Part> {
    let said = |member: &str| block.get(member).and_then(Value::as_str);
    match kind(block) {
        "text" => said("text").filter(|said| !said.trim().is_empty()).map(script::text),
        "thinking" => Some(script::thinking(said("thinking")?, said("thinkingSignature").map(str::to_owned))),
        "toolCall" => {
            let id = super::name(block, &["id"]);
            Some(script::tool_use(api, id, said("name").unwrap_or_default(), block.get("arguments")))
        }
        "image" => Some(script::image(api, said("mimeType")?, said("data")?)),
        _ => None,
    }
}

/// What the model is told of a command that the user ran.
fn ran(message: &Value) -> Vec<Part> {
    if message.get("excludeFromContext").is_some_and(|flag| flag == true) {
        return Vec::new();
    }
    let said = |member: &str| message.get(member).and_then(Value::as_str).unwrap_or_default();
    vec![script::text(format!("Ran `{}`\n```\n{}\n```", said("command"), said("output")))]
}

/// Usage whose input leaves cached tokens out; none where nothing was counted.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |member: &str| value?.get(member)?.as_u64();
    let (cache_read, cache_write) = (count("cacheRead").unwrap_or(0), count("cacheWrite").unwrap_or(0));
    let input = count("input")?.saturating_add(cache_read).saturating_add(cache_write);
    Some(Usage { input, output: count("output").unwrap_or(0), cache_read, cache_write }).filter(|usage| usage.input > 0)
}
