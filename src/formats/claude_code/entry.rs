//! One line of a session file, as far as it matters to the conversation.

use serde_json::Value;

use crate::model::{Message, Time, Usage};
use crate::{dialects, model::Api};

/// What a line is.
pub enum Line {
    Entry(Box<Entry>),
    /// Known to say nothing of the conversation, and no parent of other lines.
    Bookkeeping,
    /// Unusable: why.
    Bad(String),
}

/// A line that speaks, or that others may hang on.
pub struct Entry {
    pub line: u32,
    pub uuid: Option<String>,
    pub parent: Parent,
    pub session: Option<String>,
    pub sidechain: bool,
    pub agent: Option<String>,
    pub time: Option<Time>,
    pub kind: Kind,
}

/// Which line an entry follows.
pub enum Parent {
    Uuid(String),
    /// It begins a conversation.
    Root,
    /// Not said: the line before it.
    Unstated,
}

/// What an entry says.
pub enum Kind {
    User {
        message: Message,
    },
    Assistant(Chunk),
    /// Written by the client after a failed or empty call.
    Synthetic {
        status: Option<u16>,
        text: String,
    },
    /// The text that stands for what a compaction took away.
    Summary {
        message: Message,
    },
    Boundary(Boundary),
    /// Bookkeeping that other lines may hang on.
    Link,
}

/// One line's share of an assistant message.
pub struct Chunk {
    pub id: Option<String>,
    pub model: Option<String>,
    pub message: Message,
    pub usage: Option<Usage>,
}

/// A `compact_boundary` line.
pub struct Boundary {
    pub trigger: Option<String>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    /// The lines that stayed.
    pub preserved: Vec<String>,
}

impl Entry {
    /// Whether it is part of the talk.
    pub fn is_message(&self) -> bool {
        !matches!(self.kind, Kind::Link | Kind::Boundary(_))
    }

    /// Whether it marks a compaction.
    pub fn is_boundary(&self) -> bool {
        matches!(self.kind, Kind::Boundary(_))
    }

    /// The sub-agent that a sidechain line belongs to: its id, else one made of the line that begins it.
    pub fn thread_name(&self) -> Option<String> {
        let named =
            || self.uuid.as_deref().map_or_else(|| "sidechain".to_owned(), |uuid| uuid.chars().take(8).collect());
        self.sidechain.then(|| self.agent.clone().unwrap_or_else(named))
    }
}

/// Reads one line.
pub fn line(mut value: Value, line: u32) -> Line {
    let Some(kind) = value.get("type").and_then(Value::as_str) else {
        return Line::Bad("no `type`: not a line of a Claude Code session".to_owned());
    };
    let kind = match kind {
        "user" | "assistant" => match speech(&mut value) {
            Ok(kind) => kind,
            Err(reason) => return Line::Bad(reason),
        },
        "system" if text(&value, "subtype").as_deref() == Some("compact_boundary") => Kind::Boundary(boundary(&value)),
        _ if value.get("uuid").is_none() => return Line::Bookkeeping,
        _ => Kind::Link,
    };
    Line::Entry(Box::new(Entry {
        line,
        uuid: text(&value, "uuid"),
        parent: parent(&value),
        session: text(&value, "sessionId"),
        sidechain: flag(&value, "isSidechain"),
        agent: text(&value, "agentId"),
        time: super::super::time(value.get("timestamp")),
        kind,
    }))
}

fn text(value: &Value, member: &str) -> Option<String> {
    value.get(member).and_then(Value::as_str).map(str::to_owned)
}

fn flag(value: &Value, member: &str) -> bool {
    value.get(member).and_then(Value::as_bool).unwrap_or(false)
}

fn parent(value: &Value) -> Parent {
    match (value.get("parentUuid"), text(value, "logicalParentUuid")) {
        (Some(Value::String(uuid)), _) => Parent::Uuid(uuid.clone()),
        (_, Some(uuid)) => Parent::Uuid(uuid),
        (None, None) => Parent::Unstated,
        _ if value.get("compactMetadata").is_some() => Parent::Unstated,
        _ => Parent::Root,
    }
}

fn speech(value: &mut Value) -> Result<Kind, String> {
    let assistant = value.get("type").is_some_and(|kind| kind == "assistant");
    let summary = flag(value, "isCompactSummary");
    let api_error = flag(value, "isApiErrorMessage");
    let status = super::super::status(value.get("apiErrorStatus"));
    let message = value.get_mut("message").map(Value::take).filter(Value::is_object);
    let message = message.ok_or("the line has no `message` object")?;
    if !assistant {
        let message = plain(&message, "user");
        return Ok(if summary { Kind::Summary { message } } else { Kind::User { message } });
    }
    let model = text(&message, "model");
    if api_error || model.as_deref() == Some("<synthetic>") {
        let text = said(&message);
        return Ok(Kind::Synthetic { status: status.or_else(|| stated_status(&text)), text });
    }
    let usage = super::super::usage(message.get("usage"));
    Ok(Kind::Assistant(Chunk { id: text(&message, "id"), model, usage, message: plain(&message, "assistant") }))
}

/// Role and content alone, as a client sends them back.
fn plain(message: &Value, role: &str) -> Message {
    let mut fields = serde_json::Map::new();
    fields.insert("role".to_owned(), role.into());
    if let Some(content) = message.get("content") {
        fields.insert("content".to_owned(), content.clone());
    }
    (dialects::for_api(Api::AnthropicMessages).parse_message)(Value::Object(fields))
}

/// The text of a message.
fn said(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// The status in `API Error: 400 {...}`.
fn stated_status(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("API Error:")?.trim_start().get(..3)?;
    digits.parse().ok().filter(|status| (400..600).contains(status))
}

fn boundary(value: &Value) -> Boundary {
    let meta = value.get("compactMetadata").unwrap_or(&Value::Null);
    let uuids = meta.pointer("/preservedMessages/uuids").and_then(Value::as_array);
    Boundary {
        trigger: text(meta, "trigger"),
        tokens_before: meta.get("preTokens").and_then(Value::as_u64),
        tokens_after: meta.get("postTokens").and_then(Value::as_u64),
        preserved: uuids.into_iter().flatten().filter_map(|uuid| uuid.as_str().map(str::to_owned)).collect(),
    }
}
