//! What a rule's documentation says of it: sections, and the provider's words in the language of a request.

use crate::model::Api;
use crate::rules::Rule;

/// A section of a rule's documentation as one paragraph, if it has one of that title.
pub(super) fn section(documentation: &str, title: &str) -> Option<String> {
    let mut lines = documentation.lines();
    lines.find(|line| line.strip_prefix("## ") == Some(title))?;
    let body: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).filter(|line| !line.is_empty()).collect();
    (!body.is_empty()).then(|| body.join(" "))
}

/// The first text with which the provider of an API answers a broken rule, where the documentation quotes one.
///
/// A section quotes one provider, or names each before its texts: `Anthropic: "…". OpenAI: "…"`.
pub(super) fn answer(rule: &Rule, api: Api) -> Option<String> {
    let said = section(&rule.documentation(), "Provider answers")?;
    let names_someone = VENDORS.iter().any(|(name, _)| said.contains(&format!("{name}: \"")));
    if !names_someone {
        return quoted(&said);
    }
    let of_api = VENDORS.iter().filter(|(_, apis)| apis.contains(&api));
    of_api.filter_map(|(name, _)| said.split_once(&format!("{name}: \""))).find_map(|(_, rest)| quote(rest))
}

/// Whose words a name in the documentation introduces.
const VENDORS: &[(&str, &[Api])] = &[
    ("Anthropic", &[Api::AnthropicMessages]),
    ("Chat", &[Api::OpenaiChat]),
    ("Responses", &[Api::OpenaiResponses]),
    ("OpenAI", &[Api::OpenaiChat]),
    ("Gemini", &[Api::GeminiGenerateContent]),
    ("Converse", &[Api::BedrockConverse]),
    ("Bedrock", &[Api::BedrockConverse]),
    ("Mistral", &[Api::MistralChat]),
];

fn quoted(text: &str) -> Option<String> {
    quote(text.split_once('"')?.1)
}

/// The text up to the quote that ends it; `\"` does not.
fn quote(text: &str) -> Option<String> {
    let mut end = 0;
    loop {
        end += text[end..].find('"')?;
        if !text[..end].ends_with('\\') {
            return Some(text[..end].replace("\\\"", "\""));
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
    }

    #[test]
    fn every_rule_has_a_remedy() {
        assert!(RULES.iter().all(|rule| section(&rule.documentation(), "Remedy").is_some()));
    }
}
