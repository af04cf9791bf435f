//! Increments of a transcript to what went over the wire: messages, calls and compactions, in either API's form.
//!
//! Entries are given in the order of the log and get their indexes at the end, so that a result stands behind the
//! message that asked for it whatever came between. A result is paired with the nearest message that still waits for
//! its id, by position where that message asked for the id more than once.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::model::{
    Api, Arguments, Body, Compaction, Conversation, Fields, Form, Gaps, Message, Origin, Part, Place, Preface, Role,
    SessionCall, Thinking, Time, ToolResult, ToolUse, ToolUseKind,
};

/// A conversation while it is being read.
pub struct Script {
    api: Api,
    entries: Vec<Entry>,
    /// The asks without a result, by id: entry and number of the ask in it.
    waiting: HashMap<String, Vec<(usize, usize)>>,
    unanswered: Unanswered,
}

/// What a client makes of a tool call without result when it goes on.
#[derive(Clone, Copy)]
pub enum Unanswered {
    /// Nothing: it is sent as it is.
    Stays,
    /// It answers for the tool.
    Answered(&'static str),
    /// It leaves the call out.
    Dropped,
}

enum Entry {
    Message(Message),
    Turn(Turn),
    /// A call without a message: it failed, or said nothing.
    Call(SessionCall),
    Cut(Cut),
}

/// An assistant's message with the results of its tool uses.
struct Turn {
    parts: Vec<Part>,
    call: Option<SessionCall>,
    results: Vec<Option<ToolResult>>,
}

/// A compaction, by the entries that stayed.
#[derive(Default)]
pub struct Cut {
    pub trigger: Option<String>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    pub time: Option<Time>,
    /// Numbers of the entries that stayed; system messages stay in any case.
    pub kept: Vec<usize>,
    pub inserted: Vec<Message>,
}

/// What stands outside the messages of a conversation.
pub struct Head {
    pub place: Place,
    pub session: String,
    pub parent: Option<String>,
    pub model: Option<String>,
    /// The system text.
    pub system: Option<String>,
    pub tools: Option<Value>,
}

impl Script {
    /// An empty one.
    pub fn new(api: Api, unanswered: Unanswered) -> Script {
        Script { api, entries: Vec::new(), waiting: HashMap::new(), unanswered }
    }

    /// The number of the next entry.
    pub fn next(&self) -> usize {
        self.entries.len()
    }

    /// Whether no message and no call was taken in.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A message of anyone but the assistant, where it says anything.
    pub fn say(&mut self, role: Role, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.entries.push(Entry::Message(message(self.api, role, parts)));
        }
    }

    /// An assistant's message, and the call that made it, if any did; its number.
    pub fn turn(&mut self, parts: Vec<Part>, call: Option<SessionCall>) -> usize {
        self.entries.push(Entry::Turn(Turn { parts: Vec::new(), call, results: Vec::new() }));
        let at = self.entries.len() - 1;
        self.extend(at, parts);
        at
    }

    /// Puts more parts into the turn of that number.
    pub fn extend(&mut self, at: usize, parts: Vec<Part>) {
        let Some(Entry::Turn(turn)) = self.entries.get_mut(at) else { return };
        for part in &parts {
            if let Body::ToolUse(tool_use) = &part.body {
                let id = tool_use.id.clone().unwrap_or_default();
                self.waiting.entry(id).or_default().push((at, turn.results.len()));
                turn.results.push(None);
            }
        }
        turn.parts.extend(parts);
    }

    /// Pairs a result; false where nothing waits for it.
    pub fn answer(&mut self, result: ToolResult) -> bool {
        let id = result.id.as_deref().unwrap_or_default();
        let Some(waiting) = self.waiting.get_mut(id) else { return false };
        let nearest = waiting.last().map(|(at, _)| *at);
        let first = waiting.iter().rposition(|(at, _)| Some(*at) != nearest).map_or(0, |before| before + 1);
        if waiting.len() <= first {
            return false;
        }
        let (at, ask) = waiting.remove(first);
        if let Some(Entry::Turn(turn)) = self.entries.get_mut(at) {
            turn.results[ask] = Some(result);
        }
        true
    }

    /// A call that left no message.
    pub fn call(&mut self, call: SessionCall) {
        self.entries.push(Entry::Call(call));
    }

    /// The call of the turn of that number.
    pub fn call_of(&mut self, at: usize) -> Option<&mut SessionCall> {
        match self.entries.get_mut(at)? {
            Entry::Turn(turn) => turn.call.as_mut(),
            _ => None,
        }
    }

    /// A compaction at this point.
    pub fn cut(&mut self, cut: Cut) {
        self.entries.push(Entry::Cut(cut));
    }

    /// The last compaction, where nothing but messages of the user came after it.
    pub fn fresh_cut(&mut self) -> Option<&mut Cut> {
        let tail = self.entries.iter_mut().rev().find(|entry| !matches!(entry, Entry::Message(_)));
        match tail? {
            Entry::Cut(cut) => Some(cut),
            _ => None,
        }
    }

    /// The last entry that is this message, but for those left aside.
    pub fn find(&self, wanted: &Message, aside: &[usize]) -> Option<usize> {
        let is = |at: &usize| matches!(&self.entries[*at], Entry::Message(said) if said == wanted);
        (0..self.entries.len()).rev().find(|at| is(at) && !aside.contains(at))
    }

    /// The numbers of all entries.
    pub fn all(&self) -> Vec<usize> {
        (0..self.entries.len()).collect()
    }

    /// The numbers of the entries that are messages of the user or of the system.
    pub fn said(&self) -> Vec<usize> {
        (0..self.entries.len()).filter(|&at| matches!(self.entries[at], Entry::Message(_))).collect()
    }

    /// The conversation, with every call that its entries state.
    pub fn conversation(self, head: Head) -> Conversation {
        let mut layer = Layer { api: self.api, laid: Vec::new(), into: empty(self.api, head) };
        let last = self.entries.iter().rposition(|entry| matches!(entry, Entry::Message(_) | Entry::Turn(_)));
        for (at, entry) in self.entries.into_iter().enumerate() {
            let goes_on = last.is_some_and(|last| at < last);
            match entry {
                Entry::Message(message) => layer.message(at, message),
                Entry::Turn(turn) => layer.turn(at, turn, if goes_on { self.unanswered } else { Unanswered::Stays }),
                Entry::Call(call) => layer.call(call),
                Entry::Cut(cut) => layer.cut(&cut),
            }
        }
        layer.into
    }
}

/// The conversation that has said nothing but its system text.
fn empty(api: Api, head: Head) -> Conversation {
    let system: Vec<Part> = head.system.filter(|text| !text.is_empty()).map(text).into_iter().collect();
    let (mut preface, mut messages) = (Preface::default(), Vec::new());
    match (api, system.is_empty()) {
        (_, true) => {}
        (Api::AnthropicMessages, _) => preface = Preface { form: Form::Text, parts: system },
        _ => messages.push(message(api, Role::System, system)),
    }
    Conversation {
        place: head.place,
        session: head.session,
        parent: head.parent,
        api,
        model: head.model,
        preface,
        tools: head.tools,
        messages,
        calls: Some(Vec::new()),
        compactions: Vec::new(),
        gaps: Gaps::default(),
    }
}

/// Gives entries their indexes.
struct Layer {
    api: Api,
    /// For each message that may go: its index, the entry it came from, and whether it is gone.
    laid: Vec<(u32, usize, bool)>,
    into: Conversation,
}

impl Layer {
    fn message(&mut self, entry: usize, message: Message) {
        if message.role != Role::System {
            self.laid.push((self.into.messages.len() as u32, entry, false));
        }
        self.into.messages.push(message);
    }

    /// A call needs a prompt: what an assistant says before anyone else was none.
    fn call(&mut self, call: SessionCall) {
        let upto = self.into.messages.len() as u32;
        if upto == 0 {
            return;
        }
        self.into.calls.get_or_insert_default().push(SessionCall { upto, ..call });
    }

    fn turn(&mut self, at: usize, turn: Turn, unanswered: Unanswered) {
        if let Some(call) = turn.call {
            self.call(call);
        }
        let (parts, results) = settled(turn.parts, turn.results, unanswered);
        if let Some(message) = self.assistant(parts) {
            self.message(at, message);
        }
        match self.api {
            Api::AnthropicMessages if results.is_empty() => {}
            Api::AnthropicMessages => self.message(at, message(self.api, Role::User, results)),
            _ => results.into_iter().for_each(|result| self.message(at, tool_message(result))),
        }
    }

    /// The message of a turn; none where it says nothing that the API carries.
    fn assistant(&self, mut parts: Vec<Part>) -> Option<Message> {
        if self.api != Api::AnthropicMessages {
            parts.retain(|part| !matches!(part.body, Body::Thinking(_)));
            // Stable: content comes before calls.
            parts.sort_by_key(|part| matches!(part.body, Body::ToolUse(_)));
        }
        (!parts.is_empty()).then(|| message(self.api, Role::Assistant, parts))
    }

    fn cut(&mut self, cut: &Cut) {
        let mut evicted = Vec::new();
        for (index, entry, gone) in &mut self.laid {
            if !*gone && cut.kept.binary_search(entry).is_err() {
                *gone = true;
                evicted.push(*index);
            }
        }
        self.into.compactions.push(Compaction {
            call: self.into.calls.as_ref().map_or(0, Vec::len) as u32,
            origin: Origin::Marked,
            trigger: cut.trigger.clone(),
            tokens_before: cut.tokens_before,
            tokens_after: cut.tokens_after,
            evicted,
            inserted: cut.inserted.clone(),
            time: cut.time,
        });
    }
}

/// The parts of a turn and the results that follow it, in the order of its calls.
fn settled(parts: Vec<Part>, results: Vec<Option<ToolResult>>, unanswered: Unanswered) -> (Vec<Part>, Vec<Part>) {
    let mut results = results.into_iter();
    let (mut kept, mut answers) = (Vec::new(), Vec::new());
    for part in parts {
        if let Body::ToolUse(tool_use) = &part.body {
            match (results.next().flatten(), unanswered) {
                (Some(result), _) => answers.push(bare(Body::ToolResult(result))),
                (None, Unanswered::Stays) => {}
                (None, Unanswered::Dropped) => continue,
                (None, Unanswered::Answered(said)) => {
                    let answer = result(tool_use.id.clone(), vec![text(said)], true);
                    answers.push(bare(Body::ToolResult(answer)));
                }
            }
        }
        kept.push(part);
    }
    (kept, answers)
}

fn tool_message(result: Part) -> Message {
    let form = match &result.body {
        Body::ToolResult(result) => result.form.clone(),
        _ => Form::Absent,
    };
    Message { role: Role::Tool, form, parts: vec![result], extra: Fields::new() }
}

/// A message whose content is written as its parts need it; calls of Chat are no part of its content.
pub fn message(api: Api, role: Role, parts: Vec<Part>) -> Message {
    let beside = |part: &&Part| api != Api::AnthropicMessages && matches!(part.body, Body::ToolUse(_));
    let content: Vec<&Part> = parts.iter().filter(|part| !beside(part)).collect();
    let form = match content.as_slice() {
        [] => Form::Null,
        [Part { body: Body::Text(_), extra }] if extra.is_empty() => Form::Text,
        _ => Form::List,
    };
    Message { role, form, parts, extra: Fields::new() }
}

/// A part with nothing beside its body.
pub fn bare(body: Body) -> Part {
    Part { body, extra: Fields::new() }
}

/// A text part.
pub fn text(text: impl Into<String>) -> Part {
    bare(Body::Text(text.into()))
}

/// Text parts of a value: a string, or a list of blocks with `text`; other blocks are kept as written.
pub fn content(value: Option<&Value>) -> Vec<Part> {
    match value {
        Some(Value::String(said)) if !said.is_empty() => vec![text(said.clone())],
        Some(Value::Array(blocks)) => blocks.iter().filter_map(block).collect(),
        _ => Vec::new(),
    }
}

fn block(value: &Value) -> Option<Part> {
    match value.get("text").and_then(Value::as_str) {
        Some("") => None,
        Some(said) => Some(text(said)),
        None if value.is_string() => value.as_str().filter(|said| !said.is_empty()).map(text),
        None => Some(bare(Body::Other(value.clone()))),
    }
}

/// Reasoning, with the signature that the provider wants back.
pub fn thinking(text: &str, signature: Option<String>) -> Part {
    bare(Body::Thinking(Thinking { text: text.to_owned(), signature, redacted: false }))
}

/// An image given as base64.
pub fn image(api: Api, media_type: &str, data: &str) -> Part {
    bare(Body::Image(match api {
        Api::AnthropicMessages => {
            json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
        }
        _ => json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}}),
    }))
}

/// A tool use; arguments are written as the API takes them.
pub fn tool_use(api: Api, id: Option<String>, name: &str, arguments: Option<&Value>) -> Part {
    let arguments = match (api, arguments) {
        (Api::AnthropicMessages, Some(Value::String(text))) => {
            Arguments::Json(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())))
        }
        (Api::AnthropicMessages, arguments) => Arguments::Json(arguments.cloned().unwrap_or_else(object)),
        (_, Some(Value::String(text))) => Arguments::Text(text.clone()),
        (_, arguments) => Arguments::Text(arguments.cloned().unwrap_or_else(object).to_string()),
    };
    bare(Body::ToolUse(ToolUse { kind: ToolUseKind::Client, id, name: name.to_owned(), arguments }))
}

fn object() -> Value {
    Value::Object(Fields::new())
}

/// A result of a tool use.
pub fn result(id: Option<String>, content: Vec<Part>, is_error: bool) -> ToolResult {
    let form = match content.as_slice() {
        [] => Form::Text,
        [Part { body: Body::Text(_), extra }] if extra.is_empty() => Form::Text,
        _ => Form::List,
    };
    ToolResult { id, form, content, is_error }
}
