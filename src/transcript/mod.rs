//! A session as arrays of small facts: everything that a rule, a policy or the replay may ask, and no text.
//!
//! Facts are folded in once, when the transcript is built; after that nothing looks at a message again. Indexes of
//! messages are those of the session's full transcript, which for a single request are those of its own list.

mod cut;
pub mod envelope;
pub mod history;
pub mod ids;
pub mod marks;
pub mod overlay;
pub mod pairs;
pub mod prompt;
pub mod recorded;
pub mod served;
pub mod size;
pub mod terms;
mod units;

use std::collections::{HashMap, HashSet};

use crate::model::{Api, Body, Form, Gaps, Judged, Message, Part, Preface, Request, Role, Session, Tokens};
use crate::profiles;
use size::{Counter, Weight};

pub use envelope::EnvelopeFacts;
pub use history::History;
pub use marks::Marks;
pub use overlay::{Made, Overlay};
pub use pairs::Pairs;
pub use prompt::{Prompt, Site};
pub use recorded::Recorded;
pub use terms::Terms;
pub use units::{Unit, Units};

/// The number of an id inside one transcript; equal ids have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdNo(pub u32);

impl IdNo {
    /// The part carries no id.
    pub const NONE: IdNo = IdNo(u32::MAX);
}

/// A role, without the spelling of unknown ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Function,
    Unknown,
}

impl Speaker {
    fn of(role: &Role) -> Speaker {
        match role {
            Role::System => Speaker::System,
            Role::Developer => Speaker::Developer,
            Role::User => Speaker::User,
            Role::Assistant => Speaker::Assistant,
            Role::Tool => Speaker::Tool,
            Role::Function => Speaker::Function,
            Role::Other(_) => Speaker::Unknown,
        }
    }
}

impl Speaker {
    /// Its name in stored changes and on pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Speaker::System => "system",
            Speaker::Developer => "developer",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
            Speaker::Tool => "tool",
            Speaker::Function => "function",
            Speaker::Unknown => "unknown",
        }
    }

    /// The speaker of that name.
    pub fn from_name(name: &str) -> Speaker {
        Speaker::of(&Role::from_name(name))
    }
}

/// What kind of block a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Text,
    ToolUse,
    ToolResult,
    Thinking,
    Image,
    Other,
}

/// How a message's content was written, without what it said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentForm {
    Absent,
    Null,
    Text,
    List,
    Other,
}

/// What is known of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageFacts {
    pub speaker: Speaker,
    pub form: ContentForm,
    pub tokens: Tokens,
    /// Where its parts begin in [`Transcript::parts`]; they end where those of the next message begin.
    parts_from: u32,
    pub has_calls: bool,
    pub has_results: bool,
    /// Something beside `content` may stand in its place: a call, a refusal, audio.
    pub has_substitute: bool,
    /// The id of the item itself, beside that of its call.
    pub item: IdNo,
    pub marks: Marks,
    /// A policy may not remove it: system and developer messages.
    pub pinned: bool,
}

/// What is known of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartFacts {
    pub kind: PartKind,
    /// The id of a tool use or tool result, a server's ones included; the name of a document.
    pub id: IdNo,
    pub tokens: Tokens,
    /// A text part, or a whole result, that holds no character.
    pub empty: bool,
    /// A tool use by OpenAI's legacy `function_call`.
    pub legacy: bool,
    pub marks: Marks,
}

impl PartFacts {
    /// Tokens of a tool result above `cap`.
    pub fn over(&self, cap: Tokens) -> Tokens {
        if self.kind == PartKind::ToolResult { self.tokens.saturating_sub(cap) } else { 0 }
    }
}

/// What is known of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFacts {
    /// How many messages of the full transcript its full prompt holds.
    pub upto: u32,
    /// The system text and tools it starts with, by number; equal numbers are equal text.
    pub preface: u32,
    /// Tokens of what stands outside the message list: system text and tool schemas.
    pub fixed: Tokens,
    /// Output tokens that the request reserves.
    pub reserve: Tokens,
    /// The status that the log observed.
    pub status: Option<u16>,
    /// Its number in [`Transcript::terms`].
    pub terms: u32,
    /// What the rules said of the request as it was sent, where the log holds it.
    pub judged: Option<Judged>,
}

/// A session as arrays.
#[derive(Clone, Debug)]
pub struct Transcript {
    pub session: String,
    pub api: Api,
    pub model: Option<String>,
    pub messages: Vec<MessageFacts>,
    pub parts: Vec<PartFacts>,
    pub calls: Vec<CallFacts>,
    /// The distinct terms of its calls.
    pub terms: Vec<Terms>,
    /// Every mark that some message or part has.
    marks: Marks,
    /// The ids behind the numbers.
    ids: Vec<Box<str>>,
    /// How its messages hang together.
    units: Units,
    /// The compactions that the log shows.
    pub recorded: Recorded,
}

impl Transcript {
    /// The arrays of a session, its sizes counted by `counter`.
    pub fn of_session(session: &Session, counter: &Counter) -> Transcript {
        let mut builder = Builder::new(judged_api(session), counter, session.messages.len());
        session.messages.iter().for_each(|message| builder.push(message));
        let inserted = session.compactions.iter().flat_map(|compaction| &compaction.inserted);
        let made = inserted.map(|message| builder.apart(message)).collect();
        let mut transcript = builder.finish();
        transcript.recorded = Recorded::of(session, session.messages.len(), made);
        let (terms, numbers) = terms::of_session(session);
        transcript.terms = terms;
        let fixed: Vec<Tokens> =
            session.prefaces.iter().map(|(preface, tools)| size::preface(counter, preface, tools.as_ref())).collect();
        transcript.session.clone_from(&session.id);
        transcript.model.clone_from(&session.model);
        transcript.calls = session
            .calls
            .iter()
            .zip(numbers)
            .map(|(call, terms)| CallFacts {
                terms,
                judged: call.judged,
                upto: call.upto,
                preface: call.preface,
                fixed: fixed.get(call.preface as usize).copied().unwrap_or(0),
                reserve: call.reserve,
                status: call.reply.status,
            })
            .collect();
        transcript
    }

    /// The arrays of one request: a transcript with one call.
    pub fn of_request(request: &Request, counter: &Counter) -> Transcript {
        let mut transcript = Transcript::of_messages(request.api, &request.messages, counter);
        transcript.model.clone_from(&request.model);
        transcript.terms = vec![Terms::of_request(request)];
        transcript.calls = vec![CallFacts {
            upto: request.messages.len() as u32,
            preface: 0,
            fixed: match request.counted {
                Some(counted) => counted.input,
                None => size::preface(counter, &request.system, request.tools.as_ref()),
            },
            reserve: request.max_output.unwrap_or(0),
            status: None,
            terms: 0,
            judged: None,
        }];
        transcript
    }

    /// The arrays of one request for the rules alone: sizes are bounds, and where the request may not fit the window, its
    /// size is counted by `counter`.
    pub fn of_request_in(request: &Request, window: Option<u64>, counter: &Counter) -> Transcript {
        let mut transcript = Transcript::of_request(request, &size::BYTES);
        let counted = window.filter(|_| request.counted.is_none());
        transcript.terms[0].envelope.in_window = counted.map(|window| size::in_window(counter, request, window));
        transcript
    }

    fn of_messages(api: Api, messages: &[Message], counter: &Counter) -> Transcript {
        let mut builder = Builder::new(api, counter, messages.len());
        for message in messages {
            builder.push(message);
        }
        builder.finish()
    }

    /// The parts of message `index`.
    pub fn parts_of(&self, index: usize) -> &[PartFacts] {
        let from = self.messages[index].parts_from as usize;
        let to = self.messages.get(index + 1).map_or(self.parts.len(), |next| next.parts_from as usize);
        &self.parts[from..to]
    }

    /// Adds marks to a part.
    fn mark_part(&mut self, index: usize, part: usize, marks: Marks) {
        let from = self.messages[index].parts_from as usize;
        let facts = &mut self.parts[from + part];
        facts.marks = facts.marks.and(marks);
        self.marks = self.marks.and(marks);
    }

    /// Adds marks to a message.
    fn mark_message(&mut self, index: usize, marks: Marks) {
        let facts = &mut self.messages[index];
        facts.marks = facts.marks.and(marks);
        self.marks = self.marks.and(marks);
    }

    /// Notes what the log leaves open about the list: its first message, and messages that compactions put in, each with
    /// the compaction's index.
    pub fn mark_gaps(&mut self, gaps: &Gaps, inserted: &[(u32, u32)]) {
        if gaps.begins_late && !self.messages.is_empty() {
            self.mark_message(0, Marks::NO_PARENT);
        }
        for (at, _) in inserted.iter().filter(|(_, compaction)| gaps.ties.contains(compaction)) {
            self.mark_message(*at as usize, Marks::RANGE_TIE);
        }
    }

    /// Whether some message or part has any of these marks.
    pub fn has_any(&self, marks: Marks) -> bool {
        self.marks.any(marks)
    }

    /// The id behind a number; `None` for [`IdNo::NONE`].
    pub fn id(&self, id: IdNo) -> Option<&str> {
        self.ids.get(id.0 as usize).map(AsRef::as_ref)
    }

    /// The terms of a call.
    pub fn terms_of(&self, call: usize) -> &Terms {
        &self.terms[self.calls[call].terms as usize]
    }

    /// How many distinct ids it has.
    pub fn n_ids(&self) -> usize {
        self.ids.len()
    }

    /// How its messages hang together.
    pub fn units(&self) -> &Units {
        &self.units
    }
}

/// The API by whose rules the calls of a session are judged: that of the first server that is known to judge by others.
fn judged_api(session: &Session) -> Api {
    let mut servers = session.calls.iter().filter_map(|call| call.server.as_deref());
    let profile = servers.find_map(|host| profiles::at_host(host, session.api));
    profile.map_or(session.api, |profile| profile.judges(session.api))
}

/// Collects the facts of messages as they come.
struct Builder<'c> {
    transcript: Transcript,
    counter: &'c Counter,
    numbers: HashMap<Box<str>, IdNo>,
    /// Where the server's tool uses stand in the parts, by id.
    server_calls: HashMap<IdNo, usize>,
}

impl<'c> Builder<'c> {
    fn new(api: Api, counter: &'c Counter, n_messages: usize) -> Builder<'c> {
        let transcript = Transcript {
            session: String::new(),
            api,
            model: None,
            messages: Vec::with_capacity(n_messages),
            parts: Vec::with_capacity(n_messages),
            calls: Vec::new(),
            terms: Vec::new(),
            marks: Marks::default(),
            ids: Vec::new(),
            units: Units::default(),
            recorded: Recorded::default(),
        };
        Builder { transcript, counter, numbers: HashMap::new(), server_calls: HashMap::new() }
    }

    fn push(&mut self, message: &Message) {
        let parts_from = self.transcript.parts.len() as u32;
        let mut weight = Weight::default();
        for part in &message.parts {
            let own = Weight::of(self.counter, &part.body);
            weight = weight.and(own);
            let facts = self.part(part, own.tokens(self.counter));
            self.transcript.marks = self.transcript.marks.and(facts.marks);
            if facts.marks.has(Marks::SERVER_CALL) {
                self.server_calls.insert(facts.id, self.transcript.parts.len());
            }
            self.transcript.parts.push(facts);
            if let Some(call) = marks::asked_by(part).and_then(|id| self.numbers.get(id)) {
                self.waits(*call);
            }
        }
        let api = self.transcript.api;
        let item = marks::item_id(api, message).map_or(IdNo::NONE, |id| self.number(id));
        let parts = &self.transcript.parts[parts_from as usize..];
        let of_kind = |kind| parts.iter().any(|part| part.kind == kind);
        let marks = marks::of_message(api, message).with(Marks::FAR_SERVER_RESULT, has_far_result(parts));
        self.transcript.marks = self.transcript.marks.and(marks);
        self.transcript.messages.push(MessageFacts {
            item,
            marks,
            speaker: match &message.role {
                // A content of Gemini without a role is the user's.
                Role::Other(name) if name.is_empty() && api == Api::GeminiGenerateContent => Speaker::User,
                role => Speaker::of(role),
            },
            form: form_of(&message.form),
            tokens: weight.in_frame(self.counter),
            parts_from,
            has_calls: of_kind(PartKind::ToolUse),
            has_results: of_kind(PartKind::ToolResult),
            has_substitute: of_kind(PartKind::ToolUse) || has_substitute(message),
            pinned: matches!(message.role, Role::System | Role::Developer),
        });
    }

    /// The facts of a message that is none of the transcript's.
    fn apart(&mut self, message: &Message) -> Made {
        self.push(message);
        let facts = self.transcript.messages.pop().expect("it was pushed");
        let parts = self.transcript.parts.split_off(facts.parts_from as usize);
        Made { facts, parts, of: None }
    }

    /// Code that this call of the server runs asked the client for something.
    fn waits(&mut self, call: IdNo) {
        if let Some(part) = self.server_calls.get(&call) {
            let facts = &mut self.transcript.parts[*part];
            facts.marks = facts.marks.with(Marks::WAITS_FOR_CLIENT, true);
        }
    }

    fn part(&mut self, part: &Part, tokens: Tokens) -> PartFacts {
        let (api, body) = (self.transcript.api, &part.body);
        let kind = match body {
            Body::Text(_) => PartKind::Text,
            Body::ToolUse(_) => PartKind::ToolUse,
            Body::ToolResult(_) => PartKind::ToolResult,
            Body::Thinking(_) => PartKind::Thinking,
            Body::Image(_) => PartKind::Image,
            Body::Other(_) => PartKind::Other,
        };
        PartFacts {
            kind,
            marks: marks::of_part(api, part),
            id: marks::name_of(api, part).map_or(IdNo::NONE, |id| self.number(id)),
            tokens,
            empty: is_empty(body),
            legacy: matches!(body, Body::ToolUse(call) if call.kind == crate::model::ToolUseKind::LegacyFunction),
        }
    }

    fn number(&mut self, id: &str) -> IdNo {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let number = IdNo(self.transcript.ids.len() as u32);
        self.transcript.ids.push(id.into());
        self.numbers.insert(id.into(), number);
        number
    }

    fn finish(mut self) -> Transcript {
        self.transcript.units = Units::of(&self.transcript);
        self.transcript
    }
}

/// Whether one of these parts is the result of a server's tool use that stands in an earlier message.
fn has_far_result(parts: &[PartFacts]) -> bool {
    if !parts.iter().any(|part| part.marks.has(Marks::SERVER_RESULT)) {
        return false;
    }
    let ids = |mark| parts.iter().filter(move |part| part.marks.has(mark)).map(|part| part.id);
    let called: HashSet<IdNo> = ids(Marks::SERVER_CALL).collect();
    ids(Marks::SERVER_RESULT).any(|id| !called.contains(&id))
}

/// A member that says something in the place of `content`, calls of an unknown shape included.
fn has_substitute(message: &Message) -> bool {
    let says = |name: &str| message.extra.get(name).is_some_and(|value| !is_hollow(value));
    ["tool_calls", "function_call", "refusal", "audio"].into_iter().any(says)
}

fn is_hollow(value: &serde_json::Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

fn form_of(form: &Form) -> ContentForm {
    match form {
        Form::Absent => ContentForm::Absent,
        Form::Null => ContentForm::Null,
        Form::Text => ContentForm::Text,
        Form::List => ContentForm::List,
        Form::Other(_) => ContentForm::Other,
    }
}

fn is_empty(body: &Body) -> bool {
    match body {
        Body::Text(text) => text.is_empty(),
        Body::ToolResult(result) => result.content.iter().all(|part| is_empty(&part.body)),
        _ => false,
    }
}

/// Whether a preface says anything.
pub fn is_blank(preface: &Preface) -> bool {
    preface.parts.iter().all(|part| is_empty(&part.body))
}
