//! What clients, gateways and logs write around an error: the request line, a status, names of exceptions, a request id.
//!
//! One sentence of a provider is to be one text, whoever logged it. Only what is known to be a wrapper is taken away, from
//! the outside in, and never all that is said.

use super::unwrap::Said;

/// The most wrappers that are taken away.
const MOST: usize = 16;

/// The sentence inside the prose around it; the names and the status that the prose states are noted.
pub fn without<'t>(text: &'t str, said: &mut Said) -> &'t str {
    let mut rest = tailless(text.trim());
    for _ in 0..MOST {
        let Some(inner) = peeled(rest, said).map(tailless).filter(|inner| !inner.is_empty()) else { break };
        rest = inner;
    }
    rest
}

/// A text without one wrapper, if it begins with any.
fn peeled<'t>(text: &'t str, said: &mut Said) -> Option<&'t str> {
    aws(text, said)
        .or_else(|| named(text, said))
        .or_else(|| request_line(text))
        .or_else(|| numbered(text, said))
        .or_else(|| phrased(text))
        .or_else(|| quoted(text))
}

/// `An error occurred (Name) when calling the Converse operation: …`
fn aws<'t>(text: &'t str, said: &mut Said) -> Option<&'t str> {
    let (name, behind) = text.strip_prefix("An error occurred (")?.split_once(')')?;
    said.names.push(name.to_owned());
    Some(behind.split_once(": ").map_or(behind, |(_, message)| message))
}

/// The name of an exception, or of a type of errors, in front of a colon or a dash.
fn named<'t>(text: &'t str, said: &mut Said) -> Option<&'t str> {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && !"._".contains(letter))?;
    let (name, behind) = (text[..end].trim_end_matches('.'), &text[end..]);
    let is_closed = text[..end].ends_with('.');
    let behind = if is_closed { Some(behind) } else { behind.strip_prefix(':').or_else(|| behind.strip_prefix(" -")) };
    if !is_exception(name) && !is_type(name) || (is_closed && !is_type(name)) {
        return None;
    }
    let behind = behind?;
    said.names.push(name.to_owned());
    Some(behind.trim_start())
}

/// Whether a word is the name of an exception's class.
fn is_exception(word: &str) -> bool {
    word.ends_with("Error") || word.ends_with("Exception")
}

/// Whether a word is the name that providers give a type of errors: `invalid_request_error`, `INVALID_ARGUMENT`.
fn is_type(word: &str) -> bool {
    let is_code = word.contains('_') && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
    is_code || word.ends_with("_error")
}

/// `POST "https://host/path": …`
fn request_line(text: &str) -> Option<&str> {
    let behind = ["POST ", "GET "].iter().find_map(|method| text.strip_prefix(method))?;
    let url = behind.trim_start_matches(['"', '\'', '`']);
    let end = url.find(char::is_whitespace).filter(|_| url.starts_with("http"))?;
    url[..end].ends_with(':').then(|| url[end..].trim_start())
}

/// What stands in front of a status.
const STATUS_WORDS: &[&str] = &[
    "Error code: ",
    "status code: ",
    "status code ",
    "Status Code: ",
    "status_code: ",
    "status_code=",
    "unexpected status ",
    "HTTP error! status: ",
    "status: ",
    "HTTP ",
];

/// What stands behind a status.
const REASONS: &[&str] = &[
    "Bad Request",
    "BAD_REQUEST",
    "Unprocessable Entity",
    "Unprocessable Content",
    "Request Entity Too Large",
    "Payload Too Large",
    "Too Many Requests",
    "Internal Server Error",
    "Service Unavailable",
    "Bad Gateway",
    "Not Found",
    "Unauthorized",
    "Forbidden",
    "Client Error",
];

/// A status at the beginning, with or without its reason: `400 …`, `HTTP 400: …`, `[400 Bad Request] …`, `<400> …`.
fn numbered<'t>(text: &'t str, said: &mut Said) -> Option<&'t str> {
    let is_bracket = |letter: char| "[(<".contains(letter);
    // Some routers write the model before it: `[kiln/model-1] [400]: …`.
    let tag = text.strip_prefix('[').and_then(|tagged| tagged.split_once("] ")).filter(|(tag, _)| !tag.contains(' '));
    let behind = tag.map_or(text, |(_, behind)| behind);
    let behind = behind.strip_prefix(is_bracket).unwrap_or(behind);
    let worded = STATUS_WORDS.iter().find_map(|words| behind.strip_prefix(words));
    let (status, rest) = status_at(worded.unwrap_or(behind))?;
    let reasoned = rest.trim_start();
    let reason = REASONS.iter().find_map(|reason| reasoned.strip_prefix(reason));
    let rest = reason.unwrap_or(rest);
    let is_end =
        rest.is_empty() || rest.starts_with(|letter: char| letter.is_whitespace() || ":-,.;])>\"'`".contains(letter));
    if !is_end || (status < 400 && worded.is_none()) {
        return None;
    }
    said.status = said.status.or(Some(status));
    let rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || ":-,.;])>".contains(letter));
    Some(["type: ", "message: ", "body: "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest))
}

/// Three digits that are a status.
fn status_at(text: &str) -> Option<(u16, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let status = text[..end].parse().ok().filter(|status| (100..600).contains(status))?;
    Some((status, &text[end..]))
}

/// The status that a text states anywhere.
pub fn status(text: &str) -> Option<u16> {
    STATUS_WORDS.iter().find_map(|words| Some(status_at(&text[text.find(words)? + words.len()..])?.0))
}

/// What is written in front of an error and says nothing about it.
const PHRASES: &[&str] = &[
    "API Error: ",
    "Error: ",
    "error, ",
    "API error occurred: ",
    "Error from provider: ",
    "Provider returned error: ",
    "Upstream request failed: ",
    "Malformed input request: ",
    "The model returned the following errors: ",
    "Invalid request: ",
    "invalid request: ",
    "Bad Request: ",
    "InternalError.Algo.InvalidParameter: ",
];

/// What stands right in front of what the provider said, wherever it stands itself.
const LEADS: &[&str] = &["Last error: ", " code = InvalidArgument desc = ", "` response: ", "` response:\n"];

fn phrased(text: &str) -> Option<&str> {
    let led = || LEADS.iter().find_map(|lead| Some(&text[text.find(lead)? + lead.len()..]));
    PHRASES.iter().find_map(|phrase| text.strip_prefix(phrase)).map(str::trim_start).or_else(led)
}

/// What stands between quotes, or between brackets behind the word of a client, if that is all.
fn quoted(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_prefix("[API Error: ") {
        return inner.strip_suffix(']');
    }
    let quote = text.chars().next().filter(|letter| "\"'`".contains(*letter))?;
    let inner = &text[quote.len_utf8()..];
    let inner = inner.strip_suffix(quote)?;
    (!inner.contains(quote)).then_some(inner)
}

/// What clients and gateways write behind an error.
const TAILS: &[&str] = &[
    "Received Model Group=",
    "No fallback model group found",
    "LiteLLM Retried:",
    "(request id:",
    "(request_id:",
    "(Request ID:",
    "(RequestId:",
    "(Service: ",
    "(ref: ",
    "(reset after ",
    ", request_id=",
    ", request id:",
    "(parameter=",
    "\n    at ",
    "\nTraceback ",
    "(truncated",
    "[truncated",
];

/// A text without what is written behind the error.
fn tailless(text: &str) -> &str {
    let end = TAILS.iter().filter_map(|tail| text.find(tail)).min().unwrap_or(text.len());
    let head = text[..end].trim_end();
    if head.is_empty() { text } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, sentence: &str, names: &[&str], status: Option<u16>) {
        let mut said = Said::default();
        assert_eq!(without(text, &mut said), sentence, "{text}");
        assert_eq!((said.names.iter().map(String::as_str).collect::<Vec<_>>(), said.status), (names.to_vec(), status));
    }

    const WORDS: &str = "the kiln at messages.2 is cold";

    #[test]
    fn a_sentence_is_the_same_in_every_wrapper() {
        check(WORDS, WORDS, &[], None);
        check(&format!("POST \"https://a.example/v1\": 400 Bad Request \"{WORDS}\""), WORDS, &[], Some(400));
        check(&format!("400 \"{WORDS}\""), WORDS, &[], Some(400));
        check(&format!("400 {WORDS}"), WORDS, &[], Some(400));
        check(&format!("HTTP 422 invalid_request_error: {WORDS}"), WORDS, &["invalid_request_error"], Some(422));
        check(&format!("HTTP 400 type: {WORDS}"), WORDS, &[], Some(400));
        check(&format!("400 INVALID_ARGUMENT. {WORDS}"), WORDS, &["INVALID_ARGUMENT"], Some(400));
        check(&format!("CAPIError: 400 {WORDS}"), WORDS, &["CAPIError"], Some(400));
        check(&format!("<400> InternalError.Algo.InvalidParameter: {WORDS}"), WORDS, &[], Some(400));
        check(&format!("[400 Bad Request] {WORDS}"), WORDS, &[], Some(400));
        check(&format!("[kiln/model-1] [400]: {WORDS} (reset after 30s)"), WORDS, &[], Some(400));
        check(&format!("[provider.api_error] 400 {WORDS}"), WORDS, &[], Some(400));
        check(&format!("[API Error: 400 {WORDS}]"), WORDS, &[], Some(400));
        check(&format!("unexpected status 400 Bad Request: {WORDS}"), WORDS, &[], Some(400));
        check(&format!("rpc error: code = InvalidArgument desc = {WORDS}"), WORDS, &[], None);
        check(&format!("x.BadRequestError: Error code: 400 - {WORDS}"), WORDS, &["x.BadRequestError"], Some(400));
        check(
            &format!("ValidationException: {WORDS} (Service: Kiln, Status Code: 400)"),
            WORDS,
            &["ValidationException"],
            None,
        );
        check(&format!("{WORDS} Received Model Group=kiln"), WORDS, &[], None);
        check(&format!("{WORDS} (request id: 2026)"), WORDS, &[], None);
        check(&format!("error, status code: 400, status: 400 Bad Request, message: {WORDS}"), WORDS, &[], Some(400));
        check(&format!("Error: 400 {WORDS}\n    at kiln (/kiln.js:1:2)"), WORDS, &["Error"], Some(400));
    }

    #[test]
    fn a_sentence_that_looks_like_a_wrapper_is_kept() {
        for text in
            ["40000 tokens are too many", "400", "POST the letter: now", "Error", "\"a\" and \"b\"", "messages.2: bad"]
        {
            assert_eq!(without(text, &mut Said::default()), text);
        }
    }
}
