//! What a message says, as text for people: clipped, and with nothing in it that could act.

use crate::model::{Arguments, Body, Message, Part};

/// How many bytes of a message a list shows.
pub const CLIP: usize = 2_048;

/// The parts of a message as text.
pub struct Shown {
    pub parts: Vec<ShownPart>,
    /// Bytes that were left out.
    pub left_out: usize,
}

/// One part: what it is, in words, and what it says.
pub struct ShownPart {
    pub label: String,
    pub text: String,
}

/// The parts of a message, together at most `most` bytes of text.
pub fn shown(message: &Message, most: usize) -> Shown {
    let (mut room, mut left_out, mut parts) = (most, 0, Vec::new());
    for part in &message.parts {
        let (label, text) = told(&part.body);
        let kept = text.floor_char_boundary(room.min(text.len()));
        left_out += text.len() - kept;
        room -= kept;
        if kept > 0 || !label.is_empty() {
            parts.push(ShownPart { label: visible(&label), text: visible(&text[..kept]) });
        }
    }
    Shown { parts, left_out }
}

fn told(body: &Body) -> (String, String) {
    let id = |id: &Option<String>| id.as_ref().map_or_else(String::new, |id| format!(" · {id}"));
    match body {
        Body::Text(text) => (String::new(), text.clone()),
        Body::ToolUse(call) => {
            let arguments = match &call.arguments {
                Arguments::Text(text) => text.clone(),
                Arguments::Json(value) => value.to_string(),
            };
            (format!("tool use · {}{}", call.name, id(&call.id)), arguments)
        }
        Body::ToolResult(result) => (format!("tool result{}", id(&result.id)), text_of(&result.content)),
        Body::Thinking(thinking) if thinking.redacted => ("thinking, encrypted".to_owned(), String::new()),
        Body::Thinking(thinking) => ("thinking".to_owned(), thinking.text.clone()),
        Body::Image(_) => ("image".to_owned(), String::new()),
        Body::Other(value) => ("other".to_owned(), value.to_string()),
    }
}

fn text_of(parts: &[Part]) -> String {
    let texts: Vec<String> = parts
        .iter()
        .map(|part| told(&part.body))
        .map(|(label, text)| if text.is_empty() { label } else { text })
        .collect();
    texts.join("\n")
}

/// Text without control characters, which browsers treat each in its own way.
pub fn visible(text: &str) -> String {
    let show = |character: char| match character {
        '\n' | '\t' => character,
        other if other.is_control() => '\u{fffd}',
        other => other,
    };
    text.chars().map(show).collect()
}
