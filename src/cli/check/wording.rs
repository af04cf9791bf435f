//! The provider's words in the language of a request, out of a rule's documentation.

use crate::model::Api;
use crate::rules::Rule;

/// The first text with which the provider of an API answers a broken rule, where the documentation quotes one.
///
/// Texts are anyone's unless a name stands before them, in their sentence: `Anthropic: "…"; before 2025: "…". Bedrock:
/// "…"`.
pub(super) fn answer(rule: &Rule, api: Api) -> Option<String> {
    let said = rule.section("Provider answers")?;
    let (mut rest, mut speaker) = (said.as_str(), None);
    while let Some((before, from)) = rest.split_once('"') {
        let (quote, behind) = quote(from)?;
        if let Some(label) = before.trim_end().strip_suffix(':') {
            speaker = speaker_of(label).or(speaker.filter(|_| continues(label)));
        }
        if speaker.is_none_or(|apis| apis.contains(&api)) {
            return Some(quote);
        }
        rest = behind;
    }
    None
}

/// Whose words a label introduces, by the name in its last sentence; `None` where it names nobody.
fn speaker_of(label: &str) -> Option<&'static [Api]> {
    let sentence = label.rsplit(". ").next().unwrap_or(label);
    SPEAKERS.iter().find(|(name, _)| sentence.contains(name)).map(|(_, apis)| *apis)
}

/// Whether a label goes on with the sentence of the text before it.
fn continues(label: &str) -> bool {
    !label.contains(". ") && !label.trim_start().starts_with(char::is_uppercase)
}

/// Names in labels, and the APIs whose first party they are; a server or a template that adds rules is nobody's.
const SPEAKERS: &[(&str, &[Api])] = &[
    ("Anthropic", &[Api::AnthropicMessages]),
    ("OpenAI", &[Api::OpenaiChat]),
    ("Responses", &[Api::OpenaiResponses]),
    ("Gemini", &[Api::GeminiGenerateContent]),
    ("Bedrock", &[Api::BedrockConverse]),
    ("Converse", &[Api::BedrockConverse]),
    ("Mistral", &[Api::MistralChat]),
    ("DeepSeek", &[]),
    ("Moonshot", &[]),
    ("Templates", &[]),
];

/// The text up to the quote that ends it, and what follows; `\"` does not end it.
fn quote(text: &str) -> Option<(String, &str)> {
    let mut end = 0;
    loop {
        end += text[end..].find('"')?;
        if !text[..end].ends_with('\\') {
            return Some((text[..end].replace("\\\"", "\""), &text[end + 1..]));
        }
        end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{RULES, rule};

    #[track_caller]
    fn check(id: &str, api: Api, expected: Option<&str>) {
        let said = answer(rule(id).unwrap(), api);
        assert!(said.as_deref().is_none_or(|said| expected.is_some_and(|words| said.contains(words))), "{said:?}");
        assert_eq!(said.is_some(), expected.is_some());
    }

    #[test]
    fn the_words_are_those_of_the_requests_own_provider() {
        check("orphan_tool_result", Api::AnthropicMessages, Some("unexpected `tool_use_id`"));
        check("orphan_tool_result", Api::OpenaiChat, Some("messages with role 'tool' must be a response"));
        check("unknown_role", Api::AnthropicMessages, Some("Unexpected role \"tool\""));
        check("gemini_function_count_mismatch", Api::GeminiGenerateContent, Some("function response parts"));
        check("server_side_history", Api::OpenaiResponses, None);
        check("invalid_tool_call_id", Api::MistralChat, Some("length of 9"));
        check("consecutive_same_role", Api::BedrockConverse, Some("roles must alternate between \"user\""));
        check("consecutive_same_role", Api::AnthropicMessages, None);
        check("text_before_tool_result", Api::AnthropicMessages, Some("ids were found without"));
        check("unanswered_tool_call", Api::OpenaiChat, Some("must be followed by tool messages"));
    }

    #[test]
    fn every_rule_has_a_remedy() {
        assert!(RULES.iter().all(|rule| rule.section("Remedy").is_some()));
    }
}
