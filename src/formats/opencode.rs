//! opencode sessions as `opencode export` writes them: one document `{"info", "messages": [{"info", "parts"}]}`.
//!
//! The session is `info.id` and its parent `info.parentID` (the session of the task tool, or of a fork); the model the
//! last assistant message's `modelID`. opencode speaks many APIs; its own parts are written here as OpenAI Chat
//! messages. Each step of an assistant message (`step-start` to `step-finish`) is a call; it has the usage of its
//! `step-finish`, else of the message: `input` there leaves cached tokens out and is added up. Times are
//! `info.time.created` (milliseconds since 1970). `info.error` is how a call failed, with `statusCode` where the
//! provider gave one. A tool part holds call and result in one, so they are paired by position; ids that repeat in the
//! session (scrubbers replace them) are numbered. A call without result is answered as the client does when it goes on,
//! and text marked `ignored` was never sent.
//!
//! A `compaction` part of the user, and behind it an assistant message with `summary`, are a compaction: all before it
//! left, the summary stands in its place; tokens before are the summary call's input, and that call is one of the
//! session. Results pruned later (`time.compacted`) keep their text in the file and here. The format can never tell the
//! system prompt, the tool schemas or encrypted reasoning; reasoning, snapshots and patches count as bookkeeping.

use std::collections::HashSet;
use std::io;

use serde_json::Value;

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Part, Place, Record, Reply, Role, SessionCall, ToolResult, Usage};

/// The format `opencode`.
pub const FORMAT: Format =
    Format { id: "opencode", about: "sessions exported by opencode", shape: Shape::Transcript, sniff, read };

/// The API in whose form messages are written.
const API: Api = Api::OpenaiChat;

/// What the client sends for a tool that was cut off.
const INTERRUPTED: &str = "[Tool execution was interrupted]";

/// What the client writes before a summary.
const QUESTION: &str = "What did we do so far?";

fn sniff(frame: &Frame) -> bool {
    let messages = frame.value.get("messages").and_then(Value::as_array);
    let is_entry = |entry: &Value| entry.get("info").is_some() && entry.get("parts").is_some_and(Value::is_array);
    frame.value.get("info").is_some_and(|info| info.get("id").is_some())
        && messages.is_some_and(|messages| messages.iter().all(is_entry))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => {
                let mut export = Export::new();
                let messages = frame.value.get("messages").and_then(Value::as_array);
                messages.into_iter().flatten().for_each(|message| export.message(message));
                frames.bookkeeping(export.unused);
                match frame.value.get("info").and_then(|info| super::name(info, &["id"])) {
                    Some(session) => export.emit(&frame.value, session, frame.place, emit),
                    None => emit(super::defect(frame.place, "the document has no `info.id`")),
                }
            }
        }
    }
    Ok(())
}

/// An export while it is being read.
struct Export {
    script: Script,
    ids: HashSet<String>,
    /// How many tool parts had an id that was there before.
    repeated: u32,
    model: Option<String>,
    /// What set off the compaction whose summary is awaited.
    asked: Option<String>,
    /// Parts that say nothing on the wire.
    unused: u64,
}

impl Export {
    fn new() -> Export {
        let script = Script::new(API, Unanswered::Answered(INTERRUPTED));
        Export { script, ids: HashSet::new(), repeated: 0, model: None, asked: None, unused: 0 }
    }

    fn emit(self, document: &Value, session: String, place: Place, emit: &mut dyn FnMut(Record)) {
        if !self.script.is_empty() {
            let parent = document.get("info").and_then(|info| super::name(info, &["parentID"]));
            let head = Head { place, session, parent, model: self.model, system: None, tools: None };
            emit(Record::Conversation(Box::new(self.script.conversation(head))));
        }
    }

    fn message(&mut self, message: &Value) {
        let info = message.get("info").unwrap_or(&Value::Null);
        let parts = message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if info.get("role").is_some_and(|role| role == "assistant") {
            self.model = super::name(info, &["modelID"]).or(self.model.take());
            self.assistant(info, parts);
        } else {
            self.user(parts);
        }
    }

    fn user(&mut self, parts: &[Value]) {
        let mut said = Vec::new();
        for part in parts {
            match kind(part) {
                "text" if part.get("ignored").is_none_or(|ignored| ignored != true) => {
                    said.extend(script::content(part.get("text")));
                }
                "file" => said.push(script::text(format!(
                    "[file {}]",
                    super::name(part, &["filename", "url"]).unwrap_or_default()
                ))),
                "compaction" => {
                    let auto = part.get("auto").is_some_and(|auto| auto == true);
                    self.asked = Some(if auto { "auto" } else { "manual" }.to_owned());
                }
                _ => self.unused += 1,
            }
        }
        self.script.say(Role::User, said);
    }

    fn assistant(&mut self, info: &Value, parts: &[Value]) {
        let time = super::time(info.pointer("/time/created"));
        let mut steps: Vec<Step> = Vec::new();
        for part in parts {
            match kind(part) {
                "step-start" => steps.push(Step::default()),
                "step-finish" => latest(&mut steps).usage = usage(part.get("tokens")),
                "text" => latest(&mut steps).parts.extend(script::content(part.get("text"))),
                "tool" => {
                    let (call, result) = self.tool(part);
                    latest(&mut steps).parts.push(call);
                    latest(&mut steps).results.extend(result);
                }
                _ => self.unused += 1,
            }
        }
        let reply = Reply {
            status: super::status(info.pointer("/error/data/statusCode")),
            error: error(info),
            usage: usage(info.get("tokens")).filter(|usage| usage.input > 0),
        };
        let is_summary = info.get("summary").is_some_and(|summary| summary == true);
        latest(&mut steps).reply = Some(reply);
        for step in steps {
            let mut reply = step.reply.unwrap_or_default();
            reply.usage = step.usage.or(reply.usage);
            let call = SessionCall { time, reply, ..SessionCall::default() };
            if is_summary { self.summary(step.parts, call) } else { self.step(step.parts, step.results, call) }
        }
    }

    fn step(&mut self, parts: Vec<Part>, results: Vec<ToolResult>, call: SessionCall) {
        if parts.is_empty() {
            return self.script.call(call);
        }
        self.script.turn(parts, Some(call));
        for result in results {
            self.script.answer(result);
        }
    }

    /// The call that summarised, and the compaction that it was made for.
    fn summary(&mut self, parts: Vec<Part>, call: SessionCall) {
        let tokens_before = call.reply.usage.map(|usage| usage.input);
        let (time, trigger) = (call.time, self.asked.take());
        self.script.call(call);
        if !parts.is_empty() {
            let question = script::message(API, Role::User, vec![script::text(QUESTION)]);
            let inserted = vec![question, script::message(API, Role::Assistant, parts)];
            self.script.cut(Cut { trigger, tokens_before, time, inserted, ..Cut::default() });
        }
    }

    /// The call and, where the tool ended, the result that a tool part holds.
    fn tool(&mut self, part: &Value) -> (Part, Option<ToolResult>) {
        let id = self.unique(super::name(part, &["callID"]).unwrap_or_default());
        let name = part.get("tool").and_then(Value::as_str).unwrap_or_default();
        let state = part.get("state").unwrap_or(&Value::Null);
        let call = script::tool_use(API, Some(id.clone()), name, state.get("input"));
        let result = match state.get("status").and_then(Value::as_str) {
            Some("completed") => Some(script::result(Some(id), script::content(state.get("output")), false)),
            Some("error") => Some(script::result(Some(id), script::content(state.get("error")), true)),
            _ => None,
        };
        (call, result)
    }

    /// The id itself, or with a number where the session has it already.
    fn unique(&mut self, id: String) -> String {
        if self.ids.insert(id.clone()) {
            return id;
        }
        self.repeated += 1;
        format!("{id}#{}", self.repeated)
    }
}

/// One call of an assistant message.
#[derive(Default)]
struct Step {
    parts: Vec<Part>,
    results: Vec<ToolResult>,
    usage: Option<Usage>,
    /// How it ended, where the message says so of this step.
    reply: Option<Reply>,
}

/// The step that is going on.
fn latest(steps: &mut Vec<Step>) -> &mut Step {
    if steps.is_empty() {
        steps.push(Step::default());
    }
    let last = steps.len() - 1;
    &mut steps[last]
}

fn kind(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn error(info: &Value) -> Option<String> {
    let error = info.get("error")?;
    super::error_text(error.pointer("/data/message").or(Some(error)))
}

/// Usage whose input leaves cached tokens out.
fn usage(value: Option<&Value>) -> Option<Usage> {
    let count = |path: &str| value?.pointer(path)?.as_u64();
    let (cache_read, cache_write) = (count("/cache/read").unwrap_or(0), count("/cache/write").unwrap_or(0));
    let input = count("/input")?.saturating_add(cache_read).saturating_add(cache_write);
    Some(Usage { input, output: count("/output").unwrap_or(0), cache_read, cache_write })
}
