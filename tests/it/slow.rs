//! A slow checker that shares nothing with the rules: it reads the JSON of a body and asks the textbook's questions of
//! every pair of elements. It knows what one deletion can do to a valid request, and no more.

use std::collections::BTreeSet;

use cutpoint::model::Api;
use serde_json::Value;

/// A rule and the message it is broken at.
pub type Fault = (&'static str, Option<usize>);

/// One message: who speaks, its calls and results by id, and whether it says anything else.
struct Entry {
    who: Who,
    calls: Vec<Option<String>>,
    results: Vec<Option<String>>,
    is_empty: bool,
    /// It has a list of calls without any.
    lists_no_call: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    System,
    User,
    Assistant,
    Tool,
}

/// What is wrong with a body.
pub fn faults(api: Api, body: &Value) -> BTreeSet<Fault> {
    let entries: Vec<Entry> = list(api, body).iter().map(|message| entry(api, message)).collect();
    let mut faults = BTreeSet::new();
    if entries.is_empty() {
        faults.insert(("empty_messages", None));
    }
    for (at, entry) in entries.iter().enumerate() {
        let is_last = at + 1 == entries.len();
        if entry.is_empty && !(is_last && api == Api::AnthropicMessages && entry.who == Who::Assistant) {
            faults.insert(("empty_content", Some(at)));
        }
        if entry.lists_no_call && api == Api::OpenaiChat {
            faults.insert(("empty_tool_calls", Some(at)));
        }
    }
    match api {
        Api::GeminiGenerateContent => by_count(&entries, &mut faults),
        Api::MistralChat => by_neighbours(&entries, &mut faults),
        Api::OpenaiResponses => anywhere(&entries, &mut faults),
        _ => by_turn(api, &entries, &mut faults),
    }
    if api == Api::BedrockConverse && entries.first().is_some_and(|first| first.who != Who::User) {
        faults.insert(("first_message_not_user", Some(0)));
    }
    faults
}

/// The messages of a body.
pub fn list(api: Api, body: &Value) -> &[Value] {
    body[list_name(api)].as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn list_name(api: Api) -> &'static str {
    match api {
        Api::OpenaiResponses => "input",
        Api::GeminiGenerateContent => "contents",
        _ => "messages",
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn entry(api: Api, message: &Value) -> Entry {
    let who = match message["role"].as_str() {
        Some("assistant" | "model") => Who::Assistant,
        Some("tool") => Who::Tool,
        Some("system") => Who::System,
        _ => Who::User,
    };
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    let mut is_empty = false;
    match api {
        Api::OpenaiChat | Api::MistralChat => {
            calls.extend(message["tool_calls"].as_array().into_iter().flatten().map(|call| text(&call["id"])));
            if who == Who::Tool {
                results.push(text(&message["tool_call_id"]));
            }
            is_empty = message["content"].is_null() && calls.is_empty();
        }
        Api::OpenaiResponses => match message["type"].as_str() {
            Some("function_call") => calls.push(text(&message["call_id"])),
            Some("function_call_output") => results.push(text(&message["call_id"])),
            _ => {}
        },
        _ => {
            let blocks = if api == Api::GeminiGenerateContent { &message["parts"] } else { &message["content"] };
            is_empty = blocks.as_array().is_some_and(Vec::is_empty);
            for block in blocks.as_array().into_iter().flatten() {
                if block["type"] == "tool_use" {
                    calls.push(text(&block["id"]));
                } else if block["type"] == "tool_result" {
                    results.push(text(&block["tool_use_id"]));
                } else if let Some(call) = block.get("toolUse") {
                    calls.push(text(&call["toolUseId"]));
                } else if let Some(result) = block.get("toolResult") {
                    results.push(text(&result["toolUseId"]));
                } else if block.get("functionCall").is_some() {
                    calls.push(None);
                } else if block.get("functionResponse").is_some() {
                    results.push(None);
                }
            }
        }
    }
    let lists_no_call = message["tool_calls"].as_array().is_some_and(Vec::is_empty);
    Entry { who, calls, results, is_empty, lists_no_call }
}

/// Calls are answered in the run of messages behind their turn; messages of one side are one turn where the API merges
/// them, and each message of Chat is a turn of its own.
fn by_turn(api: Api, entries: &[Entry], faults: &mut BTreeSet<Fault>) {
    let merges = api != Api::OpenaiChat;
    let answers = if merges { Who::User } else { Who::Tool };
    let run = |from: usize, who: Who| entries[from..].iter().take_while(|entry| entry.who == who).count() + from;
    let mut at = 0;
    while at < entries.len() {
        let ask_end = match entries[at].who {
            Who::Assistant if merges => run(at, Who::Assistant),
            Who::Assistant => at + 1,
            _ => at,
        };
        let answer_end = run(ask_end, answers);
        turn(entries, (at, ask_end, answer_end), faults);
        let fits = |home: usize| {
            let calls = entries[at..ask_end].iter().flat_map(|entry| &entry.calls);
            entries[home].results.iter().any(|id| calls.clone().any(|call| call == id))
        };
        let homes: Vec<usize> = (ask_end..answer_end).filter(|home| fits(*home)).collect();
        if api == Api::BedrockConverse && homes.len() > 1 {
            faults.insert(("split_parallel_results", Some(homes[0])));
        }
        at = answer_end.max(ask_end).max(at + 1);
    }
}

/// One turn: the messages that ask, and those that answer.
fn turn(entries: &[Entry], (ask, ask_end, answer_end): (usize, usize, usize), faults: &mut BTreeSet<Fault>) {
    let called: Vec<&Option<String>> = entries[ask..ask_end].iter().flat_map(|entry| &entry.calls).collect();
    let answered: Vec<&Option<String>> = entries[ask_end..answer_end].iter().flat_map(|entry| &entry.results).collect();
    let nameless_calls = called.iter().filter(|id| id.is_none()).count();
    let nameless_results = answered.iter().filter(|id| id.is_none()).count();
    let is_answered = |id: &Option<String>| answered.contains(&id) || nameless_results > 0;
    let n_open = called.iter().filter(|id| id.is_some() && !is_answered(id)).count();
    for (at, entry) in entries.iter().enumerate().take(ask_end).skip(ask) {
        for id in &entry.calls {
            match id {
                None => drop(faults.insert(("missing_tool_call_id", Some(at)))),
                Some(_) if is_answered(id) => {}
                Some(_) if ask_end == entries.len() => drop(faults.insert(("trailing_tool_call", Some(at)))),
                Some(_) if n_open < called.len() => drop(faults.insert(("partial_parallel_results", Some(at)))),
                Some(_) => drop(faults.insert(("unanswered_tool_call", Some(at)))),
            }
        }
    }
    for (at, entry) in entries.iter().enumerate().take(answer_end).skip(ask_end) {
        for id in &entry.results {
            match id {
                None => drop(faults.insert(("missing_tool_call_id", Some(at)))),
                Some(_) if called.contains(&id) || nameless_calls > 0 => {}
                Some(_) => drop(faults.insert(("orphan_tool_result", Some(at)))),
            }
        }
    }
}

/// A result may stand anywhere behind its call.
fn anywhere(entries: &[Entry], faults: &mut BTreeSet<Fault>) {
    for (at, entry) in entries.iter().enumerate() {
        let before = entries[..at].iter().flat_map(|entry| &entry.calls);
        let behind = entries[at..].iter().flat_map(|entry| &entry.results);
        let is_answer = |result: &Option<String>, id| result == id || result.is_none();
        for id in &entry.calls {
            match id {
                None => drop(faults.insert(("missing_tool_call_id", Some(at)))),
                Some(_) if behind.clone().any(|result| is_answer(result, id)) => {}
                Some(_) => drop(faults.insert(("unanswered_tool_call", Some(at)))),
            }
        }
        for id in &entry.results {
            match id {
                None => drop(faults.insert(("missing_tool_call_id", Some(at)))),
                Some(_) if before.clone().any(|call| is_answer(call, id)) => {}
                Some(_) => drop(faults.insert(("orphan_tool_result", Some(at)))),
            }
        }
    }
}

/// Gemini counts: as many responses right behind as there are calls, each kind of turn in its place.
fn by_count(entries: &[Entry], faults: &mut BTreeSet<Fault>) {
    for (at, entry) in entries.iter().enumerate() {
        let answered = entries.get(at + 1).map_or(0, |next| next.results.len());
        if !entry.calls.is_empty() && entry.calls.len() != answered {
            faults.insert(("gemini_function_count_mismatch", Some(at)));
        }
        let before = at.checked_sub(1).map(|before| &entries[before]);
        let misplaced_call = !entry.calls.is_empty() && before.is_none_or(|before| before.who == Who::Assistant);
        let misplaced_result = !entry.results.is_empty() && before.is_none_or(|before| before.calls.is_empty());
        if misplaced_call || misplaced_result {
            faults.insert(("gemini_function_turn_order", Some(at)));
        }
    }
}

/// Mistral counts results and looks at the neighbours of each.
fn by_neighbours(entries: &[Entry], faults: &mut BTreeSet<Fault>) {
    let last = entries.len().checked_sub(1);
    if let Some(last) = last.filter(|last| entries[*last].who == Who::Assistant && entries[*last].calls.is_empty()) {
        faults.insert(("trailing_assistant_prefill", Some(last)));
    }
    for (at, entry) in entries.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| entries[before].who);
        let answered = entries[at + 1..].iter().take_while(|next| next.who == Who::Tool).count();
        if entry.who == Who::Assistant && entry.calls.len() != answered {
            faults.insert(("tool_result_count_mismatch", Some(at)));
        }
        match (before, entry.who) {
            (Some(Who::User), Who::Tool) | (Some(Who::Tool), Who::User | Who::System) => {
                faults.insert(("user_after_tool", Some(at)));
            }
            (None | Some(Who::System), Who::Tool) => drop(faults.insert(("tool_result_count_mismatch", Some(at)))),
            _ => {}
        }
    }
}
