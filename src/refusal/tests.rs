//! Errors in the words of providers, wrapped in the ways of clients.

use proptest::prelude::*;

use super::*;

/// A rule's text with something in its holes.
fn filled(text: &str) -> String {
    let words = text.split_inclusive(|letter: char| !letter.is_alphanumeric());
    words
        .map(|word| match word.strip_suffix(|letter: char| !letter.is_alphanumeric()).unwrap_or(word) {
            hole @ ("N" | "K") => word.replacen(hole, "3", 1),
            "ID" => word.replacen("ID", "call_x1", 1),
            _ => word.to_owned(),
        })
        .collect()
}

#[test]
fn every_text_of_a_rule_is_recognised_as_that_rule() {
    for rule in RULES {
        for text in rule.texts {
            let text = filled(text);
            for wrapped in [text.clone(), in_json(&text), in_python(&text), in_json(&in_json(&text))] {
                let recognised = recognise(&wrapped, Some(400)).recognised;
                let is_right = matches!(&recognised, Recognised::Broken(broken) if broken.rules.contains(&rule.id));
                assert!(is_right, "{}: {wrapped}: {recognised:?}", rule.id);
            }
        }
    }
}

fn in_json(text: &str) -> String {
    json!({"type": "error", "error": {"type": "invalid_request_error", "message": text}}).to_string()
}

fn in_python(text: &str) -> String {
    format!("Error code: 400 - {{'error': {{'message': '{}', 'param': None}}}}", text.replace('\'', "\\'"))
}

#[track_caller]
fn broken_by(text: &str, rule: &str, place: (Option<u32>, Option<u32>), ids: &[&str]) {
    match recognise(text, None).recognised {
        Recognised::Broken(broken) => {
            assert!(broken.rules.contains(&rule), "{text}: {broken:?}");
            assert_eq!((broken.message, broken.block), place, "{text}");
            assert_eq!(broken.ids, ids, "{text}");
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_refusal_says_which_rule_where_and_whose_ids() {
    broken_by(
        "litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\
         \"message\":\"messages.6.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_k7. Each \
         `tool_result` block must have a corresponding `tool_use` block in the previous message.\"}}",
        "orphan_tool_result",
        (Some(6), Some(1)),
        &["toolu_k7"],
    );
    broken_by(
        "{\"error\":{\"message\":\"An assistant message with 'tool_calls' must be followed by tool messages responding to \
         each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1, k2\",\"param\":\
         \"messages.[3].role\"}}",
        "partial_parallel_results",
        (Some(3), None),
        &["call_1", "k2"],
    );
    broken_by(
        "An error occurred (ValidationException) when calling the Converse operation: The number of toolResult blocks at \
         messages.2.content exceeds the number of toolUse blocks of previous turn.",
        "orphan_tool_result",
        (Some(2), None),
        &[],
    );
    broken_by("Unexpected role 'user' after role 'tool'", "user_after_tool", (None, None), &[]);
    broken_by("messages: Unexpected role \"system\". The", "system_role_not_supported", (None, None), &[]);
}

#[track_caller]
fn overflows(text: &str, limit: Option<u64>, asked: Option<u64>) {
    let recognised = recognise(text, None).recognised;
    assert_eq!(recognised, Recognised::Overflow(Numbers { limit, asked }), "{text}");
}

#[test]
fn a_full_window_is_told_with_its_sizes() {
    overflows("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000), Some(210_000));
    overflows(
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
        Some(200_000),
        Some(210_000),
    );
    overflows(
        "{'error': {'message': \"This model's maximum context length is 8192 tokens. However, your messages resulted in \
         9000 tokens.\", 'code': 'context_length_exceeded'}}",
        Some(8192),
        Some(9000),
    );
    overflows(
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        Some(1_048_576),
        Some(1_200_000),
    );
    overflows("{\"message\":\"Input is too long for requested model.\"}", None, None);
    overflows("{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"Too much.\"}}", None, None);
    overflows("Range of input length should be [1, 129024]", Some(129_024), None);
}

#[track_caller]
fn caused(text: &str, status: Option<u16>, cause: Cause) {
    assert_eq!(recognise(text, status).recognised, Recognised::NotStructural(cause), "{text}");
}

#[test]
fn what_is_not_the_messages_has_its_cause() {
    caused("Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error'", None, Cause::Overloaded);
    caused("{\"error\":{\"message\":\"Slow down.\",\"type\":\"tokens\"}}", Some(429), Cause::RateLimit);
    caused("{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"m\"}}", Some(429), Cause::Billing);
    caused(
        "{\"error\":{\"message\":\"decimal below minimum\",\"param\":\"temperature\"}}",
        Some(400),
        Cause::Parameter,
    );
    caused("", Some(500), Cause::Server);
    caused("{\"message\":\"The provided model identifier is invalid.\"}", Some(400), Cause::NotFound);
}

#[test]
fn a_text_of_another_place_is_no_rule() {
    for text in [
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        "[] is too short - 'tools'",
        "tools.0.custom.input_schema: Input should be a valid dictionary",
        "Invalid 'tools[0].function.name': string does not match pattern.",
        "the kiln is cold",
    ] {
        let recognised = recognise(text, Some(400)).recognised;
        assert!(matches!(recognised, Recognised::Unclassified(_)), "{text}: {recognised:?}");
    }
}

#[test]
fn a_text_that_is_cut_off_is_still_recognised() {
    let whole = in_json(&in_json(
        "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: k1. Each",
    ));
    let known = whole.find("immediately after").unwrap() + "immediately after".len();
    for end in 0..=whole.len() {
        let refusal = recognise(&whole[..end], Some(400));
        let is_known = matches!(refusal.recognised, Recognised::Broken(_));
        assert!(is_known || end < known, "{}", &whole[..end]);
    }
}

#[test]
fn a_text_that_is_cut_off_inside_the_words_of_rules_is_one_of_them() {
    let text = "litellm.BadRequestError: AnthropicException - messages.2.content.0: unexpected `tool_use_id`";
    match recognise(text, None).recognised {
        Recognised::Broken(broken) => {
            assert_eq!(broken.rules, ["orphan_tool_result", "orphan_server_tool_result"]);
            assert_eq!((broken.message, broken.block), (Some(2), Some(0)));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(recognise("messages.2: unexpected", None).recognised, Recognised::Unclassified(_)));
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>(), odd in "[\\[\\]{}\"'\\\\:,a-c0-2 .]{0,200}") {
        recognise(&text, None);
        recognise(&odd, Some(400));
    }
}
