//! Cline and Roo Code: `api_conversation_history.json` (one array of Anthropic messages with `ts`), and the newer Cline
//! SDK's `*.messages.json` and `*.compaction.json` (`{"version", "sessionId", "system_prompt", "messages"}`).
//!
//! The session is `sessionId`, else the place; a compaction file is the session `<sessionId>/compaction` with that
//! parent, for it holds a list of its own. Every assistant message is a call with its `ts` (milliseconds since 1970)
//! and, where it has `metrics`, usage (`inputTokens` counts cached tokens in). The model is the last `modelInfo.id`.
//! Members that only the client knows are left out, and blocks it makes text of (`file`) are text here; entries without
//! a role that a request has (Roo's bare `reasoning`) count as bookkeeping.
//!
//! Roo keeps what it condensed or cut: a message tagged `condenseParent` or `truncationParent` left when the summary
//! (`isSummary`) or marker (`isTruncationMarker`) of that id came, which is what was put in. In the SDK a message whose
//! `metadata.kind` is `compaction` or `compaction_summary` stands for what left before the file was written: a
//! compaction with `usageBefore.inputTokens` where stated, with what left unknown.
//!
//! In the classic array usage, status and Cline's own cuts are in other files (`ui_messages.json`, the task list) and
//! cannot be told; neither can tool schemas. In the era of XML tools calls and results are text.

use std::collections::HashMap;
use std::io;

use serde_json::{Map, Value, json};

use super::{Format, Shape};
use crate::dialects;
use crate::frame::Frames;
use crate::model::{
    Api, Body, Compaction, Conversation, Form, Gaps, Message, Origin, Part, Place, Preface, Record, Reply, Role,
    SessionCall, Usage,
};

/// The format `cline`.
pub const FORMAT: Format = Format {
    id: "cline",
    about: "conversations of Cline and Roo Code, compaction files included",
    shape: Shape::Transcript,
    sniff: |frame| is_entry(&frame.value) || is_document(&frame.value),
    read,
};

/// Whether a value is an entry of the classic array.
fn is_entry(value: &Value) -> bool {
    let talks = value.get("role").is_some_and(Value::is_string) && value.get("content").is_some();
    talks && value.get("ts").is_some_and(Value::is_number) && value.get("type").is_none()
}

fn is_document(value: &Value) -> bool {
    let has = |member: &str| value.get(member).is_some();
    has("sessionId") && has("updated_at") && has("version") && super::has_messages(value, "messages")
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let whole = frames.place();
    let (mut loose, mut unused) = (Vec::new(), 0);
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(mut frame) => match frame.value.get_mut("messages").map(Value::take) {
                Some(Value::Array(entries)) => {
                    let mut history = History::default();
                    entries.into_iter().for_each(|entry| history.entry(entry));
                    unused += history.unused;
                    emit(Record::Conversation(Box::new(history.conversation(&frame.value, frame.place))));
                }
                _ if frame.value.is_object() => loose.push(frame.value),
                _ => emit(super::defect(frame.place, "neither a message nor a document with `messages`")),
            },
        }
    }
    if !loose.is_empty() {
        let mut history = History::default();
        loose.into_iter().for_each(|entry| history.entry(entry));
        unused += history.unused;
        emit(Record::Conversation(Box::new(history.conversation(&Value::Null, whole))));
    }
    frames.bookkeeping(unused);
    Ok(())
}

/// The entries of a list, as they become messages.
#[derive(Default)]
struct History {
    messages: Vec<Message>,
    calls: Vec<SessionCall>,
    compactions: Vec<Compaction>,
    /// The messages that leave when the entry of that id comes.
    leaving: HashMap<String, Vec<u32>>,
    model: Option<String>,
    /// Whether the list begins with what a compaction left.
    is_compacted: bool,
    unused: u64,
}

impl History {
    fn entry(&mut self, entry: Value) {
        let at = self.messages.len() as u32;
        if flag(&entry, "isSummary") || flag(&entry, "isTruncationMarker") {
            let id = super::name(&entry, &["condenseId", "truncationId"]).unwrap_or_default();
            let trigger = if flag(&entry, "isSummary") { "condense" } else { "truncation" };
            let cut = Compaction { evicted: self.leaving.remove(&id).unwrap_or_default(), ..self.cut(trigger, &entry) };
            return self.compactions.push(Compaction { inserted: message(&entry).into_iter().collect(), ..cut });
        }
        let metadata = entry.get("metadata").unwrap_or(&Value::Null);
        if metadata.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("compaction")) {
            let trigger = super::name(metadata, &["reason"]).unwrap_or_else(|| "compaction".to_owned());
            let tokens_before = metadata.pointer("/usageBefore/inputTokens").and_then(Value::as_u64);
            self.is_compacted = true;
            self.compactions.push(Compaction { tokens_before, ..self.cut(&trigger, &entry) });
        }
        let Some(message) = message(&entry) else {
            self.unused += 1;
            return;
        };
        let parents = ["condenseParent", "truncationParent"];
        for parent in parents.iter().filter_map(|member| super::name(&entry, &[member])) {
            self.leaving.entry(parent).or_default().push(at);
        }
        if message.role == Role::Assistant && at > 0 {
            self.model = entry.get("modelInfo").and_then(|model| super::name(model, &["id"])).or(self.model.take());
            let reply = Reply { usage: usage(entry.get("metrics")), ..Reply::default() };
            let time = super::time(entry.get("ts"));
            self.calls.push(SessionCall { upto: at, time, reply, ..SessionCall::default() });
        }
        self.messages.push(message);
    }

    /// A compaction at this entry, of which nothing else is known.
    fn cut(&self, trigger: &str, entry: &Value) -> Compaction {
        Compaction {
            call: self.calls.len() as u32,
            origin: Origin::Marked,
            trigger: Some(trigger.to_owned()),
            tokens_before: None,
            tokens_after: None,
            evicted: Vec::new(),
            inserted: Vec::new(),
            time: super::time(entry.get("ts")),
        }
    }

    fn conversation(self, document: &Value, place: Place) -> Conversation {
        let named = super::name(document, &["sessionId"]);
        let (session, parent) = match named {
            Some(session) if self.is_compacted => (format!("{session}/compaction"), Some(session)),
            Some(session) => (session, None),
            None => (place.to_string(), None),
        };
        let system = document.get("system_prompt").and_then(Value::as_str).filter(|text| !text.is_empty());
        let preface = system.map(|text| Preface { form: Form::Text, parts: vec![super::script::text(text)] });
        Conversation {
            place,
            session,
            parent,
            api: Api::AnthropicMessages,
            model: self.model,
            preface: preface.unwrap_or_default(),
            tools: None,
            messages: self.messages,
            calls: Some(self.calls),
            compactions: self.compactions,
            gaps: Gaps::default(),
        }
    }
}

fn flag(entry: &Value, member: &str) -> bool {
    entry.get(member).is_some_and(|flag| flag == true)
}

/// Role and content as the client sends them; none where the entry has no role of a request.
fn message(entry: &Value) -> Option<Message> {
    let role = entry.get("role").and_then(Value::as_str).filter(|role| matches!(*role, "user" | "assistant"))?;
    let content = match entry.get("content")? {
        Value::Array(blocks) => blocks.iter().map(block).collect(),
        other => other.clone(),
    };
    let message = json!({"role": role, "content": content});
    Some((dialects::for_api(Api::AnthropicMessages).parse_message)(message)).filter(says_anything)
}

fn says_anything(message: &Message) -> bool {
    let empty = |part: &Part| matches!(&part.body, Body::Text(text) if text.is_empty());
    !message.parts.iter().all(empty)
}

/// A block as the API takes it.
fn block(block: &Value) -> Value {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    let members: &[&str] = match kind {
        "text" => &["type", "text"],
        "tool_use" => &["type", "id", "name", "input"],
        "tool_result" => &["type", "tool_use_id", "content", "is_error"],
        "thinking" => &["type", "thinking", "signature"],
        "file" => return json!({"type": "text", "text": file_text(block)}),
        _ => return block.clone(),
    };
    let taken = |member: &&str| Some(((*member).to_owned(), block.get(*member)?.clone()));
    let mut fields: Map<String, Value> = members.iter().filter_map(taken).collect();
    if let Some(Value::Array(inner)) = fields.get_mut("content") {
        inner.iter_mut().for_each(|item| *item = result_block(item));
    }
    Value::Object(fields)
}

/// A block of a result: what is no block of the API is its text.
fn result_block(item: &Value) -> Value {
    match item.get("type").and_then(Value::as_str) {
        Some(_) => item.clone(),
        None => json!({"type": "text", "text": item.to_string()}),
    }
}

fn file_text(block: &Value) -> String {
    let said = |member: &str| block.get(member).and_then(Value::as_str).unwrap_or_default();
    format!("<file_content path=\"{}\">\n{}\n</file_content>", said("path"), said("content"))
}

/// Usage whose input counts cached tokens in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |member: &str| value?.get(member)?.as_u64();
    Some(Usage {
        input: count("inputTokens")?,
        output: count("outputTokens").unwrap_or(0),
        cache_read: count("cacheReadTokens").unwrap_or(0),
        cache_write: count("cacheWriteTokens").unwrap_or(0),
    })
}
