//! Sessions for property tests: built from a list of steps, their texts stating their own sizes.

use cutpoint::model::{
    Api, Arguments, Body, Fields, Form, Message, Part, Place, Preface, Role, Session, SessionCall, ToolResult, ToolUse,
    ToolUseKind,
};
use cutpoint::transcript::size::Counter;
use proptest::prelude::*;

/// A text counts the number that it is.
pub const STATED: Counter = Counter {
    id: "stated",
    about: "the number that the text is",
    units: |text| text.parse().unwrap_or(0),
    per_token: 1,
};

/// One step of a conversation.
#[derive(Clone, Debug)]
pub enum Step {
    System(u64),
    User(u64),
    Say(u64),
    /// An assistant message with that many calls, then the results of those that the mask keeps.
    Tools {
        calls: usize,
        answered: u8,
        size: u64,
    },
    /// A result of a call that nobody made.
    Stray(u64),
}

/// Steps of which most are what agents do, and some are faults.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = 1u64..400;
    let step = prop_oneof![
        1 => size.clone().prop_map(Step::System),
        6 => size.clone().prop_map(Step::User),
        6 => size.clone().prop_map(Step::Say),
        12 => (1usize..4, size.clone()).prop_map(|(calls, size)| Step::Tools { calls, answered: u8::MAX, size }),
        1 => (1usize..4, any::<u8>(), size.clone()).prop_map(|(calls, answered, size)| Step::Tools { calls, answered, size }),
        1 => size.prop_map(Step::Stray),
    ];
    proptest::collection::vec(step, 1..24)
}

/// Steps without a fault.
pub fn valid_steps() -> impl Strategy<Value = Vec<Step>> {
    steps().prop_map(|steps| {
        let sound = |step: &Step| match step {
            Step::Stray(_) => false,
            Step::Tools { answered, .. } => *answered == u8::MAX,
            _ => true,
        };
        steps.into_iter().filter(sound).collect()
    })
}

/// The session of these steps, with a call before every run of assistant messages.
pub fn session(api: Api, steps: &[Step]) -> Session {
    let mut messages = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        put(api, number, step, &mut messages);
    }
    let assistant = |index: usize| messages[index].role == Role::Assistant;
    let calls = (1..messages.len())
        .filter(|index| assistant(*index) && !assistant(*index - 1))
        .map(|index| SessionCall { upto: index as u32, reserve: 50, ..SessionCall::default() })
        .collect();
    Session {
        id: "test".to_owned(),
        parent: None,
        place: Place { source: "test".into(), line: 0 },
        api,
        model: None,
        prefaces: vec![(Preface::default(), None)],
        envelopes: Vec::new(),
        messages,
        calls,
        compactions: Vec::new(),
    }
}

fn put(api: Api, number: usize, step: &Step, messages: &mut Vec<Message>) {
    match step {
        // Anthropic's system text stands outside the list.
        Step::System(size) if api == Api::OpenaiChat => messages.push(message(Role::System, vec![text(*size)])),
        Step::System(size) | Step::User(size) => messages.push(message(Role::User, vec![text(*size)])),
        Step::Say(size) => messages.push(message(Role::Assistant, vec![text(*size)])),
        Step::Stray(size) => put_results(api, vec![result(&format!("stray_{number}"), *size)], messages),
        Step::Tools { calls, answered, size } => {
            let id = |call: usize| format!("call_{number}_{call}");
            messages.push(message(Role::Assistant, (0..*calls).map(|call| tool_use(&id(call), 10)).collect()));
            let kept = (0..*calls).filter(|call| answered >> call & 1 == 1);
            put_results(api, kept.map(|call| result(&id(call), *size)).collect(), messages);
        }
    }
}

fn put_results(api: Api, results: Vec<Part>, messages: &mut Vec<Message>) {
    match api {
        Api::AnthropicMessages | Api::BedrockConverse | Api::GeminiGenerateContent if !results.is_empty() => {
            messages.push(message(Role::User, results))
        }
        Api::AnthropicMessages | Api::BedrockConverse | Api::GeminiGenerateContent => {}
        _ => messages.extend(results.into_iter().map(|result| message(Role::Tool, vec![result]))),
    }
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { role, form: Form::List, parts, extra: Fields::new() }
}

fn part(body: Body) -> Part {
    Part { body, extra: Fields::new() }
}

fn text(size: u64) -> Part {
    part(Body::Text(size.to_string()))
}

fn tool_use(id: &str, size: u64) -> Part {
    part(Body::ToolUse(ToolUse {
        kind: ToolUseKind::Client,
        id: Some(id.to_owned()),
        name: "look_up".to_owned(),
        arguments: Arguments::Json(serde_json::json!({ "size": size })),
    }))
}

fn result(id: &str, size: u64) -> Part {
    let content = vec![text(size)];
    part(Body::ToolResult(ToolResult { id: Some(id.to_owned()), form: Form::List, content, is_error: false }))
}
