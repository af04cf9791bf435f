//! When two messages are the same one: a hash of what they say.
//!
//! Role, texts, tool uses and results count. Cache markers and other members, whether a text stands bare or in a block,
//! empty texts, and thinking (clients strip it from older messages) do not.

use serde_json::Value;

use crate::model::{Arguments, Body, Message, Part, Role};

/// The hash of a message, or of a list of them.
pub type Digest = [u8; 16];

/// The hashes of a message list.
pub struct List {
    /// Of each message.
    pub digests: Vec<Digest>,
    /// Of each prefix: of the first message, of the first two, and so on.
    pub running: Vec<Digest>,
    /// How many messages at the start are system or developer messages.
    pub n_pinned: usize,
}

/// The hashes of a message list.
pub fn list(messages: &[Message]) -> List {
    let digests: Vec<Digest> = messages.iter().map(digest).collect();
    let mut running = Vec::with_capacity(digests.len());
    let mut before = Digest::default();
    for digest in &digests {
        before = pair(&before, digest);
        running.push(before);
    }
    let pinned = |message: &&Message| matches!(message.role, Role::System | Role::Developer);
    List { digests, running, n_pinned: messages.iter().take_while(pinned).count() }
}

/// Whether two messages say the same.
pub fn same(left: &Message, right: &Message) -> bool {
    digest(left) == digest(right)
}

/// The hash of two hashes in order.
pub fn pair(left: &Digest, right: &Digest) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(left).update(right);
    short(&hasher)
}

fn short(hasher: &blake3::Hasher) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    digest
}

/// The hash of what a message says.
pub fn digest(message: &Message) -> Digest {
    let mut said = Vec::with_capacity(256);
    say(&mut said, b'm', message.role.as_str());
    message.parts.iter().for_each(|part| say_part(&mut said, part));
    let mut hasher = blake3::Hasher::new();
    hasher.update(&said);
    short(&hasher)
}

/// Adds a text, told apart by its kind and length from what follows.
fn say(said: &mut Vec<u8>, kind: u8, text: &str) {
    said.push(kind);
    said.extend_from_slice(&(text.len() as u64).to_le_bytes());
    said.extend_from_slice(text.as_bytes());
}

fn say_part(said: &mut Vec<u8>, part: &Part) {
    match &part.body {
        Body::Text(text) if text.is_empty() => {}
        Body::Text(text) => say(said, b't', text),
        Body::Thinking(_) => {}
        Body::ToolUse(call) => {
            say(said, b'u', call.id.as_deref().unwrap_or_default());
            say(said, b'n', &call.name);
            match &call.arguments {
                Arguments::Text(text) => say(said, b'a', text),
                Arguments::Json(value) => say(said, b'a', &value.to_string()),
            }
        }
        Body::ToolResult(result) => {
            say(said, b'r', result.id.as_deref().unwrap_or_default());
            result.content.iter().for_each(|part| say_part(said, part));
        }
        Body::Image(value) | Body::Other(value) => say(said, b'o', &without_cache(value)),
    }
}

/// The hash of a text.
pub fn of_text(text: &str) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    short(&hasher)
}

/// The hash of all that a value holds, as it prints for debugging: equal hashes are equal values.
pub fn of_debug(value: &impl std::fmt::Debug) -> Digest {
    struct Hashed(blake3::Hasher);
    impl std::fmt::Write for Hashed {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut hashed = Hashed(blake3::Hasher::new());
    std::fmt::write(&mut hashed, format_args!("{value:?}")).expect("hashing never fails");
    short(&hashed.0)
}

/// The JSON of a value without the cache marks of its members.
pub fn without_cache_marks(value: &Value) -> String {
    match value {
        Value::Array(members) => members.iter().map(without_cache).collect(),
        other => without_cache(other),
    }
}

fn without_cache(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("cache_control");
    }
    value.to_string()
}
