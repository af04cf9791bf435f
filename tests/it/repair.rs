//! Repairs: what is refused becomes acceptable by few edits, and the patch says exactly what was done.

use std::collections::BTreeMap;

use cutpoint::judge::{self, Judgement};
use cutpoint::model::{Api, Request};
use cutpoint::profiles::{self, Profile};
use cutpoint::repair::{Repair, repair};
use cutpoint::rules::Target;
use cutpoint::transcript::{History, Transcript};
use cutpoint::dialects;
use serde_json::{Value, json};

use crate::rules::{call, own_cases, read};

/// Rules that refuse a case of ours and have no known repair: this list is not to grow.
const UNREPAIRED: &[&str] = &[
    "container_missing",
    "document_without_text",
    "empty_messages",
    "exclusive_history_sources",
    // A list that begins with calls and in which no user speaks.
    "gemini_function_turn_order",
    "no_user_message",
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
    if input["resident"].is_array() {
        return None;
    }
    let mut history = History::new();
    let lines: Vec<Value> = input.as_array().cloned().unwrap_or_else(|| vec![json!({"request": input})]);
    let (mut request, mut transcript) = (None, None);
    for line in &lines {
        let call = call(parse(&line["request"]), line);
        let facts = transcript.insert(Transcript::of_request(&call.request, judge::COUNTER));
        history.follow(&call, facts);
        request = Some(call.request);
    }
    let (request, transcript) = request.zip(transcript)?;
    let target = Target { api: request.api, profile, model: request.model.as_deref() };
    let judged = Judgement::of(&transcript, request.messages.len() as u32, &target, |_| true);
    let repair = repaired(&request, &target, &judged)?;
    assert_eq!(repair.is_complete(), repair.unrepaired.is_empty());
    assert!(!repair.is_complete() || !repair.edits.is_empty());
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
