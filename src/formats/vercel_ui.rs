//! UI messages of the Vercel AI SDK: an array of them, one a line, or a chat `{"id", "messages"}`.
//!
//! The session is the chat's `id`, else the place; the model `metadata.model` of the last message that has one.
//! Messages are written as OpenAI Chat, as the SDK converts them. An assistant's message spans a call for each
//! `step-start`; its time is `metadata.createdAt` or `createdAt`. A tool part (`tool-<name>`, `dynamic-tool`, and
//! `toolInvocations` of version 4) holds call and result; in the states `output-available`, `output-error` and `result`
//! there is one. A call in another state has no result and is sent without one, which the API refuses; one that was
//! still streaming is not sent. Calls that the provider ran, reasoning, sources and `data-*` parts count as
//! bookkeeping.
//!
//! The format can never tell usage, status, errors, the system prompt outside the list, tool schemas or compactions.

use std::io;

use serde_json::Value;

use super::script::{self, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::Frames;
use crate::model::{Api, Body, Part, Place, Record, Role, SessionCall, ToolResult};

/// The format `vercel-ui`.
pub const FORMAT: Format = Format {
    id: "vercel-ui",
    about: "UI messages of the Vercel AI SDK",
    shape: Shape::Conversation,
    sniff: |frame| is_message(&frame.value) || is_chat(&frame.value),
    read,
};

/// The API in whose form messages are written.
const API: Api = Api::OpenaiChat;

fn is_message(value: &Value) -> bool {
    let role = value.get("role").and_then(Value::as_str);
    let typed = |part: &Value| part.get("type").is_some_and(Value::is_string);
    let parts = value.get("parts").and_then(Value::as_array);
    matches!(role, Some("system" | "user" | "assistant")) && parts.is_some_and(|parts| parts.iter().all(typed))
}

fn is_chat(value: &Value) -> bool {
    let messages = value.get("messages").and_then(Value::as_array);
    messages.is_some_and(|messages| !messages.is_empty() && messages.iter().all(is_message))
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let whole = frames.place();
    let mut loose = Chat::new();
    let mut unused = 0;
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) if is_message(&frame.value) => loose.message(&frame.value),
            Ok(frame) => match frame.value.get("messages").and_then(Value::as_array) {
                Some(messages) => {
                    let mut chat = Chat::new();
                    messages.iter().for_each(|message| chat.message(message));
                    unused += chat.emit(super::name(&frame.value, &["id", "chatId"]), frame.place, emit);
                }
                None => emit(super::defect(frame.place, "neither a UI message nor a chat")),
            },
        }
    }
    unused += loose.emit(None, whole, emit);
    frames.bookkeeping(unused);
    Ok(())
}

/// A chat while it is being read.
struct Chat {
    script: Script,
    model: Option<String>,
    /// Parts that say nothing on the wire.
    unused: u64,
}

impl Chat {
    fn new() -> Chat {
        Chat { script: Script::new(API, Unanswered::Stays), model: None, unused: 0 }
    }

    fn emit(self, session: Option<String>, place: Place, emit: &mut dyn FnMut(Record)) -> u64 {
        if !self.script.is_empty() {
            let session = session.unwrap_or_else(|| place.to_string());
            let head = Head { place, session, parent: None, model: self.model, system: None, tools: None };
            emit(Record::Conversation(Box::new(self.script.conversation(head))));
        }
        self.unused
    }

    fn message(&mut self, message: &Value) {
        let parts = message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role == "assistant" {
            self.model = message.get("metadata").and_then(|facts| super::name(facts, &["model"])).or(self.model.take());
            return self.assistant(message, parts);
        }
        let said: Vec<Part> = parts.iter().filter_map(spoken).collect();
        self.unused += (parts.len() - said.len()) as u64;
        self.script.say(Role::from_name(role), said);
    }

    fn assistant(&mut self, message: &Value, parts: &[Value]) {
        let time = super::time(message.pointer("/metadata/createdAt").or_else(|| message.get("createdAt")));
        let call = || Some(SessionCall { time, ..SessionCall::default() });
        let (mut said, mut results) = (Vec::new(), Vec::new());
        for part in parts {
            if kind(part) == "step-start" {
                self.step(&mut said, &mut results, call());
            } else if let Some((tool_use, result)) = tool(part) {
                said.push(tool_use);
                results.extend(result);
            } else {
                let spoken = spoken(part);
                self.unused += u64::from(spoken.is_none());
                said.extend(spoken);
            }
        }
        self.step(&mut said, &mut results, call());
    }

    /// Ends a step, where it said anything.
    fn step(&mut self, said: &mut Vec<Part>, results: &mut Vec<ToolResult>, call: Option<SessionCall>) {
        if !said.is_empty() {
            self.script.turn(std::mem::take(said), call);
        }
        for result in results.drain(..) {
            self.script.answer(result);
        }
    }
}

fn kind(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// A text or file part.
fn spoken(part: &Value) -> Option<Part> {
    let said = |member: &str| part.get(member).and_then(Value::as_str);
    match kind(part) {
        "text" => said("text").filter(|text| !text.is_empty()).map(script::text),
        "file" if said("mediaType").is_some_and(|kind| kind.starts_with("image/")) => {
            let image = serde_json::json!({"type": "image_url", "image_url": {"url": part.get("url")}});
            Some(script::bare(Body::Image(image)))
        }
        "file" => Some(script::text(format!("[file {}]", said("filename").unwrap_or_default()))),
        _ => None,
    }
}

/// The call and, in an ended state, the result that a tool part holds; none where neither is sent.
fn tool(part: &Value) -> Option<(Part, Option<ToolResult>)> {
    let inner = part.get("toolInvocation").unwrap_or(part);
    let said = |member: &str| inner.get(member).and_then(Value::as_str);
    let state = said("state")?;
    let name = said("toolName").or_else(|| kind(part).strip_prefix("tool-"))?;
    let by_provider = inner.get("providerExecuted").is_some_and(|flag| flag == true);
    if by_provider || matches!(state, "input-streaming" | "partial-call") {
        return None;
    }
    let id = super::name(inner, &["toolCallId"]);
    let arguments = ["input", "rawInput", "args"].iter().find_map(|member| inner.get(*member));
    let result = match state {
        "output-available" | "result" => Some(output(inner.get("output").or_else(|| inner.get("result")))),
        "output-error" => Some(script::content(inner.get("errorText"))),
        "output-denied" => Some(vec![script::text("Tool execution denied.")]),
        _ => None,
    };
    let result = result.map(|content| script::result(id.clone(), content, state == "output-error"));
    Some((script::tool_use(API, id, name, arguments), result))
}

/// A tool's output as the SDK sends it: text as it is, anything else as JSON.
fn output(value: Option<&Value>) -> Vec<Part> {
    match value {
        Some(Value::String(_)) | None => script::content(value),
        Some(other) => vec![script::text(other.to_string())],
    }
}
