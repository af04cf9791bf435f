//! Reading a body and writing it again gives the same JSON, whatever the body holds.

use cutpoint::dialects;
use cutpoint::model::Api;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON, small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z ]{0,6}".prop_map(Value::from),
        Just(serde_json::from_str("1.50e3").unwrap()),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((member(), inner), 0..3).prop_map(object),
        ]
    })
}

/// Names that the dialects know, mostly.
fn member() -> impl Strategy<Value = String> {
    prop::sample::select(
        "type id name input text content tool_use_id is_error thinking signature data role function custom arguments \
         tool_call_id tool_calls function_call refusal cache_control caller x call_id output status summary action operation \
         encrypted_content functionCall function_call functionResponse args response thought thoughtSignature toolUse \
         toolResult toolUseId reasoningContent reasoningText image document inlineData"
            .split(' ')
            .collect::<Vec<_>>(),
    )
    .prop_map(str::to_owned)
}

fn object(members: Vec<(String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Map<_, _>>())
}

/// An object of one of these types, or of none, with members of the right type half of the time.
fn typed(types: &'static str) -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(types.split(' ').collect::<Vec<_>>());
    let plain = prop_oneof![any_json(), "[a-z]{0,4}".prop_map(Value::from)];
    (kind, prop::collection::vec((member(), plain), 0..6), any::<bool>()).prop_map(|(kind, members, keep)| {
        let Value::Object(mut fields) = object(members) else { unreachable!() };
        if keep {
            fields.insert("type".into(), kind.into());
        }
        Value::Object(fields)
    })
}

fn content(types: &'static str) -> impl Strategy<Value = Value> {
    prop_oneof![
        any_json(),
        "[a-z ]{0,6}".prop_map(Value::from),
        prop::collection::vec(typed(types), 0..4).prop_map(Value::from)
    ]
}

fn call() -> impl Strategy<Value = Value> {
    (typed("function custom"), typed("function custom"), any::<bool>()).prop_map(|(mut entry, payload, is_usual)| {
        let name = entry["type"].as_str().unwrap_or("function").to_owned();
        entry[name] = payload;
        if is_usual {
            json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}})
        } else {
            entry
        }
    })
}

fn message() -> impl Strategy<Value = Value> {
    let role =
        prop::sample::select(vec!["system", "developer", "user", "assistant", "tool", "function", "", "narrator"]);
    let types = "input_text output_text input_image text tool_use tool_result thinking redacted_thinking image image_url server_tool_use";
    let members = prop::collection::vec((member(), any_json()), 0..3);
    let calls = prop::option::of(prop_oneof![prop::collection::vec(call(), 0..3).prop_map(Value::from), any_json()]);
    let whole = (role, prop::option::of(content(types)), calls, prop::option::of(typed("function")), members).prop_map(
        |(role, content, calls, legacy, members)| {
            let Value::Object(mut fields) = object(members) else { unreachable!() };
            fields.insert("role".into(), role.into());
            for (name, value) in [("content", content), ("tool_calls", calls), ("function_call", legacy)] {
                if let Some(value) = value {
                    fields.insert(name.into(), value);
                }
            }
            Value::Object(fields)
        },
    );
    prop_oneof![1 => any_json(), 8 => whole]
}

pub fn body() -> impl Strategy<Value = Value> {
    let names = "model system tools max_tokens max_completion_tokens stream metadata";
    let name = prop::sample::select(names.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let value = prop_oneof![any_json(), Just(json!(1024)), Just(json!("m")), content("text image")];
    (prop::collection::vec((name, value), 0..5), prop::collection::vec(message(), 0..5)).prop_map(
        |(members, messages)| {
            let mut body = object(members);
            body["messages"] = messages.into();
            body
        },
    )
}

fn list(api: Api) -> &'static str {
    match api {
        Api::OpenaiResponses => "input",
        Api::GeminiGenerateContent => "contents",
        _ => "messages",
    }
}

/// The same body with its lists under the names of that API.
pub fn said_in(api: Api, mut body: Value) -> Value {
    let mut messages = body.as_object_mut().unwrap().shift_remove("messages").unwrap();
    for message in messages.as_array_mut().unwrap().iter_mut().filter_map(Value::as_object_mut) {
        if api == Api::GeminiGenerateContent
            && let Some(parts) = message.shift_remove("content")
        {
            message.insert("parts".to_owned(), parts);
        }
        if api == Api::GeminiGenerateContent && message.get("role") == Some(&json!("assistant")) {
            message.insert("role".to_owned(), "model".into());
        }
    }
    body[list(api)] = messages;
    body
}

/// An item of Responses that is no message.
pub fn item() -> impl Strategy<Value = Value> {
    let kinds = "function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call \
                 local_shell_call_output computer_call computer_call_output shell_call apply_patch_call reasoning \
                 web_search_call item_reference compaction";
    (typed(kinds), prop::option::of(content("input_text input_image"))).prop_map(|(mut item, output)| {
        if let Some(output) = output {
            item["output"] = output;
        }
        item
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_read_is_written_again(body in body()) {
        for dialect in dialects::DIALECTS {
            let body = said_in(dialect.api, body.clone());
            let request = (dialect.parse)(body.clone()).unwrap();
            prop_assert_eq!(&(dialect.render)(&request), &body, "{}", dialect.id);
            for message in body[list(dialect.api)].as_array().unwrap() {
                prop_assert_eq!(&(dialect.render_message)(&(dialect.parse_message)(message.clone())), message);
            }
        }
    }

    #[test]
    fn items_are_written_as_they_were_read(items in prop::collection::vec(item(), 0..6)) {
        let body = json!({"model": "gpt-5", "input": items});
        let dialect = dialects::for_api(Api::OpenaiResponses);
        prop_assert_eq!((dialect.render)(&(dialect.parse)(body.clone()).unwrap()), body);
    }

    #[test]
    fn a_body_with_messages_is_of_exactly_one_api(body in body()) {
        prop_assert_eq!(dialects::DIALECTS.iter().filter(|dialect| (dialect.sniff)(&body)).count(), 1);
    }
}

#[test]
fn a_body_that_is_no_request_says_what_is_missing() {
    for dialect in dialects::DIALECTS {
        let error = |body| (dialect.parse)(body).unwrap_err();
        assert_eq!(error(json!([])), "a request body must be a JSON object, but this is a list");
        let list = list(dialect.api);
        assert_eq!(error(json!({"model": "m"})), format!("the request has no `{list}` list"));
        assert_eq!(error(json!({list: 3})), format!("`{list}` must be a list, but here it is a number"));
    }
}

#[test]
fn a_body_tells_its_api() {
    let api = |body: Value| dialects::detect(&body).map(|dialect| dialect.api);
    let hi = json!([{"role": "user", "content": "hi"}]);
    assert_eq!(api(json!({"messages": hi})), Some(Api::OpenaiChat));
    assert_eq!(
        api(json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": hi})),
        Some(Api::AnthropicMessages)
    );
    assert_eq!(api(json!({"system": "Be brief.", "messages": hi})), Some(Api::AnthropicMessages));
    let with_system = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]);
    assert_eq!(api(json!({"model": "claude-sonnet-4-5", "messages": with_system})), Some(Api::OpenaiChat));
    assert_eq!(api(json!({"input": "hi"})), None);
    assert_eq!(api(json!({"model": "gpt-5", "input": "hi"})), Some(Api::OpenaiResponses));
    assert_eq!(api(json!({"contents": [{"parts": [{"text": "hi"}]}]})), Some(Api::GeminiGenerateContent));
    assert_eq!(api(json!({"messages": [{"role": "user", "content": [{"text": "hi"}]}]})), Some(Api::BedrockConverse));
    assert_eq!(api(json!({"model": "codestral-latest", "messages": hi})), Some(Api::MistralChat));
}
