//! The nouns of Cutpoint; this page is the glossary.
//!
//! A **record** is one thing a log says. A **call** is one request to a model with what came of it. A **message** is one
//! entry of a request's list and a **part** is one block of it. A **session** holds the calls of one conversation in wire
//! order over its full transcript: every message once, as if nothing had ever been evicted. A **defect** is something
//! wrong with the *log*; a **finding** (see [`crate::rules`]) is something wrong with a *request*.
//!
//! Nothing here does work: parsing lives in `dialects` and `formats`, joining in `session`.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// A point in time with its offset, as a log states it.
pub type Time = time::OffsetDateTime;

/// A number of tokens.
pub type Tokens = u32;

/// The members of a JSON object that no type of ours names, kept so that rendering loses nothing.
pub type Fields = Map<String, Value>;

/// The language in which a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Api {
    /// Anthropic Messages.
    AnthropicMessages,
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Google Gemini `generateContent`.
    GeminiGenerateContent,
    /// Amazon Bedrock Converse.
    BedrockConverse,
    /// Mistral Chat: OpenAI Chat with rules of its own.
    MistralChat,
}

impl Api {
    /// Every API, in the order in which help texts list them.
    pub const ALL: &[Api] = &[
        Api::AnthropicMessages,
        Api::OpenaiChat,
        Api::OpenaiResponses,
        Api::GeminiGenerateContent,
        Api::BedrockConverse,
        Api::MistralChat,
    ];

    /// The name used on the command line, in JSON and in the database.
    pub fn id(self) -> &'static str {
        match self {
            Api::AnthropicMessages => "anthropic.messages",
            Api::OpenaiChat => "openai.chat",
            Api::OpenaiResponses => "openai.responses",
            Api::GeminiGenerateContent => "gemini.generate_content",
            Api::BedrockConverse => "bedrock.converse",
            Api::MistralChat => "mistral.chat",
        }
    }

    /// The API of that name, if there is one.
    pub fn from_id(id: &str) -> Option<Api> {
        Api::ALL.iter().copied().find(|api| api.id() == id)
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Who speaks in a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    /// OpenAI's role for results of the legacy `function_call`.
    Function,
    /// A role that no API of ours knows, as written; empty where the message has none.
    Other(Box<str>),
}

impl Role {
    /// The role as JSON spells it.
    pub fn as_str(&self) -> &str {
        match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Function => "function",
            Role::Other(name) => name,
        }
    }

    /// The role that JSON spells that way.
    pub fn from_name(name: &str) -> Role {
        match name {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            "function" => Role::Function,
            other => Role::Other(other.into()),
        }
    }
}

/// How a `content` member was written; [`Message::parts`] holds what it said.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Form {
    /// No `content` member at all.
    #[default]
    Absent,
    /// `null`.
    Null,
    /// A bare string: one text part.
    Text,
    /// A list of blocks.
    List,
    /// Neither of these (a number, an object): kept as written, no parts.
    Other(Value),
}

/// One entry of a request's list.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub role: Role,
    pub form: Form,
    pub parts: Vec<Part>,
    pub extra: Fields,
}

/// One block of a message, with the members that its kind does not name.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub body: Body,
    pub extra: Fields,
}

/// What a part says.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Text(String),
    ToolUse(ToolUse),
    ToolResult(ToolResult),
    Thinking(Thinking),
    /// An image, kept as written.
    Image(Value),
    /// Anything else, kept as written.
    Other(Value),
}

/// An assistant's request to run a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    pub kind: ToolUseKind,
    pub id: Option<String>,
    pub name: String,
    pub arguments: Arguments,
}

/// Which member of the wire carries a tool use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolUseKind {
    /// A client tool: `tool_use`, an entry of `tool_calls`.
    Client,
    /// OpenAI's legacy `function_call`: no id, paired by position.
    LegacyFunction,
}

/// The arguments of a tool use, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    Text(String),
    Json(Value),
}

/// The answer to a tool use.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub id: Option<String>,
    pub form: Form,
    pub content: Vec<Part>,
    pub is_error: bool,
}

/// Reasoning that a model wrote and wants back.
#[derive(Clone, Debug, PartialEq)]
pub struct Thinking {
    pub text: String,
    pub signature: Option<String>,
    /// Encrypted: `text` holds the provider's opaque data.
    pub redacted: bool,
}

/// The body of one request, in the language of its API; unknown members are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub api: Api,
    pub model: Option<String>,
    /// Anthropic's top-level `system`; other APIs say it in `messages`.
    pub system: Preface,
    pub tools: Option<Value>,
    pub max_output: Option<Tokens>,
    /// How the message list was written; Responses takes a bare string, or nothing.
    pub list: Form,
    pub messages: Vec<Message>,
    pub extra: Fields,
    /// Its size, where the log holds that in the place of its text.
    pub counted: Option<Counted>,
}

/// The size of a request whose text nobody kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub input: Tokens,
    /// The window of the model, as the log states it.
    pub window: Option<Tokens>,
}

/// What a request says beside its messages, its system text and its tools, as written.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Envelope {
    pub max_output: Option<Tokens>,
    /// How the message list was written.
    pub list: Form,
    pub extra: Fields,
}

/// A `system` member: how it was written and what it says.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Preface {
    pub form: Form,
    pub parts: Vec<Part>,
}

/// Where in the input something stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the user named it, `-` for standard input.
    pub source: Arc<str>,
    /// The line, or the element of a JSON array, counted from 1; 0 where the whole file is meant.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.source),
            line => write!(f, "{}:{line}", self.source),
        }
    }
}

/// One thing a log says.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// One logged request with its whole message list.
    Call(Box<Call>),
    /// One conversation given as its messages; its calls are stated or implied.
    Conversation(Box<Conversation>),
    /// Something in the log that could not be used.
    Defect(Defect),
}

/// Something wrong with the log: kept, counted and shown, never skipped in silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    pub place: Place,
    /// One line: what is wrong and, where there is one, the remedy.
    pub reason: String,
}

/// One logged request to a model, with what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub place: Place,
    pub id: Option<String>,
    pub session: Option<String>,
    pub time: Option<Time>,
    /// The host that it was sent to.
    pub server: Option<String>,
    pub request: Request,
    /// What the model answered, as a client sends it back: one message, or the items of Responses.
    pub response: Vec<Message>,
    pub reply: Reply,
    /// What the rules say of the request, once it was judged.
    pub judged: Option<Judged>,
}

impl Call {
    /// A request that no log holds.
    pub fn lone(request: Request) -> Call {
        Call {
            place: Place { source: "-".into(), line: 1 },
            id: None,
            session: None,
            time: None,
            server: None,
            request,
            response: Vec::new(),
            reply: Reply::default(),
            judged: None,
        }
    }
}

/// What a provider would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    Accept,
    Depends,
    /// Part of the request is not at hand: cut or masked by the log, or kept by the server.
    Unverifiable,
    Reject,
}

impl Verdict {
    /// Every verdict, from accepted to rejected.
    pub const ALL: &[Verdict] = &[Verdict::Accept, Verdict::Depends, Verdict::Unverifiable, Verdict::Reject];

    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Accept => "accept",
            Verdict::Depends => "depends",
            Verdict::Unverifiable => "unverifiable",
            Verdict::Reject => "reject",
        }
    }

    /// The verdict of that name.
    pub fn from_id(id: &str) -> Option<Verdict> {
        Verdict::ALL.iter().copied().find(|verdict| verdict.as_str() == id)
    }

    /// Whether a policy may be charged for what it makes of a request with this verdict.
    pub fn is_chargeable(self) -> bool {
        matches!(self, Verdict::Accept | Verdict::Depends)
    }
}

/// The verdict on a logged request as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    pub verdict: Verdict,
    /// The rule that decides it, where one does.
    pub rule: Option<&'static str>,
}

/// How a call ended, as far as the log says.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reply {
    pub status: Option<u16>,
    pub error: Option<String>,
    pub usage: Option<Usage>,
}

/// Tokens as the provider reported them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// All tokens of the prompt, cached ones included.
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

/// One conversation that a log keeps as messages instead of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    pub place: Place,
    pub session: String,
    pub parent: Option<String>,
    pub api: Api,
    pub model: Option<String>,
    pub preface: Preface,
    pub tools: Option<Value>,
    /// The full transcript, in the order of the wire.
    pub messages: Vec<Message>,
    /// The calls that the log states, ascending by `upto`; `None` where they are implied by the assistant's messages.
    pub calls: Option<Vec<SessionCall>>,
    pub compactions: Vec<Compaction>,
    pub gaps: Gaps,
}

/// What a log leaves open about the list of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Gaps {
    /// The first message names one before it that the log does not hold.
    pub begins_late: bool,
    /// Compactions, as indexes, whose range ends on several messages at once: which of these left is open.
    pub ties: Vec<u32>,
}

/// The calls of one conversation, in wire order, over its full transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    pub id: String,
    pub parent: Option<String>,
    /// The file it was first seen in.
    pub place: Place,
    pub api: Api,
    pub model: Option<String>,
    /// What stands outside the message list, each distinct pair of system text and tools once.
    pub prefaces: Vec<(Preface, Option<Value>)>,
    /// What else the requests say beside their messages, each distinct one once.
    pub envelopes: Vec<Envelope>,
    /// Every message once, in wire order, as if nothing had ever been evicted.
    pub messages: Vec<Message>,
    pub calls: Vec<SessionCall>,
    /// The compactions that the log shows.
    pub compactions: Vec<Compaction>,
}

/// One call of a session: its full prompt is the first `upto` messages.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SessionCall {
    pub upto: u32,
    /// Index into [`Session::prefaces`].
    pub preface: u32,
    /// Index into [`Session::envelopes`]; `None` where the log shows the messages alone.
    pub envelope: Option<u32>,
    pub id: Option<Box<str>>,
    /// The model that it names; where it names none, that of the session serves.
    pub model: Option<Arc<str>>,
    /// The host that it was sent to.
    pub server: Option<Arc<str>>,
    pub time: Option<Time>,
    /// The output tokens that the request reserves (`max_tokens`).
    pub reserve: Tokens,
    pub reply: Reply,
    /// What the rules say of the request as it was sent, where the log holds it as one.
    pub judged: Option<Judged>,
}

impl SessionCall {
    /// The model that it is for, in a session of that model.
    pub fn model_or<'a>(&'a self, session: Option<&'a str>) -> Option<&'a str> {
        self.model.as_deref().or(session)
    }
}

/// A compaction that really happened, as the log shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    /// The first call whose prompt is the compacted one, as an index into the session's calls.
    pub call: u32,
    pub origin: Origin,
    /// What set it off, in the log's words (`auto`, `manual`).
    pub trigger: Option<String>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    /// Indexes of the messages that left, ascending; empty where the log does not say.
    pub evicted: Vec<u32>,
    /// What was put in their place, if anything.
    pub inserted: Vec<Message>,
    pub time: Option<Time>,
}

/// How we know of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The log marks it.
    Marked,
    /// A request stopped extending the one before it.
    Inferred,
}

impl Origin {
    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Marked => "marked",
            Origin::Inferred => "inferred",
        }
    }
}
