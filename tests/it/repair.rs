//! Repairs: what is refused becomes acceptable by few edits, and the patch says exactly what was done.

use std::collections::BTreeMap;

use cutpoint::dialects;
use cutpoint::judge::{self, Judgement};
use cutpoint::model::{Api, Request};
use cutpoint::profiles::{self, Profile};
use cutpoint::repair::{Repair, repair};
use cutpoint::rules::Target;
use cutpoint::transcript::{History, Transcript};
use serde_json::{Value, json};

use crate::rules::{call, own_cases, read};

/// Rules that refuse a case of ours and have no known repair, or one that would leave nothing of a case or a list that
/// is still refused: this list is not to grow.
const UNREPAIRED: &[&str] = &[
    "block_wrong_role",
    "container_missing",
    "document_without_text",
    "empty_content",
    "empty_messages",
    "exclusive_history_sources",
    // A list that begins with calls and in which no user speaks.
    "gemini_function_turn_order",
    "no_user_message",
    "orphan_tool_result",
    "reasoning_content_missing",
    "thinking_block_missing",
    "unknown_role",
    "user_after_tool",
];

pub fn render(request: &Request) -> Value {
    (dialects::for_api(request.api).render)(request)
}

/// The repair of a request; its patch turns the one body into the other.
pub fn repaired(request: &Request, target: &Target, judged: &Judgement) -> Option<Repair> {
    let repair = repair(request, target, judged, &|_| true)?;
    let mut body = render(request);
    let patch: json_patch::Patch = serde_json::from_value(repair.patch(request).into()).unwrap();
    json_patch::patch(&mut body, &patch).unwrap_or_else(|error| panic!("{error}: {patch:?} on {}", render(request)));
    assert_eq!(body, repair.body(), "{patch:?} on {}", render(request));
    Some(repair)
}

/// What a case comes to: what is left that refuses it.
fn left_of_case(api: Api, profile: Option<&'static Profile>, input: &Value) -> Option<Vec<&'static str>> {
    let parse = |body: &Value| {
        let mut request = (dialects::for_api(api).parse)(body.clone()).unwrap();
        profile.into_iter().for_each(|profile| profile.adopt(&mut request));
        request
    };
    if input["request"].is_object() {
        return None;
    }
    let mut history = History::new();
    let lines: Vec<Value> = input.as_array().cloned().unwrap_or_else(|| vec![json!({"request": input})]);
    let (mut request, mut transcript) = (None, None);
    for line in &lines {
        let call = call(parse(&line["request"]), line);
        let facts = transcript.insert(Transcript::of_request(&call.request, judge::COUNTER));
        history.follow(&call, std::slice::from_mut(facts));
        request = Some(call.request);
    }
    let (request, transcript) = request.zip(transcript)?;
    let target = Target::of(request.api, profile, request.model.as_deref());
    let judged = Judgement::of(&transcript, request.messages.len() as u32, &target, |_| true);
    let repair = repaired(&request, &target, &judged)?;
    assert_eq!(repair.is_complete(), repair.unrepaired.is_empty());
    assert_eq!(repair.is_complete(), !repair.edits.is_empty());
    Some(repair.unrepaired)
}

#[test]
fn every_refused_case_is_repaired_or_named() {
    let mut left: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (folder, expect) in own_cases() {
        let api = Api::from_id(expect["api"].as_str().unwrap()).unwrap();
        let profile = expect["profile"].as_str().map(|id| profiles::profile(id).unwrap());
        let rules = left_of_case(api, profile, &read(&folder.join("input.json")));
        assert!(rules.is_none() || expect["verdict"] == "reject", "{}", folder.display());
        for rule in rules.into_iter().flatten() {
            left.entry(rule).or_default().push(folder.file_name().unwrap().display().to_string());
        }
    }
    assert_eq!(left.keys().copied().collect::<Vec<_>>(), UNREPAIRED, "{left:#?}");
}

/// A request of an API whose list is that; its repair is this patch, and then it is not refused.
#[track_caller]
fn check(api: Api, list: Value, patch: Value) {
    check_at(api, None, list, patch);
}

#[track_caller]
fn check_at(api: Api, profile: Option<&str>, list: Value, patch: Value) {
    let mut body = match api {
        Api::AnthropicMessages => json!({"model": "claude-opus-4-7", "max_tokens": 9, "tools": []}),
        Api::BedrockConverse => json!({"modelId": "anthropic.claude-opus-4-7", "toolConfig": {}}),
        Api::GeminiGenerateContent => json!({"model": "gemini-2.5-pro"}),
        Api::OpenaiResponses => json!({"model": "gpt-5"}),
        Api::OpenaiChat => json!({"model": "gpt-4.1"}),
        Api::MistralChat => json!({"model": "mistral-large-latest"}),
    };
    let member = match api {
        Api::GeminiGenerateContent => "contents",
        Api::OpenaiResponses => "input",
        _ => "messages",
    };
    body[member] = list;
    let request = (dialects::for_api(api).parse)(body).unwrap();
    let profile = profile.map(|id| profiles::profile(id).unwrap());
    let target = Target::of(api, profile, request.model.as_deref());
    let judged = judge::judge(&request, &target);
    let repair = repaired(&request, &target, &judged).expect("it is refused");
    assert!(repair.is_complete(), "{:?}", repair.unrepaired);
    assert_eq!(Value::from(repair.patch(&request)), patch, "{:#?}", repair.edits);
}

const LOST: &str = "No result: this tool call was interrupted or its result was lost.";

fn ask(ids: &[&str]) -> Value {
    let calls = ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "kiln", "input": {}}));
    json!({"role": "assistant", "content": calls.collect::<Vec<_>>()})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "hot"})
}

fn user(content: Value) -> Value {
    json!({"role": "user", "content": content})
}

fn chat_ask(id: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "kiln", "arguments": "{}"}}]})
}

fn tool(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "hot"})
}

#[test]
fn anthropic_results_are_dropped_answered_moved_and_merged() {
    let api = Api::AnthropicMessages;
    let kiln = || user(json!("Kiln?"));
    let text = || json!({"type": "text", "text": "Wait!"});
    check(api, json!([user(json!([result("k")])), kiln()]), json!([{"op": "remove", "path": "/messages/0"}]));
    check(
        api,
        json!([kiln(), ask(&["a"]), user(json!([result("a"), result("k")]))]),
        json!([{"op": "remove", "path": "/messages/2/content/1"}]),
    );
    let lost = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": LOST, "is_error": true});
    check(
        api,
        json!([kiln(), ask(&["a", "b"]), user(json!([result("a"), text()]))]),
        json!([{"op": "add", "path": "/messages/2/content/1", "value": lost("b")}]),
    );
    check(
        api,
        json!([kiln(), ask(&["a"])]),
        json!([{"op": "add", "path": "/messages/2", "value": user(json!([lost("a")]))}]),
    );
    check(
        api,
        json!([kiln(), ask(&["a", "b"]), user(json!([result("a"), text(), result("b")]))]),
        json!([{"op": "move", "from": "/messages/2/content/2", "path": "/messages/2/content/1"}]),
    );
    check_at(
        api,
        Some("strict-gateway"),
        json!([kiln(), ask(&["a", "b"]), user(json!([result("a")])), user(json!([result("b"), text()]))]),
        json!([
            {"op": "add", "path": "/messages/2/content/1", "value": result("b")},
            {"op": "remove", "path": "/messages/3/content/0"},
        ]),
    );
    check(
        api,
        json!([kiln(), ask(&["a"]), user(json!([result("a"), result("a")]))]),
        json!([{"op": "remove", "path": "/messages/2/content/1"}]),
    );
}

#[test]
fn anthropic_blocks_are_put_right_or_dropped() {
    let api = Api::AnthropicMessages;
    let kiln = || user(json!("Kiln?"));
    let said = |content: Value| json!({"role": "assistant", "content": content});
    let call = json!({"type": "tool_use", "id": "a", "name": "kiln", "input": {}});
    check(
        api,
        json!([kiln(), said(json!([call, {"type": "text", "text": "So."}])), user(json!([result("a")]))]),
        json!([{"op": "move", "from": "/messages/1/content/1", "path": "/messages/1/content/0"}]),
    );
    let thinking = |signature: &str| json!({"type": "thinking", "thinking": "Hm.", "signature": signature});
    check(
        api,
        json!([kiln(), said(json!([thinking(""), call])), user(json!([result("a")]))]),
        json!([{"op": "remove", "path": "/messages/1/content/0"}]),
    );
    check(
        api,
        json!([kiln(), said(json!([{"type": "text", "text": " "}, call])), user(json!([result("a")]))]),
        json!([{"op": "remove", "path": "/messages/1/content/0"}]),
    );
    check(api, json!([kiln(), said(json!("Hot."))]), json!([{"op": "remove", "path": "/messages/1"}]));
    check(
        api,
        json!([{"role": "system", "content": "Be brief."}, kiln()]),
        json!([{"op": "remove", "path": "/messages/0"}, {"op": "add", "path": "/system", "value": "Be brief."}]),
    );
    let mark = || json!({"type": "text", "text": "Kiln?", "cache_control": {"type": "ephemeral"}});
    check(
        api,
        json!([user(json!([mark(), mark(), mark(), mark(), mark()]))]),
        json!([{"op": "remove", "path": "/messages/0/content/0/cache_control"}]),
    );
    check(
        api,
        json!([kiln(), ask(&["k:1"]), user(json!([result("k:1")]))]),
        json!([
            {"op": "replace", "path": "/messages/1/content/0/id", "value": "k_1"},
            {"op": "replace", "path": "/messages/2/content/0/tool_use_id", "value": "k_1"},
        ]),
    );
}

#[test]
fn chat_messages_are_dropped_answered_and_moved() {
    let api = Api::OpenaiChat;
    let kiln = || user(json!("Kiln?"));
    check(api, json!([tool("k"), kiln()]), json!([{"op": "remove", "path": "/messages/0"}]));
    check(
        api,
        json!([kiln(), chat_ask("a"), kiln()]),
        json!([{"op": "add", "path": "/messages/2",
            "value": {"role": "tool", "tool_call_id": "a", "content": LOST}}]),
    );
    check(
        api,
        json!([kiln(), chat_ask("a"), kiln(), tool("a")]),
        json!([{"op": "move", "from": "/messages/3", "path": "/messages/2"}]),
    );
    check(
        api,
        json!([kiln(), {"role": "assistant", "content": "Hot.", "tool_calls": []}]),
        json!([{"op": "remove", "path": "/messages/1/tool_calls"}]),
    );
    check(
        Api::MistralChat,
        json!([kiln(), chat_ask("kiln00001"), kiln(), tool("kiln00001")]),
        json!([{"op": "move", "from": "/messages/2", "path": "/messages/1"}]),
    );
    check(
        Api::MistralChat,
        json!([kiln(), chat_ask("kiln00001")]),
        json!([{"op": "add", "path": "/messages/2",
            "value": {"role": "tool", "tool_call_id": "kiln00001", "content": LOST}}]),
    );
}

#[test]
fn responses_items_are_dropped_and_answered_in_their_own_type() {
    let api = Api::OpenaiResponses;
    let kiln = || user(json!("Kiln?"));
    let call = |kind: &str| json!({"type": kind, "call_id": "a", "name": "kiln", "arguments": "{}"});
    check(
        api,
        json!([kiln(), {"type": "function_call_output", "call_id": "a", "output": "hot"}]),
        json!([{"op": "remove", "path": "/input/1"}]),
    );
    for kind in ["function_call", "custom_tool_call", "local_shell_call"] {
        check(
            api,
            json!([kiln(), call(kind), kiln()]),
            json!([{"op": "add", "path": "/input/2",
                "value": {"type": format!("{kind}_output"), "call_id": "a", "output": LOST}}]),
        );
    }
    check(
        api,
        json!([kiln(), {"type": "reasoning", "id": "rs_1", "summary": []}, kiln()]),
        json!([{"op": "remove", "path": "/input/1"}]),
    );
    check(
        api,
        json!([kiln(), {"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "computer_call", "call_id": "a"}]),
        json!([{"op": "remove", "path": "/input/2"}, {"op": "remove", "path": "/input/1"}]),
    );
}

#[test]
fn gemini_turns_get_their_responses() {
    let api = Api::GeminiGenerateContent;
    let kiln = || json!({"role": "user", "parts": [{"text": "Kiln?"}]});
    let call = |names: &[&str]| {
        let calls = names.iter().map(|name| json!({"functionCall": {"name": name, "args": {}}}));
        json!({"role": "model", "parts": calls.collect::<Vec<_>>()})
    };
    let response = |name: &str| json!({"functionResponse": {"name": name, "response": {"heat": "hot"}}});
    let lost = |name: &str| json!({"functionResponse": {"name": name, "response": {"error": LOST}}});
    check(
        api,
        json!([kiln(), call(&["f", "g"]), {"role": "user", "parts": [response("g")]}]),
        json!([{"op": "add", "path": "/contents/2/parts/1", "value": lost("f")}]),
    );
    check(
        api,
        json!([kiln(), call(&["f"]), kiln()]),
        json!([{"op": "add", "path": "/contents/2", "value": {"role": "user", "parts": [lost("f")]}}]),
    );
    check(
        api,
        json!([kiln(), call(&["f"]), kiln(), {"role": "user", "parts": [response("f")]}]),
        json!([{"op": "move", "from": "/contents/3", "path": "/contents/2"}]),
    );
    check(
        api,
        json!([{"role": "user", "parts": [response("f")]}, kiln()]),
        json!([{"op": "remove", "path": "/contents/0"}]),
    );
    check(
        api,
        json!([call(&["f"]), {"role": "user", "parts": [response("f")]}, kiln()]),
        json!([{"op": "remove", "path": "/contents/1"}, {"op": "remove", "path": "/contents/0"}]),
    );
}

#[test]
fn converse_results_are_answered_with_a_status() {
    let api = Api::BedrockConverse;
    let kiln = || user(json!([{"text": "Kiln?"}]));
    let ask = json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "kiln", "input": {}}}]});
    let lost = json!({"toolResult": {"toolUseId": "a", "content": [{"text": LOST}], "status": "error"}});
    check(api, json!([kiln(), ask, kiln()]), json!([{"op": "add", "path": "/messages/2/content/0", "value": lost}]));
    check(
        api,
        json!([user(json!([{"text": "Kiln?"}, {"text": " "}]))]),
        json!([{"op": "remove", "path": "/messages/0/content/1"}]),
    );
}

/// A body that no repair is proposed for: the rules that it names.
#[track_caller]
fn left(body: Value, rules: &[&str]) {
    let request = (dialects::detect(&body).unwrap().parse)(body).unwrap();
    let target = Target::new(request.api, request.model.as_deref());
    let repair = repaired(&request, &target, &judge::judge(&request, &target)).expect("it is refused");
    assert!(!repair.is_complete() && repair.edits.is_empty() && repair.patch(&request).is_empty(), "{repair:#?}");
    assert_eq!((repair.unrepaired.as_slice(), &repair.request), (rules, &request));
}

#[test]
fn a_repair_that_would_still_be_refused_is_not_proposed() {
    // Without its only message nothing is left of the list.
    left(
        json!({"model": "claude-opus-4-7", "max_tokens": 9, "messages": [{"role": "assistant", "content": "Hot."}]}),
        &["empty_messages", "trailing_assistant_prefill"],
    );
    // Thinking without its signature would be missing where the open turn must begin with it.
    let call = json!({"type": "tool_use", "id": "a", "name": "kiln", "input": {}});
    left(
        json!({"model": "claude-sonnet-4-5", "max_tokens": 2048, "thinking": {"type": "enabled", "budget_tokens": 1024},
            "tools": [{"name": "kiln", "input_schema": {"type": "object"}}],
            "messages": [user(json!("Kiln?")),
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, call]},
                user(json!([result("a")]))]}),
        &["thinking_block_missing", "thinking_signature_invalid"],
    );
}

#[test]
fn words_of_the_user_stay_the_users() {
    let api = Api::BedrockConverse;
    let call = json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "kiln", "input": {}}}]});
    let result = json!({"toolResult": {"toolUseId": "a", "content": [{"text": "hot"}]}});
    let body = json!({"modelId": "us.meta.llama4-maverick-17b-instruct-v1:0", "toolConfig": {}, "messages": [
        user(json!([{"text": "Kiln?"}])), call, user(json!([result, {"text": "Be quick."}]))]});
    let request = (dialects::for_api(api).parse)(body).unwrap();
    let target = Target::new(api, request.model.as_deref());
    let repair = repaired(&request, &target, &judge::judge(&request, &target)).expect("it is refused");
    assert!(repair.is_complete(), "{:?}", repair.unrepaired);
    assert_eq!(
        Value::from(repair.patch(&request)),
        json!([
            {"op": "add", "path": "/messages/3", "value": user(json!([{"text": "Be quick."}]))},
            {"op": "remove", "path": "/messages/2/content/1"},
        ])
    );
}
