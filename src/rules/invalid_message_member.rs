//! # `invalid_message_member`
//!
//! A member of a message is none that the server takes, or not of the type that it takes.
//!
//! ## Finds
//! Nothing: which members a server takes differs by server and day. It names the refusal where a log holds one: a
//! member that another provider or a framework left in the message, a list where a text is wanted, a block of an
//! unknown type.
//!
//! ## Provider answers
//! Groq: "for 'role:assistant' the following must be satisfied[('messages.4' : property 'ID' is unsupported)]".
//! OpenAI: "Unknown parameter: 'messages[N].ID'". Anthropic: "messages.N.ID: Extra inputs are not permitted". Gemini:
//! "Unknown name \"ID\" at 'contents[N]': Cannot find field". Converse: "The format of the value at messages.N is
//! invalid".
//!
//! ## Applies to
//! Every API; only observed, never predicted. Seen in public reports.
//!
//! ## Example
//! ```json
//! {
//!   "model": "openai/gpt-oss-120b",
//!   "messages": [
//!     {"role": "user", "content": "How hot is the kiln?", "timestamp": 1764000000},
//!     {"role": "assistant", "content": "1100 degrees."},
//!     {"role": "user", "content": "And now?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send of each message only what the API of this server documents; take off what a framework or another provider
//! added.
//!
//! ## Sources
//! ServiceStack/llms#17; run-llama/llama_index#14701; SimonSchubert/Kai#265; posit-dev/chatlas#25;
//! CherryHQ/cherry-studio#3307; nocmt/LLMSearchPlus#2; aws/aws-sdk-js-v3#7330;
//! deepset-ai/haystack-core-integrations#3766; BigPizzaV3/CodexPlusPlus#329

use super::{Rule, Scope};

pub(super) const RULE: Rule = Rule {
    id: "invalid_message_member",
    about: "a member of a message is none that the server takes",
    docs: include_str!("invalid_message_member.rs"),
    texts: &[
        "for 'role:",
        "property 'ID' is unsupported",
        "Unknown parameter: 'messages[N]",
        "Unknown parameter: 'input[N]",
        "was unexpected) - 'messages.N",
        "messages.N.ID: Extra inputs are not permitted",
        "messages.N.ID: Input should be",
        "messages.N.ID: Input tag",
        "messages: Input should be a valid list",
        "messages.N: Input should be",
        "Invalid type for 'messages[N]",
        "Invalid type for 'input[N]",
        "Invalid value for 'content': expected a string, got",
        "Supported values are: 'input_text'",
        "Supported values are: 'output_text'",
        "Supported values are: 'text'",
        "is not of type 'ID' - 'messages.N",
        "is not valid under any of the given schemas - 'messages.N",
        "'$.messages[N]",
        "'$.input[N]",
        "The model expects a single `text` element per message",
        "target type: messages",
        "target type: input",
        "into Go struct field ChatRequest.messages",
        "invalid message content type",
        "invalid message format",
        "The format of the value at messages.N",
        "The value at messages.N",
        "extraneous key [cache_control] is not permitted",
        "extraneous key [reasoning_content] is not permitted",
        "extraneous key [tool_calls] is not permitted",
        "extraneous key [name] is not permitted",
        "Invalid Responses API request",
        "Unknown parameter in messages[N]",
        "Invalid type for parameter messages[N]",
        "Invalid JSON payload received. Unknown name \"ID\" at 'contents[N]",
        "Invalid value at 'contents[N]",
        "Invalid value at 'request.contents[N]",
        "message[N].content[K] has invalid field",
        "unknown field: parameter 'messages",
        "Reasoning input items can only be provided to a reasoning or computer use model",
        "Extra inputs are not permitted, field: 'messages[N]",
        "The parameter `messages",
        "messages.N.ID: Invalid value",
        "input.N.ID: Invalid value",
        "Unsupported value: 'messages[N]",
        "invalid part type",
        "input.N.ID: Input should be",
        "input.N.ID: Extra inputs are not permitted",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |_| None,
    check: |_, _| {},
};
