//! What ids of calls look like: which ones an API refuses, and which ones a logger put there.

use crate::model::Api;

/// Whether an API refuses an id of a call or result for its letters or its length.
pub fn is_refused(api: Api, id: &str) -> bool {
    let all =
        |extra: &str| id.bytes().all(|letter| letter.is_ascii_alphanumeric() || extra.as_bytes().contains(&letter));
    match api {
        Api::AnthropicMessages => id.is_empty() || !all("_-"),
        Api::BedrockConverse => id.is_empty() || id.len() > 64 || !all("_-.:"),
        Api::MistralChat => id.len() != 9 || !all(""),
        Api::OpenaiResponses => id.is_empty() || id.len() > 64,
        Api::OpenaiChat | Api::GeminiGenerateContent => false,
    }
}

/// Whether a logger put this in the place of an id.
pub fn is_masked(id: &str) -> bool {
    let bare = id.trim_matches(|c: char| !c.is_alphanumeric() && c != '*');
    let has_stars = id.contains("***");
    has_stars || ["REDACTED", "MASKED", "HIDDEN", "SCRUBBED"].iter().any(|word| bare.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_api_has_its_letters() {
        assert!(is_refused(Api::AnthropicMessages, "kiln:0"));
        assert!(is_refused(Api::AnthropicMessages, ""));
        assert!(!is_refused(Api::AnthropicMessages, "toolu_01-A"));
        assert!(!is_refused(Api::BedrockConverse, "tooluse.1:2"));
        assert!(is_refused(Api::BedrockConverse, &"k".repeat(65)));
        assert!(is_refused(Api::OpenaiResponses, &"k".repeat(65)) && !is_refused(Api::OpenaiResponses, "kiln:0"));
        assert!(is_refused(Api::MistralChat, "call_12345"));
        assert!(!is_refused(Api::MistralChat, "aB3dE5fG8"));
        assert!(!is_refused(Api::OpenaiChat, "functions.kiln:0"));
    }

    #[test]
    fn masks_are_told_from_ids() {
        assert!(["REDACTED", "[redacted]", "toolu_***", "__REDACTED__", "<masked>"].into_iter().all(is_masked));
        assert!(!["toolu_01", "call_redacted_1", "", "*"].into_iter().any(is_masked));
    }
}
