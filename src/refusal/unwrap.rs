//! What a provider said, out of whatever clients, gateways and logs wrapped it in.
//!
//! A wrapper is an object in which the error has a place that is known (`error.message`, `detail`, …), prose around it, a
//! string that holds it once more, or a level of escapes. The innermost message counts.

use super::lenient::{Node, objects, unescaped};
use super::prose;

/// How often an error is taken out of one more wrapper.
const MOST_WRAPPERS: usize = 8;

/// An error without its wrappers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub message: String,
    /// Types, codes and statuses by name, as written.
    pub names: Vec<String>,
    /// What the provider says is at fault.
    pub param: Option<String>,
    /// The HTTP status, where the text states it.
    pub status: Option<u16>,
}

/// What is said in a logged error.
pub fn said(text: &str) -> Said {
    let mut said = Said { message: text.trim().to_owned(), status: prose::status(text), ..Said::default() };
    for _ in 0..MOST_WRAPPERS {
        let outer = std::mem::take(&mut said.message);
        let inner = objects(&outer).find_map(|object| inside(&object, &mut said));
        said.message = match inner {
            Some(inner) => inner,
            None if outer.contains("{\\") => unescaped(&outer),
            None => {
                said.message = outer;
                break;
            }
        };
    }
    let message = std::mem::take(&mut said.message);
    said.message = prose::without(&message, &mut said).to_owned();
    said
}

/// Members that hold the message of an error, the surest first.
const MESSAGES: &[&str] = &[
    "message",
    "Message",
    "msg",
    "detail",
    "error_message",
    "errorMessage",
    "error_description",
    "heliconeMessage",
    "error_str",
    "error",
];

/// The message in an object, if it is one of an error or holds one; what else it says is noted.
fn inside(node: &Node, said: &mut Said) -> Option<String> {
    match node {
        Node::List(entries) => entries.iter().find_map(|entry| inside(entry, said)),
        Node::Object(members) => {
            note(members, said);
            if let Some(raw) = node.get("metadata").and_then(|metadata| metadata.get("raw")?.text()) {
                return Some(raw.to_owned());
            }
            let is_nested = |value: &Node| matches!(value, Node::Object(_) | Node::List(_));
            let nested = node.get("error").filter(|error| is_nested(error));
            if let Some(message) = nested.and_then(|error| inside(error, said)) {
                return Some(message);
            }
            let texts = MESSAGES.iter().find_map(|name| node.get(name)?.text());
            if let Some(text) = texts {
                return Some(text.to_owned());
            }
            // The member `error` was looked into: twice at each level would be too often.
            let others = members.iter().filter(|(name, value)| name != "error" && is_nested(value));
            others.map(|(_, value)| value).find_map(|value| inside(value, said))
        }
        Node::Text(_) | Node::Word(_) => None,
    }
}

/// Notes the names, the status and the parameter that an object of an error states.
fn note(members: &[(String, Node)], said: &mut Said) {
    for (name, value) in members {
        match (name.as_str(), value) {
            ("type" | "code" | "status" | "__type" | "reason", Node::Text(text)) => said.names.push(text.clone()),
            ("code" | "status" | "status_code" | "statusCode" | "error_code", Node::Word(word)) => {
                said.status = said.status.or(word.parse().ok().filter(|status| (100..600).contains(status)));
            }
            ("param", Node::Text(text)) => said.param = Some(text.clone()),
            ("loc", Node::List(path)) => said.param = Some(joined(path)),
            _ => {}
        }
    }
}

/// A path that is a list, in dots; `body` in front of it says nothing.
fn joined(path: &[Node]) -> String {
    let steps = path.iter().filter_map(|step| match step {
        Node::Text(text) | Node::Word(text) => Some(text.as_str()),
        _ => None,
    });
    steps.skip_while(|step| *step == "body").collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, message: &str) {
        assert_eq!(said(text).message, message, "{text}");
    }

    const WORDS: &str = "messages.2: bad";

    #[test]
    fn the_message_comes_out_of_the_bodies_of_every_provider() {
        check(r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.2: bad"}}"#, WORDS);
        check(r#"{"error":{"message":"messages.2: bad","type":"invalid_request_error","param":null}}"#, WORDS);
        check(r#"[{"error":{"code":400,"message":"messages.2: bad","status":"INVALID_ARGUMENT"}}]"#, WORDS);
        check(r#"{"message":"messages.2: bad"}"#, WORDS);
        check(
            r#"{"object":"error","message":{"detail":[{"loc":["body","messages"],"msg":"messages.2: bad"}]}}"#,
            WORDS,
        );
        check(r#"{"detail":"messages.2: bad"}"#, WORDS);
        check(r#"{"error":"messages.2: bad"}"#, WORDS);
        let raw = r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"messages.2: bad\"}}"}}}"#;
        check(raw, WORDS);
    }

    #[test]
    fn the_message_comes_out_of_its_wrappers() {
        check("Error code: 400 - {'type': 'error', 'error': {'type': 'x', 'message': 'messages.2: bad'}}", WORDS);
        check(
            r#"litellm.BadRequestError: AnthropicException - {"error":{"message":"messages.2: bad"}}. Fallbacks=None"#,
            WORDS,
        );
        check("litellm.ContextWindowExceededError: litellm.BadRequestError: AcmeException - messages.2: bad", WORDS);
        check(r#"{"message": "{\"error\": {\"message\": \"messages.2: bad\"}}"}"#, WORDS);
        check(r#"b'{"error": {"message": "messages.2: bad"}}'"#, WORDS);
        check(r#"upstream said {\"error\": {\"message\": \"messages.2: bad\"}}"#, WORDS);
        check(r#"{\\\"error\\\": {\\\"message\\\": \\\"messages.2: bad\\\"}}"#, WORDS);
        check("An error occurred (ValidationException) when calling the Converse operation: messages.2: bad", WORDS);
        check("POST \"https://api.example.com/v1/chat\": 400 Bad Request \"messages.2: bad\"", WORDS);
        check("in {tool}: messages.2: bad", "in {tool}: messages.2: bad");
        check("", "");
    }

    #[test]
    fn nested_errors_without_a_message_are_walked_once() {
        for odd in ["{\"error\":", "{\"error\":[", "{'x':{'error':"] {
            let deep = odd.repeat(47);
            check(&deep, &deep);
        }
    }

    #[test]
    fn what_else_is_said_is_kept() {
        let text = r#"Error code: 429 - {'error': {'code': 'busy', 'type': 'tokens', 'param': 'messages.[3].role', 'message': 'm'}}"#;
        let said = said(text);
        assert_eq!((said.status, said.param.as_deref()), (Some(429), Some("messages.[3].role")));
        assert_eq!(said.names, ["busy", "tokens"]);
    }
}
