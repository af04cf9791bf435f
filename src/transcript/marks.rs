//! What a message or a part shows on its face that rules ask for: one bit each, set once from the wire.
//!
//! A mark states a fact of one part or message alone; what a provider makes of it is a rule's matter.

use serde_json::Value;

use crate::model::{Api, Arguments, Body, Fields, Form, Message, Part, Role};

use super::{cut, ids};

/// A set of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Marks(u64);

impl Marks {
    /// An item of type `reasoning`.
    pub const REASONING: Marks = Marks(1);
    /// An item whose own id does not begin as its type asks, is empty or too long.
    pub const BAD_ITEM_ID: Marks = Marks(1 << 1);
    /// A reasoning item without `summary`.
    pub const NO_SUMMARY: Marks = Marks(1 << 2);
    /// A reasoning item that the server is asked to remember: an id, and no encrypted content.
    pub const BY_ID: Marks = Marks(1 << 3);
    /// An item that names one on the server.
    pub const REFERENCE: Marks = Marks(1 << 4);
    /// A part that holds no data: no member but metadata, or none at all.
    pub const NO_DATA: Marks = Marks(1 << 5);
    /// A text of white space alone, or of nothing.
    pub const BLANK: Marks = Marks(1 << 6);
    /// A part with a thought signature.
    pub const SIGNED: Marks = Marks(1 << 7);
    /// A result that must name its function and does not.
    pub const NAMELESS: Marks = Marks(1 << 8);
    /// A document.
    pub const DOCUMENT: Marks = Marks(1 << 9);
    /// A document whose name holds what it may not hold.
    pub const BAD_NAME: Marks = Marks(1 << 10);
    /// An item that a model made.
    pub const MADE: Marks = Marks(1 << 11);
    /// A tool use whose arguments are none that its API takes: no object, in Chat no string.
    pub const BAD_INPUT: Marks = Marks(1 << 12);
    /// A tool use whose name holds what it may not hold, or nothing.
    pub const BAD_TOOL_NAME: Marks = Marks(1 << 13);
    /// A failed result that holds more than text.
    pub const ERROR_NOT_TEXT: Marks = Marks(1 << 14);
    /// Thinking with a cache mark.
    pub const MARKED_THINKING: Marks = Marks(1 << 15);
    /// An image, or a result that holds one.
    pub const IMAGE: Marks = Marks(1 << 16);
    /// A cache mark, of whatever life.
    pub const CACHED: Marks = Marks(1 << 17);
    /// A cache mark that lives an hour.
    pub const CACHED_LONG: Marks = Marks(1 << 18);
    /// A tool use that running code asked for.
    pub const BY_CODE: Marks = Marks(1 << 19);
    /// A tool use that the provider's server runs.
    pub const SERVER_CALL: Marks = Marks(1 << 20);
    /// What such a tool use gave.
    pub const SERVER_RESULT: Marks = Marks(1 << 21);
    /// A server's tool use whose code asked the client for something: it waits for that.
    pub const WAITS_FOR_CLIENT: Marks = Marks(1 << 22);
    /// Of a message: it holds the result of a server's tool use that stands in an earlier one.
    pub const FAR_SERVER_RESULT: Marks = Marks(1 << 23);
    /// Thinking without its signature.
    pub const UNSIGNED: Marks = Marks(1 << 24);
    /// A text that ends with white space.
    pub const TRAILING_SPACE: Marks = Marks(1 << 25);
    /// An id of a call or result that its API does not take.
    pub const BAD_CALL_ID: Marks = Marks(1 << 26);
    /// An id of a call or result that its API took only lately.
    pub const LATE_CALL_ID: Marks = Marks(1 << 27);
    /// An id that a logger put in the place of the true one.
    pub const MASKED_ID: Marks = Marks(1 << 28);
    /// A text that a logger cut.
    pub const CUT: Marks = Marks(1 << 29);
    /// Of a message: a list of calls that holds none.
    pub const EMPTY_CALLS: Marks = Marks(1 << 30);
    /// Of a message: a name that was refused until lately.
    pub const LATE_SPEAKER_NAME: Marks = Marks(1 << 43);
    /// Of a message: a name that holds what it may not hold.
    pub const BAD_SPEAKER_NAME: Marks = Marks(1 << 31);
    /// Of a message: reasoning that the server wants back in a member of its own.
    pub const KEEPS_REASONING: Marks = Marks(1 << 32);
    /// Of a message: the model is asked to go on with it.
    pub const PREFIX: Marks = Marks(1 << 33);
    /// A tool use whose arguments are a string that is no JSON.
    pub const INPUT_NOT_JSON: Marks = Marks(1 << 38);
    /// A part of Converse that only marks where a cache entry ends.
    pub const CACHE_POINT: Marks = Marks(1 << 40);
    /// Of a message: it names one before it that the log does not hold.
    pub const NO_PARENT: Marks = Marks(1 << 41);
    /// Of a message: it stands for a range that ends on several messages at once.
    pub const RANGE_TIE: Marks = Marks(1 << 42);
    /// Thinking.
    pub const THINKING: Marks = Marks(1 << 39);
    /// A message of the assistant without an id of the server's.
    pub const RETOLD: Marks = Marks(1 << 40);
    /// History: the block is not what the model wrote.
    pub const EDITED: Marks = Marks(1 << 34);
    /// History: what stands before the block is not what stood there when the model wrote it.
    pub const PREFIX_CHANGED: Marks = Marks(1 << 35);
    /// History: another model wrote the block.
    pub const OTHER_MODEL: Marks = Marks(1 << 36);
    /// History, of a message: the reasoning that the server made before it is gone.
    pub const LOST_REASONING: Marks = Marks(1 << 37);

    /// Whether all of `other` are set.
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is set.
    pub fn any(self, other: Marks) -> bool {
        self.0 & other.0 != 0
    }

    /// These marks and `other`.
    pub const fn and(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// These marks but `other`.
    pub fn without(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// These marks, and `other` where it holds.
    pub fn with(self, other: Marks, holds: bool) -> Marks {
        if holds { self.and(other) } else { self }
    }
}

/// Whether a cache mark lives an hour.
pub(super) fn is_long(mark: &Value) -> bool {
    mark.get("ttl").is_some_and(|ttl| ttl == "1h")
}

/// The marks of a message, but for what its parts and its history say.
pub fn of_message(api: Api, message: &Message) -> Marks {
    match api {
        Api::OpenaiResponses => item(message),
        Api::OpenaiChat | Api::MistralChat => chat(&message.extra),
        _ => Marks::default(),
    }
}

fn chat(extra: &Fields) -> Marks {
    let name = extra.get("name").and_then(Value::as_str);
    Marks::default()
        .with(Marks::EMPTY_CALLS, extra.get("tool_calls").and_then(Value::as_array).is_some_and(Vec::is_empty))
        .with(Marks::BAD_SPEAKER_NAME, name.is_some_and(|name| !is_speaker_name(name)))
        .with(Marks::LATE_SPEAKER_NAME, name.is_some_and(|name| is_speaker_name(name) && !is_tool_name(name)))
        .with(Marks::KEEPS_REASONING, extra.get("reasoning_content").is_some_and(Value::is_string))
        .with(Marks::PREFIX, extra.get("prefix") == Some(&Value::Bool(true)))
}

fn item(message: &Message) -> Marks {
    let fields = item_fields(message);
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("message");
    let is_reasoning = kind == "reasoning";
    let is_sealed = message.parts.iter().any(|part| matches!(&part.body, Body::Thinking(t) if t.signature.is_some()));
    let is_made = message.role == Role::Assistant;
    Marks::default()
        .with(Marks::REASONING, is_reasoning)
        .with(Marks::MADE, is_made)
        .with(Marks::RETOLD, is_made && kind == "message" && !fields.contains_key("id"))
        .with(Marks::BAD_ITEM_ID, fields.get("id").and_then(Value::as_str).is_some_and(|id| !fits(kind, is_made, id)))
        .with(Marks::NO_SUMMARY, is_reasoning && fields.get("summary").is_none_or(Value::is_null))
        .with(Marks::BY_ID, is_reasoning && fields.contains_key("id") && !is_sealed)
        .with(Marks::REFERENCE, kind == "item_reference")
}

/// The id of an item of Responses; references name another's.
pub fn item_id(api: Api, message: &Message) -> Option<&str> {
    if api != Api::OpenaiResponses {
        return None;
    }
    item_fields(message).get("id")?.as_str().filter(|id| !id.is_empty())
}

fn item_fields(message: &Message) -> &Fields {
    match message.parts.as_slice() {
        [Part { body: Body::Other(Value::Object(fields)), .. }] if message.form == Form::Absent => fields,
        _ => &message.extra,
    }
}

/// Whether an item's id is one that its type may have.
fn fits(kind: &str, is_made: bool, id: &str) -> bool {
    let prefix = match kind {
        "message" if is_made => "msg",
        "reasoning" => "rs",
        "function_call" => "fc",
        _ => "",
    };
    let is_allowed = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'-';
    (1..=64).contains(&id.len()) && id.starts_with(prefix) && id.bytes().all(is_allowed)
}

/// The marks of a part, but for what its history says.
pub fn of_part(api: Api, part: &Part) -> Marks {
    let is_refused = |id: &str| ids::is_refused(api, id) && !ids::is_masked(id);
    let marks = of_body(part).with(Marks::BAD_CALL_ID, call_id(part).is_some_and(is_refused));
    match api {
        Api::AnthropicMessages => match server_id(part) {
            Some((kind, _)) => marks.with(kind, true),
            None => marks,
        },
        Api::OpenaiChat | Api::MistralChat => match &part.body {
            Body::ToolUse(call) => {
                let is_typed = matches!(&call.arguments, Arguments::Json(value) if !value.is_null());
                marks.without(Marks::BAD_INPUT).with(Marks::BAD_INPUT, is_typed)
            }
            _ => marks,
        },
        Api::GeminiGenerateContent => gemini(part, marks),
        Api::BedrockConverse => {
            let name = document_name(part);
            marks
                .with(Marks::LATE_CALL_ID, call_id(part).is_some_and(|id| id.contains(['.', ':'])))
                .with(Marks::DOCUMENT, name.is_some())
                .with(Marks::CACHE_POINT, matches!(&part.body, Body::Other(value) if value.get("cachePoint").is_some()))
                .with(Marks::BAD_NAME, name.is_some_and(|name| !is_document_name(name)))
        }
        _ => marks,
    }
}

/// The id of a call or result.
fn call_id(part: &Part) -> Option<&str> {
    match &part.body {
        Body::ToolUse(call) => call.id.as_deref(),
        Body::ToolResult(result) => result.id.as_deref(),
        _ => None,
    }
}

/// Whether a part that its API knows is a tool use of the server or its result, and the id that joins them.
fn server_id(part: &Part) -> Option<(Marks, &str)> {
    let Body::Other(value) = &part.body else { return None };
    let kind = value.get("type")?.as_str()?;
    if kind == "server_tool_use" || kind == "mcp_tool_use" {
        return Some((Marks::SERVER_CALL, value.get("id")?.as_str()?));
    }
    kind.ends_with("_tool_result").then(|| Some((Marks::SERVER_RESULT, value.get("tool_use_id")?.as_str()?)))?
}

/// What a part goes by: the id of a call or result, a server's ones included, or the name of a document.
pub fn name_of(api: Api, part: &Part) -> Option<&str> {
    let name = match api {
        Api::AnthropicMessages => call_id(part).or_else(|| server_id(part).map(|(_, id)| id)),
        Api::BedrockConverse => call_id(part).or_else(|| document_name(part)),
        _ => call_id(part),
    };
    // A mask joins nothing; position does.
    name.filter(|name| !ids::is_masked(name))
}

/// The server's tool use whose code asked for this one.
pub fn asked_by(part: &Part) -> Option<&str> {
    part.extra.get("caller")?.get("tool_id")?.as_str()
}

/// The marks that a part has in whatever language.
fn of_body(part: &Part) -> Marks {
    let mark = part.extra.get("cache_control").filter(|mark| !mark.is_null());
    let asked_by = part.extra.get("caller").and_then(|caller| caller.get("type")?.as_str());
    let marks = Marks::default()
        .with(Marks::CACHED, mark.is_some())
        .with(Marks::CACHED_LONG, mark.is_some_and(is_long))
        .with(Marks::BY_CODE, asked_by.is_some_and(|kind| kind.starts_with("code_execution")));
    match &part.body {
        Body::Text(text) => marks
            .with(Marks::BLANK, text.trim().is_empty())
            .with(Marks::TRAILING_SPACE, text.ends_with(char::is_whitespace))
            .with(Marks::CUT, cut::is_cut(text)),
        Body::ToolUse(call) => marks
            .with(Marks::BAD_INPUT, !matches!(&call.arguments, Arguments::Json(Value::Object(_))))
            .with(
                Marks::INPUT_NOT_JSON,
                !is_custom(part) && matches!(&call.arguments, Arguments::Text(text) if !is_json(text)),
            )
            .with(Marks::BAD_TOOL_NAME, !is_tool_name(&call.name))
            .with(Marks::MASKED_ID, call.id.as_deref().is_some_and(ids::is_masked))
            .with(Marks::CUT, matches!(&call.arguments, Arguments::Text(text) if cut::is_cut(text))),
        Body::ToolResult(result) => {
            let holds = |wanted: fn(&Body) -> bool| result.content.iter().any(|part| wanted(&part.body));
            let has_other = holds(|body| !matches!(body, Body::Text(_)));
            marks
                .with(Marks::MASKED_ID, result.id.as_deref().is_some_and(ids::is_masked))
                .with(Marks::CUT, holds(|body| matches!(body, Body::Text(text) if cut::is_cut(text))))
                .with(Marks::ERROR_NOT_TEXT, result.is_error && has_other)
                .with(Marks::IMAGE, holds(|body| matches!(body, Body::Image(_))))
        }
        Body::Thinking(thinking) => marks
            .with(Marks::THINKING, true)
            .with(Marks::MARKED_THINKING, mark.is_some())
            .with(Marks::UNSIGNED, !thinking.redacted && thinking.signature.as_deref().unwrap_or_default().is_empty()),
        Body::Image(_) => marks.with(Marks::IMAGE, true),
        Body::Other(_) => marks,
    }
}

/// Whether a tool use is one whose input is free text.
fn is_custom(part: &Part) -> bool {
    part.extra.get("type").is_some_and(|kind| kind == "custom")
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether OpenAI takes a name of a message today.
fn is_speaker_name(name: &str) -> bool {
    let is_refused = |letter: char| letter.is_whitespace() || r"<|\/>".contains(letter);
    (1..=64).contains(&name.chars().count()) && !name.contains(is_refused)
}

fn is_tool_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'-')
}

fn gemini(part: &Part, marks: Marks) -> Marks {
    let signature = ["thoughtSignature", "thought_signature"].iter().find_map(|name| part.extra.get(*name)?.as_str());
    let response = ["functionResponse", "function_response"].iter().find_map(|name| part.extra.get(*name));
    let name = response.and_then(|response| response.get("name")?.as_str()).unwrap_or_default();
    let is_result = matches!(part.body, Body::ToolResult(_));
    marks
        .with(Marks::SIGNED, signature.is_some_and(|text| !text.is_empty()))
        .with(Marks::NAMELESS, is_result && name.is_empty())
        .with(Marks::NO_DATA, matches!(&part.body, Body::Other(value) if is_hollow(value)))
}

fn is_hollow(part: &Value) -> bool {
    let says = |(name, value): (&String, &Value)| !name.starts_with("thought") && !value.is_null();
    part.as_object().is_some_and(|fields| !fields.iter().any(says))
}

/// The name of a document of Converse.
fn document_name(part: &Part) -> Option<&str> {
    match &part.body {
        Body::Other(value) => value.get("document")?.get("name")?.as_str(),
        _ => None,
    }
}

fn is_document_name(name: &str) -> bool {
    let is_allowed = |letter: u8| letter.is_ascii_alphanumeric() || b"_-()[] ".contains(&letter);
    (1..=200).contains(&name.len()) && !name.contains("  ") && name.bytes().all(is_allowed)
}
