//! Which URLs ask a model for an answer, and in what language.

use crate::model::Api;

/// An endpoint that generates.
#[derive(Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub api: Api,
    /// The model, where the URL names it.
    pub model: Option<String>,
}

/// The endpoint that a request goes to, if it generates.
pub fn endpoint(method: &str, uri: &str) -> Option<Endpoint> {
    if !method.eq_ignore_ascii_case("post") {
        return None;
    }
    let uri = uri.split(['?', '#']).next().unwrap_or_default();
    let path = uri.split_once("://").map_or(uri, |(_, rest)| rest).trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let before = path.strip_suffix(last).unwrap_or_default().trim_end_matches('/');
    let of = |api| Some(Endpoint { api, model: None });
    match last {
        "completions" if before.ends_with("/chat") && path.contains("mistral.ai/") => of(Api::MistralChat),
        "completions" if before.ends_with("/chat") => of(Api::OpenaiChat),
        "responses" => of(Api::OpenaiResponses),
        // Messages of a thread are no requests to a model.
        "messages" if !path.contains("/threads/") => of(Api::AnthropicMessages),
        "converse" | "converse-stream" => Some(Endpoint { api: Api::BedrockConverse, model: model(before) }),
        "invoke" | "invoke-with-response-stream" if before.contains("anthropic.") => {
            Some(Endpoint { api: Api::AnthropicMessages, model: model(before) })
        }
        _ => of_method(last),
    }
}

/// The model that ends a path.
fn model(path: &str) -> Option<String> {
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(decoded)
}

/// Google's paths end with the model and what is asked of it.
fn of_method(last: &str) -> Option<Endpoint> {
    let (model, method) = last.rsplit_once(':')?;
    let api = match method {
        "generateContent" | "streamGenerateContent" => Api::GeminiGenerateContent,
        "rawPredict" | "streamRawPredict" if model.starts_with("claude") => Api::AnthropicMessages,
        _ => return None,
    };
    Some(Endpoint { api, model: Some(decoded(model)) })
}

/// A path's part with its percent signs resolved.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        match behind.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(b'%');
                rest = behind;
            }
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, expected: Option<(Api, Option<&str>)>) {
        let found = endpoint("POST", uri);
        assert_eq!(found.as_ref().map(|found| (found.api, found.model.as_deref())), expected, "{uri}");
    }

    #[test]
    fn the_path_tells_the_language() {
        check("https://api.anthropic.com/v1/messages?beta=true", Some((Api::AnthropicMessages, None)));
        check("https://api.anthropic.com/v1/messages/count_tokens", None);
        check("https://api.openai.com/v1/chat/completions", Some((Api::OpenaiChat, None)));
        check("https://api.openai.com/v1/completions", None);
        check("https://api.mistral.ai/v1/chat/completions", Some((Api::MistralChat, None)));
        check("https://api.openai.com/v1/responses", Some((Api::OpenaiResponses, None)));
        check("https://api.openai.com/v1/responses/compact", None);
        check("https://api.openai.com/v1/threads/thread_1/messages", None);
        check(
            "https://x/v1beta/models/gemini-3-pro:generateContent",
            Some((Api::GeminiGenerateContent, Some("gemini-3-pro"))),
        );
        check("https://x/model/us.amazon.nova%3A0/converse", Some((Api::BedrockConverse, Some("us.amazon.nova:0"))));
        check("https://x/model/anthropic.claude-x/invoke", Some((Api::AnthropicMessages, Some("anthropic.claude-x"))));
        check("https://x/model/cohere.y/invoke", None);
        check("", None);
        assert_eq!(endpoint("GET", "https://api.openai.com/v1/responses"), None);
        assert_eq!(decoded("100%"), "100%");
    }
}
