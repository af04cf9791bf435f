//! Gemini CLI chats: one document `{"sessionId", "projectHash", "messages"}` that is rewritten in place, the newer log
//! of lines that are replayed to it, and checkpoints (an array of Gemini `Content`).
//!
//! The session is `sessionId`, else the place; the model the last answer's. Gemini's content is written here as OpenAI
//! Chat messages. A `gemini` message is a call, with `tokens` (`input` counts cached ones in; thoughts are added to the
//! output) and `timestamp` (ISO 8601, UTC); it holds its tool calls with their results, so they are paired by position,
//! and ids that are missing or repeat are numbered. A call without result (cancelled) is answered as the client does
//! when it goes on. An `error` message that tells of the API is a call that ended so; other `error`, `info` and
//! `warning` messages were only shown and count as bookkeeping.
//!
//! In the log a message with a known `id` updates it, `$rewindTo` drops that message and all behind it (counted as
//! bookkeeping), and `$set.messages` replaces the list: a compaction, with what stayed told by ids and what is new put
//! in. A checkpoint has neither times nor usage; its calls without id are paired by name and order.
//!
//! The format can never tell the system prompt, the tool schemas, a status, or tokens around a compaction; long tool
//! output and long histories may have been cut before they were written.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;

use serde_json::Value;

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Message, Part, Record, Reply, Role, SessionCall, ToolResult, Usage};

/// The format `gemini-cli`.
pub const FORMAT: Format =
    Format { id: "gemini-cli", about: "chats and checkpoints of Gemini CLI", shape: Shape::Transcript, sniff, read };

/// The API in whose form messages are written.
const API: Api = Api::OpenaiChat;

/// What the client answers for a tool that was cancelled.
const CANCELLED: &str = "[Operation Cancelled]";

fn sniff(frame: &Frame) -> bool {
    let has = |member: &str| frame.value.get(member).is_some();
    has("sessionId") && has("projectHash") || is_content(&frame.value)
}

/// Whether a value is an entry of a checkpoint.
fn is_content(value: &Value) -> bool {
    let role = value.get("role").and_then(Value::as_str);
    let parts = value.get("parts").and_then(Value::as_array);
    let bare = |part: &Value| part.get("type").is_none() && part.is_object();
    matches!(role, Some("user" | "model")) && parts.is_some_and(|parts| !parts.is_empty() && parts.iter().all(bare))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let place = frames.place();
    let mut log = Log::default();
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => {
                if let Err(reason) = log.line(frame.value) {
                    emit(super::defect(frame.place, reason));
                }
            }
        }
    }
    let mut chat = Chat::new();
    let session = log.session.take().unwrap_or_else(|| place.to_string());
    let unused = log.replay(&mut chat);
    frames.bookkeeping(unused);
    if !chat.script.is_empty() {
        let head = Head { place, session, parent: None, model: chat.model, system: None, tools: None };
        emit(Record::Conversation(Box::new(chat.script.conversation(head))));
    }
    Ok(())
}

/// What the lines of a file did to the list of messages.
#[derive(Default)]
struct Log {
    session: Option<String>,
    /// Every message in its last form.
    messages: Vec<Value>,
    by_id: HashMap<String, usize>,
    steps: Vec<Step>,
    /// Lines that only state facts about the file, and messages that were rewound.
    unused: u64,
}

enum Step {
    /// The message of that number.
    Message(usize),
    /// The list was replaced by one that holds these.
    Replaced(Vec<Value>),
}

impl Log {
    fn line(&mut self, mut line: Value) -> Result<(), String> {
        if let Some(id) = line.get("$rewindTo").and_then(Value::as_str) {
            self.rewind(id);
        } else if let Some(set) = line.get_mut("$set").map(Value::take) {
            self.set(set);
        } else if is_content(&line) || line.get("type").is_some() {
            self.message(line);
        } else if line.get("sessionId").is_some() {
            self.session = super::name(&line, &["sessionId"]);
            match line.get_mut("messages").map(Value::take) {
                Some(Value::Array(messages)) => messages.into_iter().for_each(|message| self.message(message)),
                _ => self.unused += 1,
            }
        } else {
            return Err("neither a message nor a change of the list".to_owned());
        }
        Ok(())
    }

    fn message(&mut self, message: Value) {
        let id = super::name(&message, &["id"]);
        if let Some(at) = id.as_ref().and_then(|id| self.by_id.get(id)) {
            self.messages[*at] = message;
            return;
        }
        self.by_id.extend(id.map(|id| (id, self.messages.len())));
        self.steps.push(Step::Message(self.messages.len()));
        self.messages.push(message);
    }

    fn rewind(&mut self, id: &str) {
        let Some(&from) = self.by_id.get(id) else { return };
        let before = self.steps.len();
        self.steps.retain(|step| !matches!(step, Step::Message(at) if *at >= from));
        self.unused += (before - self.steps.len()) as u64 + 1;
    }

    fn set(&mut self, mut set: Value) {
        match set.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => self.steps.push(Step::Replaced(messages)),
            _ => self.unused += 1,
        }
    }

    /// Plays the messages in order; answers how many lines and messages say nothing on the wire.
    fn replay(self, chat: &mut Chat) -> u64 {
        let mut unused = self.unused;
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for step in self.steps {
            match step {
                Step::Message(at) => {
                    let message = &self.messages[at];
                    numbers.extend(super::name(message, &["id"]).map(|id| (id, chat.script.next())));
                    unused += u64::from(!chat.message(message));
                }
                Step::Replaced(messages) => chat.replaced(&messages, &numbers),
            }
        }
        unused
    }
}

/// The conversation while it is being put together.
struct Chat {
    script: Script,
    model: Option<String>,
    ids: HashSet<String>,
    n_named: u32,
    /// Calls without id that wait for their result, by name.
    nameless: HashMap<String, VecDeque<String>>,
}

impl Chat {
    fn new() -> Chat {
        let script = Script::new(API, Unanswered::Answered(CANCELLED));
        Chat { script, model: None, ids: HashSet::new(), n_named: 0, nameless: HashMap::new() }
    }

    /// Takes a message in; false where it was only shown.
    fn message(&mut self, message: &Value) -> bool {
        if is_content(message) {
            return self.content(message);
        }
        match message.get("type").and_then(Value::as_str) {
            Some("user") => self.script.say(Role::User, parts(message.get("content"))),
            Some("gemini") => self.answer(message),
            Some("error") if said(message).starts_with("[API Error") => {
                let reply = Reply { error: Some(said(message).to_owned()), ..Reply::default() };
                self.script.call(SessionCall {
                    time: super::time(message.get("timestamp")),
                    reply,
                    ..SessionCall::default()
                });
            }
            _ => return false,
        }
        true
    }

    fn answer(&mut self, message: &Value) {
        self.model = super::name(message, &["model"]).or(self.model.take());
        let reply = Reply { usage: usage(message.get("tokens")), ..Reply::default() };
        let call = SessionCall { time: super::time(message.get("timestamp")), reply, ..SessionCall::default() };
        let mut parts = parts(message.get("content"));
        let mut results = Vec::new();
        for tool in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            let id = self.unique(super::name(tool, &["id"]), name);
            parts.push(script::tool_use(API, Some(id.clone()), name, tool.get("args")));
            results.extend(result(id, tool));
        }
        self.script.turn(parts, Some(call));
        for result in results {
            self.script.answer(result);
        }
    }

    /// An entry of a checkpoint; false where it holds a result that no call waits for.
    fn content(&mut self, content: &Value) -> bool {
        let entries = content.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut said = parts(content.get("parts"));
        if content.get("role").is_some_and(|role| role == "model") {
            for call in entries.iter().filter_map(|part| part.get("functionCall")) {
                let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
                let stated = super::name(call, &["id"]);
                let id = self.unique(stated.clone(), name);
                if stated.is_none() {
                    self.nameless.entry(name.to_owned()).or_default().push_back(id.clone());
                }
                said.push(script::tool_use(API, Some(id), name, call.get("args")));
            }
            self.script.turn(said, Some(SessionCall::default()));
            return true;
        }
        let mut paired = true;
        for response in entries.iter().filter_map(|part| part.get("functionResponse")) {
            let name = response.get("name").and_then(Value::as_str).unwrap_or_default();
            let waiting = || self.nameless.get_mut(name).and_then(VecDeque::pop_front);
            let id = super::name(response, &["id"]).or_else(waiting);
            paired &= self.script.answer(script::result(id, output(response), false));
        }
        self.script.say(Role::User, said);
        paired
    }

    fn replaced(&mut self, messages: &[Value], numbers: &HashMap<String, usize>) {
        let number = |message: &Value| numbers.get(&super::name(message, &["id"])?).copied();
        let mut kept: Vec<usize> = messages.iter().filter_map(number).collect();
        kept.sort_unstable();
        let inserted = messages.iter().filter(|message| number(message).is_none()).filter_map(plain).collect();
        self.script.cut(Cut { kept, inserted, ..Cut::default() });
    }

    /// The id itself, or one made of the name where it is missing or was there before.
    fn unique(&mut self, id: Option<String>, name: &str) -> String {
        if let Some(id) = id.filter(|id| self.ids.insert(id.clone())) {
            return id;
        }
        self.n_named += 1;
        format!("{name}#{}", self.n_named)
    }
}

/// A message that a compaction put in, as text.
fn plain(message: &Value) -> Option<Message> {
    let role = match message.get("type").and_then(Value::as_str)? {
        "user" => Role::User,
        "gemini" => Role::Assistant,
        _ => return None,
    };
    let parts = parts(message.get("content"));
    (!parts.is_empty()).then(|| script::message(API, role, parts))
}

/// Text and images of a string, a part or a list of parts; thoughts are left out.
fn parts(content: Option<&Value>) -> Vec<Part> {
    match content {
        Some(Value::Array(list)) => list.iter().filter_map(part).collect(),
        Some(object @ Value::Object(_)) => part(object).into_iter().collect(),
        other => script::content(other),
    }
}

fn part(part: &Value) -> Option<Part> {
    if part.get("thought").is_some_and(|thought| thought == true) {
        return None;
    }
    if let Some(inline) = part.get("inlineData") {
        return Some(script::image(API, inline.get("mimeType")?.as_str()?, inline.get("data")?.as_str()?));
    }
    let text = part.get("text").or(Some(part))?.as_str()?;
    (!text.is_empty()).then(|| script::text(text))
}

fn said(message: &Value) -> &str {
    message.get("content").and_then(Value::as_str).unwrap_or_default()
}

/// The result that a tool call's record holds.
fn result(id: String, tool: &Value) -> Option<ToolResult> {
    let responses = tool.get("result").and_then(Value::as_array).filter(|list| !list.is_empty())?;
    let content = responses.iter().filter_map(|part| part.get("functionResponse")).flat_map(output).collect();
    let is_error = tool.get("status").is_some_and(|status| status == "error");
    Some(script::result(Some(id), content, is_error))
}

/// What a function responded: its output or error as text, else the response as JSON.
fn output(response: &Value) -> Vec<Part> {
    let Some(response) = response.get("response") else { return Vec::new() };
    let text = response.get("output").or_else(|| response.get("error")).and_then(Value::as_str);
    vec![script::text(text.map_or_else(|| response.to_string(), str::to_owned))]
}

/// Usage whose input counts cached tokens in.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |member: &str| value?.get(member)?.as_u64();
    let output = count("output").unwrap_or(0).saturating_add(count("thoughts").unwrap_or(0));
    Some(Usage { input: count("input")?, output, cache_read: count("cached").unwrap_or(0), cache_write: 0 })
}
