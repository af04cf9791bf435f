//! What a request says beside its list, as facts: whatever rules ask of its other members.

use serde_json::Value;

use super::marks::is_long;
use crate::model::{Api, Body, Counted, Envelope, Fields, Form, Part, Preface, Request};

/// What the members of a request beside its list say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EnvelopeFacts {
    /// It is that of one request: what stands in the list is what was sent.
    pub is_lone: bool,
    /// `previous_response_id` is set.
    pub previous_response: bool,
    /// `conversation` is set.
    pub conversation: bool,
    /// A stored prompt is named.
    pub stored_prompt: bool,
    /// `store` is `false`.
    pub store_off: bool,
    /// The log kept its size in the place of its text.
    pub counted: Option<Counted>,
    /// Tokens with the output reserve, where they were held against a window: see [`super::size::in_window`].
    pub in_window: Option<u64>,
    /// No tools are defined.
    pub no_tools: bool,
    /// Thinking is on with a fixed budget.
    pub thinking: bool,
    /// Thinking is turned off.
    pub thinking_off: bool,
    /// Thinking whose prefix changed is dropped instead of refused.
    pub drops_unbound_thinking: bool,
    /// The system text holds an empty block.
    pub blank_system: bool,
    /// No container is named.
    pub no_container: bool,
    /// The cache marks on tools and system text.
    pub cache: CacheMarks,
}

/// The cache marks in front of the message list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheMarks {
    pub n: u32,
    /// One of them lives five minutes.
    pub has_short: bool,
    /// One that lives an hour stands behind one that lives five minutes.
    pub out_of_order: bool,
}

impl CacheMarks {
    fn of(system: &Preface, tools: Option<&Value>) -> CacheMarks {
        let tools = tools.and_then(Value::as_array).into_iter().flatten();
        let on_tools = tools.filter_map(|tool| tool.get("cache_control"));
        let on_system = system.parts.iter().filter_map(|part| part.extra.get("cache_control"));
        on_tools.chain(on_system).filter(|mark| !mark.is_null()).fold(CacheMarks::default(), |marks, mark| {
            let is_long = is_long(mark);
            CacheMarks {
                n: marks.n + 1,
                has_short: marks.has_short || !is_long,
                out_of_order: marks.out_of_order || (is_long && marks.has_short),
            }
        })
    }
}

impl EnvelopeFacts {
    /// Whether some history stands elsewhere than in the list.
    pub fn has_source(&self) -> bool {
        self.previous_response || self.conversation || self.stored_prompt
    }

    /// The facts of a lone request.
    pub fn of_request(request: &Request) -> EnvelopeFacts {
        let said =
            Said { api: request.api, system: &request.system, tools: request.tools.as_ref(), extra: &request.extra };
        EnvelopeFacts { is_lone: true, counted: request.counted, ..said.facts() }
    }

    /// The facts of a session's call; what a replay makes of its list is not what was sent.
    pub fn of_call(api: Api, (system, tools): &(Preface, Option<Value>), envelope: &Envelope) -> EnvelopeFacts {
        Said { api, system, tools: tools.as_ref(), extra: &envelope.extra }.facts()
    }
}

/// What a request says beside its list.
struct Said<'a> {
    api: Api,
    system: &'a Preface,
    tools: Option<&'a Value>,
    extra: &'a Fields,
}

impl Said<'_> {
    fn facts(&self) -> EnvelopeFacts {
        let member = |name: &str| self.extra.get(name).filter(|value| !value.is_null());
        let thinking = member("thinking");
        let is_mode = |wanted: &str| thinking.is_some_and(|mode| mode.get("type").is_some_and(|kind| kind == wanted));
        let on_mismatch = thinking.and_then(|mode| mode.get("block_binding")?.get("prefix_mismatch_behavior"));
        let is_blank = |part: &Part| matches!(&part.body, Body::Text(text) if text.is_empty());
        EnvelopeFacts {
            is_lone: false,
            counted: None,
            in_window: None,
            previous_response: member("previous_response_id").is_some(),
            conversation: member("conversation").is_some(),
            stored_prompt: self.api == Api::OpenaiResponses && member("prompt").is_some(),
            store_off: self.extra.get("store") == Some(&Value::Bool(false)),
            no_tools: self.tools.is_none_or(Value::is_null),
            thinking: is_mode("enabled"),
            thinking_off: is_mode("disabled"),
            drops_unbound_thinking: on_mismatch.is_some_and(|behavior| behavior == "drop_block"),
            blank_system: self.system.form == Form::List && self.system.parts.iter().any(is_blank),
            no_container: member("container").is_none(),
            cache: CacheMarks::of(self.system, self.tools),
        }
    }
}
