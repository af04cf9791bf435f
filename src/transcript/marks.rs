//! What a message or a part shows on its face that rules ask for: one bit each, set once from the wire.
//!
//! A mark states a fact of one part or message alone; what a provider makes of it is a rule's matter.

use serde_json::Value;

use crate::model::{Api, Arguments, Body, Fields, Form, Message, Part, Request, Role};

/// A set of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Marks(u32);

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
    /// A tool use whose arguments are no object.
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

    /// Whether all of `other` are set.
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    fn with(self, other: Marks, holds: bool) -> Marks {
        if holds { Marks(self.0 | other.0) } else { self }
    }
}

/// What the members of a request beside its list say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    /// `previous_response_id` is set.
    pub previous_response: bool,
    /// `conversation` is set.
    pub conversation: bool,
    /// `store` is `false`.
    pub store_off: bool,
    /// No tools are defined.
    pub no_tools: bool,
    /// Thinking is on with a fixed budget.
    pub thinking: bool,
    /// No container is named.
    pub no_container: bool,
    /// The cache marks on tools and system text.
    pub cache: CacheMarks,
}

/// The cache marks in front of the message list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheMarks {
    pub n: u32,
    /// One of them lives five minutes.
    pub has_short: bool,
    /// One that lives an hour stands behind one that lives five minutes.
    pub out_of_order: bool,
}

impl CacheMarks {
    fn of(request: &Request) -> CacheMarks {
        let tools = request.tools.iter().filter_map(Value::as_array).flatten();
        let on_tools = tools.filter_map(|tool| tool.get("cache_control"));
        let on_system = request.system.parts.iter().filter_map(|part| part.extra.get("cache_control"));
        on_tools.chain(on_system).filter(|mark| !mark.is_null()).fold(CacheMarks::default(), |marks, mark| {
            let is_long = is_long(mark);
            CacheMarks {
                n: marks.n + 1,
                has_short: marks.has_short || !is_long,
                out_of_order: marks.out_of_order || (is_long && marks.has_short),
            }
        })
    }
}

fn is_long(mark: &Value) -> bool {
    mark.get("ttl").is_some_and(|ttl| ttl == "1h")
}

impl Frame {
    /// The frame of a request.
    pub fn of(request: &Request) -> Frame {
        let is_set = |name: &str| request.extra.get(name).is_some_and(|value| !value.is_null());
        Frame {
            previous_response: is_set("previous_response_id"),
            conversation: is_set("conversation"),
            store_off: request.extra.get("store") == Some(&Value::Bool(false)),
            no_tools: request.tools.as_ref().is_none_or(Value::is_null),
            thinking: request
                .extra
                .get("thinking")
                .is_some_and(|mode| mode.get("type").is_some_and(|kind| kind == "enabled")),
            no_container: !is_set("container"),
            cache: CacheMarks::of(request),
        }
    }
}

/// The marks of a message.
pub fn of_message(api: Api, message: &Message) -> Marks {
    if api != Api::OpenaiResponses {
        return Marks::default();
    }
    let fields = item_fields(message);
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("message");
    let is_reasoning = kind == "reasoning";
    let is_sealed = message.parts.iter().any(|part| matches!(&part.body, Body::Thinking(t) if t.signature.is_some()));
    let is_made = message.role == Role::Assistant;
    Marks::default()
        .with(Marks::REASONING, is_reasoning)
        .with(Marks::MADE, is_made)
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
    !id.is_empty() && id.len() <= 64 && id.starts_with(prefix)
}

/// The marks of a part.
pub fn of_part(api: Api, part: &Part) -> Marks {
    let marks = of_body(part);
    match api {
        Api::GeminiGenerateContent => gemini(part, marks),
        Api::BedrockConverse => match document_name(api, part) {
            Some(name) => marks.with(Marks::DOCUMENT, true).with(Marks::BAD_NAME, !is_document_name(name)),
            None => marks,
        },
        _ => marks,
    }
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
        Body::Text(text) => marks.with(Marks::BLANK, text.trim().is_empty()),
        Body::ToolUse(call) => marks
            .with(Marks::BAD_INPUT, !matches!(&call.arguments, Arguments::Json(Value::Object(_))))
            .with(Marks::BAD_TOOL_NAME, !is_tool_name(&call.name)),
        Body::ToolResult(result) => {
            let holds = |wanted: fn(&Body) -> bool| result.content.iter().any(|part| wanted(&part.body));
            let has_other = holds(|body| !matches!(body, Body::Text(_)));
            marks
                .with(Marks::ERROR_NOT_TEXT, result.is_error && has_other)
                .with(Marks::IMAGE, holds(|body| matches!(body, Body::Image(_))))
        }
        Body::Thinking(_) => marks.with(Marks::MARKED_THINKING, mark.is_some()),
        Body::Image(_) => marks.with(Marks::IMAGE, true),
        Body::Other(_) => marks,
    }
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
pub fn document_name(api: Api, part: &Part) -> Option<&str> {
    match &part.body {
        Body::Other(value) if api == Api::BedrockConverse => value.get("document")?.get("name")?.as_str(),
        _ => None,
    }
}

fn is_document_name(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || "_-()[] ".contains(c);
    name.chars().count() <= 200 && !name.contains("  ") && name.chars().all(allowed)
}
