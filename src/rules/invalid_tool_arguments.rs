//! # `invalid_tool_arguments`
//!
//! The arguments of a call are none that the API takes.
//!
//! ## Finds
//! Anthropic: a `tool_use` whose `input` is a list, a string, a number or null. Chat: `arguments` that are no string, or a
//! string that is no JSON (a call that was cut short while it streamed).
//!
//! ## Provider answers
//! "messages.N.content.K.tool_use.input: Input should be a valid dictionary".
//!
//! ## Applies to
//! Anthropic Messages: refused, seen in public reports. OpenAI Chat: refused where they are no string; a string that is
//! no JSON is a warning, since the first party takes any and strict servers refuse.
//!
//! ## Example
//! ```json
//! {
//!   "messages": [
//!     {"role": "user", "content": "Kiln?"},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "k", "name": "kiln", "input": []}]},
//!     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "hot"}]}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Send the arguments as an object, `{}` where there are none.
//!
//! ## Sources
//! prism-php/prism#659

use super::{Findings, Rule, Scope, Severity, Side, Target, Verdict, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "invalid_tool_arguments",
    about: "the arguments of a call are none that the API takes",
    docs: include_str!("invalid_tool_arguments.rs"),
    texts: &[
        "tool_use.input: Input should be a valid dictionary",
        "The format of the value at messages.N.content.K.toolUse.input is invalid",
        "The value at messages.N.content.K.toolUse.input is empty",
        "Invalid type for 'messages[N].tool_calls[K].function.arguments'",
        "function.arguments' : value must be a string",
        "The arguments to a tool_call with ID",
        "invalid function arguments json string",
        "The \"function.arguments\" parameter of the code model must be in JSON format",
        "Failed to parse tool call arguments as JSON",
        "into Go struct field ChatRequest.messages.tool_calls.function.arguments",
        "invalid tool call arguments",
        "Unterminated string starting at: line N column K",
        "Expecting ',' delimiter: line N column K",
        "Expecting value: line N column K",
        "Extra data: line N column K",
        "Invalid type for 'input[N].arguments'",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[
        Side { target: "OpenAI's own API, which takes any string", verdict: Verdict::Accept },
        Side { target: "servers that read the arguments", verdict: Verdict::Reject },
    ],
    severity,
    check,
};

fn severity(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat], target)
}

fn check(prompt: &Prompt, findings: &mut Findings) {
    let wanted = if prompt.api() == Api::AnthropicMessages { "an object" } else { "an object written as a string" };
    for (site, part) in prompt.marked(Marks::BAD_INPUT.and(Marks::INPUT_NOT_JSON)) {
        let severity = match part.marks {
            marks if marks.has(Marks::BAD_INPUT) => Severity::Error,
            marks if !marks.has(Marks::CUT) => Severity::Warning,
            _ => continue,
        };
        let say = format!("the arguments of a call in message {} are not {wanted}: send that", site.message);
        findings.report_as(severity, site.into(), vec![part.id], say);
    }
}
