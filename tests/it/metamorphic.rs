//! What never changes a verdict: other ids, unknown members, cache marks, metadata, another order of keys.

use cutpoint::dialects;
use cutpoint::judge::{self, Judgement};
use cutpoint::model::Api;
use cutpoint::profiles::PROFILES;
use cutpoint::rules::Target;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::mutations::{blocks, mutants};
use crate::requests::{body, rounds};
use crate::slow::list_name;

/// A judgement in words, but for ids and sentences.
type Told = (String, Vec<(&'static str, String, Option<u32>, Option<u32>)>);

/// What the first party and every profile of an API say of a body.
fn told(api: Api, body: &Value) -> Vec<Told> {
    let profiles = PROFILES.iter().filter(|profile| profile.speaks(api)).map(Some);
    let tell = |profile| {
        let request = (dialects::for_api(api).parse)(body.clone()).unwrap();
        let Judgement { verdict, findings, .. } = judge::judge(&request, &Target::of(api, profile, None));
        let findings = findings
            .iter()
            .map(|finding| (finding.rule, finding.severity.as_str().to_owned(), finding.message, finding.block));
        (verdict.as_str().to_owned(), findings.collect())
    };
    std::iter::once(None).chain(profiles).map(tell).collect()
}

/// The body with other ids of the same make.
fn with_other_ids(_: Api, body: &Value) -> Value {
    serde_json::from_str(&body.to_string().replace("\"kiln0", "\"oven9")).unwrap()
}

/// The body with members that nobody knows: its own, those of messages, and those of their blocks.
fn with_unknown_members(api: Api, body: &Value) -> Value {
    let mut body = body.clone();
    let add = |holder: &mut Value| {
        if let Some(fields) = holder.as_object_mut() {
            fields.insert("x_note".to_owned(), json!({"by": "a gateway", "at": [1, 2]}));
        }
    };
    add(&mut body);
    for message in body[list_name(api)].as_array_mut().unwrap() {
        add(message);
        message.get_mut(blocks(api)).and_then(Value::as_array_mut).into_iter().flatten().for_each(add);
    }
    body
}

/// The body with a cache mark at the end of its last two messages that can carry one.
fn with_cache_marks(api: Api, body: &Value) -> Value {
    let mut body = body.clone();
    let messages = body[list_name(api)].as_array_mut().unwrap().iter_mut().rev();
    let lists = messages.filter_map(|message| message.get_mut("content")?.as_array_mut());
    for blocks in lists.filter(|blocks| !blocks.is_empty()).take(2) {
        match api {
            Api::AnthropicMessages => blocks.last_mut().unwrap()["cache_control"] = json!({"type": "ephemeral"}),
            Api::BedrockConverse => blocks.push(json!({"cachePoint": {"type": "default"}})),
            _ => {}
        }
    }
    body
}

fn with_metadata(api: Api, body: &Value) -> Value {
    let mut body = body.clone();
    let name = if api == Api::BedrockConverse { "requestMetadata" } else { "metadata" };
    body[name] = json!({"user": "u-7"});
    body
}

/// The body with the keys of every object the other way round, but for what a client wrote as text.
fn with_other_order(_: Api, body: &Value) -> Value {
    fn turned(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let turned = fields.iter().rev().map(|(name, value)| (name.clone(), turned(value)));
                Value::Object(turned.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(turned).collect(),
            other => other.clone(),
        }
    }
    serde_json::from_str(&serde_json::to_string_pretty(&turned(body)).unwrap()).unwrap()
}

type Change = (&'static str, fn(Api, &Value) -> Value);

const CHANGES: &[Change] = &[
    ("other ids", with_other_ids),
    ("unknown members", with_unknown_members),
    ("cache marks", with_cache_marks),
    ("metadata", with_metadata),
    ("another order", with_other_order),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_says_nothing_changes_no_verdict(rounds in rounds(), pick in any::<prop::sample::Index>()) {
        for api in Api::ALL.iter().copied() {
            let sound = body(api, &rounds);
            let mut bodies: Vec<Value> = mutants(api, &sound).into_iter().map(|(_, mutant)| mutant).collect();
            let broken = bodies.swap_remove(pick.index(bodies.len()));
            for body in [sound, broken] {
                for (what, change) in CHANGES {
                    let changed = change(api, &body);
                    prop_assert_eq!(told(api, &body), told(api, &changed), "{} {}: {}", api, what, changed);
                }
            }
        }
    }
}
