//! GitHub Copilot CLI sessions (`events.jsonl`): one event a line, `{"type", "data", "id", "timestamp", "parentId"}`.
//!
//! The session is `sessionId` of `session.start`; the model that of the first `assistant.message`, else the one
//! selected. `system.message` is the system prompt, `user.message` the user's with `transformedContent`, which is what
//! was sent. An `assistant.message` is a call; messages of one `apiCallId` are one. Copilot speaks several APIs and
//! logs none of their bodies; messages are written here as OpenAI Chat. Results (`tool.execution_complete`) come in the
//! order in which tools ended and stand behind the message that asked. A call of a tool of a sub-agent
//! (`parentToolCallId`) belongs to the session `<sessionId>/<parentToolCallId>` with that parent, and begins with the
//! `prompt` of that call. `session.error` is a call that ended so.
//!
//! Compactions are `session.compaction_complete` (tokens `preCompactionTokens` before, `summaryContent` put in; all but
//! the system prompt left) and `session.truncation` (tokens before and after; the log does not say which messages
//! left). Errors, compactions and sub-agents are read by the names that the tool's event schema gives them; no real
//! file that holds them was at hand. A call without result is answered when the client goes on. Hook, permission, turn
//! and start events repeat what others say and count as bookkeeping.
//!
//! The format states output tokens alone, so no call has usage. It can never tell the tool schemas, the status or body
//! of a refused request, or encrypted reasoning. Times are `timestamp` (ISO 8601, UTC).

use std::collections::HashMap;
use std::io;

use serde_json::Value;

use super::script::{self, Cut, Head, Script, Unanswered};
use super::{Format, Shape};
use crate::frame::{Frame, Frames};
use crate::model::{Api, Part, Place, Record, Reply, Role, SessionCall, Time};

/// The format `copilot-cli`.
pub const FORMAT: Format =
    Format { id: "copilot-cli", about: "session files of GitHub Copilot CLI", shape: Shape::Transcript, sniff, read };

/// The API in whose form messages are written.
const API: Api = Api::OpenaiChat;

/// What stands for the output of a tool that gave none.
const NO_RESULT: &str = "The tool call was interrupted.";

fn sniff(frame: &Frame) -> bool {
    let kind = frame.value.get("type").and_then(Value::as_str).unwrap_or_default();
    let heads = ["session.", "user.", "assistant.", "tool.", "system.", "hook."];
    let known = heads.iter().any(|head| kind.starts_with(head));
    known && frame.value.get("data").is_some_and(Value::is_object) && frame.value.get("timestamp").is_some()
}

fn read(frames: &mut Frames, emit: &mut dyn FnMut(Record)) -> io::Result<()> {
    let mut log = Log::default();
    let place = frames.place();
    while let Some(next) = frames.next_frame()? {
        match next {
            Err(defect) => emit(Record::Defect(defect)),
            Ok(frame) => match log.event(&frame.value) {
                Ok(true) => {}
                Ok(false) => frames.bookkeeping(1),
                Err(reason) => emit(super::defect(frame.place, reason)),
            },
        }
    }
    log.emit(place, emit);
    Ok(())
}

/// The session and its sub-agents, while they are read.
#[derive(Default)]
struct Log {
    session: Option<String>,
    model: Option<String>,
    /// What tool calls were given as `prompt`, by id: the first message of a sub-agent.
    prompts: HashMap<String, Value>,
    /// The session itself has no name; sub-agents have the id of the tool call that began them.
    threads: Vec<Thread>,
}

struct Thread {
    name: Option<String>,
    script: Script,
    /// The last message of the assistant and the call it came from.
    open: Option<(String, usize)>,
}

impl Log {
    /// Takes an event in; false where it says nothing of a conversation.
    fn event(&mut self, event: &Value) -> Result<bool, String> {
        let kind = event.get("type").and_then(Value::as_str).ok_or("no `type`: not an event")?;
        let data = event.get("data").ok_or("the event has no `data`")?;
        let time = super::time(event.get("timestamp"));
        match kind {
            "session.start" => {
                self.session = super::name(data, &["sessionId"]);
                self.model = super::name(data, &["selectedModel"]);
                return Ok(true);
            }
            "assistant.message" => {
                let model = super::name(data, &["model"]);
                self.model = model.or(self.model.take());
                self.prompts.extend(prompts(data));
            }
            _ => {}
        }
        self.thread(super::name(data, &["parentToolCallId"])).event(kind, data, time)
    }

    fn thread(&mut self, name: Option<String>) -> &mut Thread {
        let at = self.threads.iter().position(|thread| thread.name == name).unwrap_or_else(|| {
            let mut script = Script::new(API, Unanswered::Answered(NO_RESULT));
            script.say(Role::User, script::content(name.as_ref().and_then(|name| self.prompts.get(name))));
            self.threads.push(Thread { name, script, open: None });
            self.threads.len() - 1
        });
        &mut self.threads[at]
    }

    fn emit(self, place: Place, emit: &mut dyn FnMut(Record)) {
        let session = self.session.unwrap_or_else(|| place.to_string());
        for thread in self.threads.into_iter().filter(|thread| !thread.script.is_empty()) {
            let head = Head {
                place: place.clone(),
                session: thread.name.as_ref().map_or_else(|| session.clone(), |name| format!("{session}/{name}")),
                parent: thread.name.map(|_| session.clone()),
                model: self.model.clone(),
                system: None,
                tools: None,
            };
            emit(Record::Conversation(Box::new(thread.script.conversation(head))));
        }
    }
}

impl Thread {
    fn event(&mut self, kind: &str, data: &Value, time: Option<Time>) -> Result<bool, String> {
        match kind {
            "system.message" => self.script.say(Role::System, script::content(data.get("content"))),
            "user.message" => {
                let sent =
                    data.get("transformedContent").filter(|sent| sent.as_str().is_some_and(|sent| !sent.is_empty()));
                self.script.say(Role::User, script::content(sent.or(data.get("content"))));
            }
            "system.notification" => self.script.say(Role::User, script::content(data.get("content"))),
            "assistant.message" => self.assistant(data, time),
            "tool.execution_complete" => return self.result(data),
            "session.error" => {
                let reply = Reply {
                    status: super::status(data.get("statusCode")),
                    error: super::error_text(data.get("message")),
                    usage: None,
                };
                self.script.call(SessionCall { time, reply, ..SessionCall::default() });
            }
            "session.compaction_complete" | "session.truncation" => return Ok(self.cut(data, time)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn assistant(&mut self, data: &Value, time: Option<Time>) {
        let mut parts = script::content(data.get("content"));
        let requests = data.get("toolRequests").and_then(Value::as_array).into_iter().flatten();
        parts.extend(requests.map(tool_use));
        let id = super::name(data, &["apiCallId", "messageId"]).unwrap_or_default();
        match &self.open {
            Some((open, at)) if *open == id => self.script.extend(*at, parts),
            _ => {
                let at = self.script.turn(parts, Some(SessionCall { time, ..SessionCall::default() }));
                self.open = Some((id, at));
            }
        }
    }

    fn result(&mut self, data: &Value) -> Result<bool, String> {
        let id = super::name(data, &["toolCallId"]);
        let said = script::content(data.pointer("/result/content"));
        let error = script::content(data.pointer("/error/message").or_else(|| data.get("error")));
        let is_error = data.get("success").is_some_and(|success| success == false);
        let asked = id.clone().unwrap_or_default();
        let content = if said.is_empty() { error } else { said };
        match self.script.answer(script::result(id, content, is_error)) {
            true => Ok(true),
            false => Err(format!("the result of `{asked}` answers no call before it")),
        }
    }

    /// A compaction or a truncation; false where it failed.
    fn cut(&mut self, data: &Value, time: Option<Time>) -> bool {
        if data.get("success").is_some_and(|success| success == false) {
            return false;
        }
        let count = |members: [&str; 2]| members.iter().find_map(|member| data.get(*member)?.as_u64());
        let summary = script::content(data.get("summaryContent"));
        let is_truncation = summary.is_empty();
        let inserted = if is_truncation { Vec::new() } else { vec![script::message(API, Role::User, summary)] };
        self.script.cut(Cut {
            tokens_before: count(["preCompactionTokens", "preTruncationTokensInMessages"]),
            tokens_after: count(["postCompactionTokens", "postTruncationTokensInMessages"]),
            time,
            kept: if is_truncation { self.script.all() } else { Vec::new() },
            inserted,
            ..Cut::default()
        });
        true
    }
}

/// The prompts among the arguments of a message's tool calls.
fn prompts(data: &Value) -> impl Iterator<Item = (String, Value)> {
    let requests = data.get("toolRequests").and_then(Value::as_array).into_iter().flatten();
    requests.filter_map(|request| {
        Some((super::name(request, &["toolCallId"])?, request.pointer("/arguments/prompt")?.clone()))
    })
}

fn tool_use(request: &Value) -> Part {
    let name = request.get("name").and_then(Value::as_str).unwrap_or_default();
    script::tool_use(API, super::name(request, &["toolCallId"]), name, request.get("arguments"))
}
