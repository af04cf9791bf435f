//! What the text and members of a part show, as the bits that rules ask for.

use serde_json::Value;

use super::PartFacts;
use crate::model::{Arguments, Body, Part, ToolResult, ToolUse};

/// The bits of one part.
pub(super) fn of(part: &Part) -> u8 {
    match &part.body {
        Body::Text(text) => bit(!text.is_empty() && text.trim().is_empty(), PartFacts::BLANK),
        Body::ToolUse(call) => of_call(call),
        Body::ToolResult(result) => of_result(result),
        Body::Thinking(_) => {
            let is_marked = part.extra.get("cache_control").is_some_and(|mark| !mark.is_null());
            bit(is_marked, PartFacts::MARKED_THINKING)
        }
        Body::Image(_) => PartFacts::IMAGE,
        Body::Other(_) => 0,
    }
}

fn bit(holds: bool, flag: u8) -> u8 {
    if holds { flag } else { 0 }
}

fn of_call(call: &ToolUse) -> u8 {
    let is_object = matches!(&call.arguments, Arguments::Json(Value::Object(_)));
    let is_fine = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'-';
    let has_name = !call.name.is_empty() && call.name.bytes().all(is_fine);
    bit(!is_object, PartFacts::BAD_INPUT) | bit(!has_name, PartFacts::BAD_NAME)
}

fn of_result(result: &ToolResult) -> u8 {
    let has = |wanted: fn(&Body) -> bool| result.content.iter().any(|part| wanted(&part.body));
    let has_other = has(|body| !matches!(body, Body::Text(_)));
    bit(result.is_error && has_other, PartFacts::ERROR_NOT_TEXT)
        | bit(has(|body| matches!(body, Body::Image(_))), PartFacts::IMAGE)
}
