//! Members whose value is wrong in its letters or its type: names, arguments, lists of calls, the definition of tools.

use serde_json::{Map, Value, json};

use crate::model::{Api, Arguments, Body};
use crate::rules::Place;
use crate::transcript::Marks;

use super::Round;
use super::draft::Draft;

/// Leaves out lists of calls that hold none.
pub(super) fn leave_out_calls(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        draft.say(Place::message(position), "leave out the empty list of calls".to_owned());
        draft.message_mut(position).extra.shift_remove("tool_calls");
    }
}

/// Writes arguments in the type that the API takes, where they say what it needs.
pub(super) fn rewrite_arguments(round: &Round, draft: &mut Draft) {
    let api = draft.api();
    for (site, _) in round.prompt.marked(Marks::BAD_INPUT) {
        let Body::ToolUse(call) = &mut draft.part_mut(site).body else { continue };
        let Some(arguments) = rewritten(api, &call.arguments) else { continue };
        call.arguments = arguments;
        let name = round.name(round.prompt.entry(site.message as usize).parts[site.block as usize].id);
        draft.say(site, format!("write the arguments of tool call {name} in the type that this API takes"));
    }
}

fn rewritten(api: Api, arguments: &Arguments) -> Option<Arguments> {
    match (api, arguments) {
        (Api::AnthropicMessages, Arguments::Text(text)) => {
            serde_json::from_str(text).ok().filter(Value::is_object).map(Arguments::Json)
        }
        // Some languages write an object without members as an empty list.
        (Api::AnthropicMessages, Arguments::Json(value)) if is_hollow(value) => {
            Some(Arguments::Json(Value::Object(Map::new())))
        }
        (Api::OpenaiChat, Arguments::Json(value)) => Some(Arguments::Text(value.to_string())),
        _ => None,
    }
}

fn is_hollow(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Writes names of functions in the letters that are taken.
pub(super) fn rename_functions(round: &Round, draft: &mut Draft) {
    for (site, _) in round.prompt.marked(Marks::BAD_TOOL_NAME) {
        let Body::ToolUse(call) = &mut draft.part_mut(site).body else { continue };
        if call.name.is_empty() {
            continue;
        }
        call.name = plain(&call.name);
        let why = format!("name the function `{}`: its name held letters that are refused", call.name);
        draft.say(site, why);
    }
}

/// Writes names of speakers in the letters that are taken.
pub(super) fn rename_speakers(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let fields = &mut draft.message_mut(position).extra;
        let name: String = fields.get("name").and_then(Value::as_str).map(plain).unwrap_or_default();
        let name: String = name.chars().take(64).collect();
        let why = if name.is_empty() {
            fields.shift_remove("name");
            "leave out a name that says nothing".to_owned()
        } else {
            fields.insert("name".to_owned(), name.clone().into());
            format!("name the speaker `{name}`: the name held letters that are refused, or too many")
        };
        draft.say(Place::message(position), why);
    }
}

/// A name with `_` for each letter that is refused.
fn plain(name: &str) -> String {
    let is_taken = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    name.chars().map(|letter| if is_taken(letter) { letter } else { '_' }).collect()
}

/// Defines the tools that the request calls, as little as is taken.
pub(super) fn define_tools(_: &Round, draft: &mut Draft) {
    if draft.api() != Api::BedrockConverse {
        return;
    }
    let mut names: Vec<String> = Vec::new();
    for part in draft.request.messages.iter().flat_map(|message| &message.parts) {
        if let Body::ToolUse(call) = &part.body
            && !call.name.is_empty()
            && !names.contains(&call.name)
        {
            names.push(call.name.clone());
        }
    }
    if names.is_empty() {
        return;
    }
    let tool = |name: &String| json!({"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}});
    draft.request.tools = Some(json!({"tools": names.iter().map(tool).collect::<Vec<_>>()}));
    draft.say(
        Place::REQUEST,
        "define the tools that the list calls, as little as is taken: better send your own".to_owned(),
    );
}
