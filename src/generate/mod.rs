//! Synthetic traffic of agents, from a seed: for the bundled sample, the tests and the benches.
//!
//! A session is a system prompt and exchanges; an exchange is a user message, rounds of tool calls (some parallel) with
//! results of long-tailed size, and an answer. Its client compacts: requests over a limit lose their oldest messages, and
//! where the cut falls between a tool call and its result, the provider refuses. It is written as the native log (one
//! call a line, whole requests: the bytes grow with the square of a session) or as one session a line. The same seed and shape give the same bytes; a
//! session depends on its own number only, so more sessions never change the ones before.

mod log;
mod random;
mod text;

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::model::Api;
pub use random::Random;

/// What synthetic sessions look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub sessions: u32,
    pub seed: u64,
    /// Mean number of exchanges in a session.
    pub exchanges: u32,
    /// Mean number of rounds with tools in an exchange that uses tools.
    pub rounds: u32,
    /// Exchanges that use tools, of a thousand.
    pub tool_permille: u32,
    /// Rounds that ask for two to four tools at once, of a thousand.
    pub parallel_permille: u32,
    /// Median tokens of a tool result; the distribution is long-tailed.
    pub result_tokens: u32,
    /// Tokens at which a session ends.
    pub max_tokens: u32,
    /// Tokens at which the client of a native log compacts: it keeps the system prompt and drops the oldest messages.
    pub compact_at: u32,
    /// Sessions that speak Anthropic Messages, of a thousand; the others speak OpenAI Chat.
    pub anthropic_permille: u32,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            sessions: 80,
            seed: 1,
            exchanges: 6,
            rounds: 3,
            tool_permille: 750,
            parallel_permille: 250,
            result_tokens: 180,
            max_tokens: 24_000,
            compact_at: 18_000,
            anthropic_permille: 400,
        }
    }
}

/// How synthetic traffic is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The native log: one call a line with its whole request.
    Native,
    /// One session a line.
    Sessions,
}

impl Form {
    /// The form of that name.
    pub fn from_id(id: &str) -> Option<Form> {
        match id {
            "native" => Some(Form::Native),
            "sessions" => Some(Form::Sessions),
            _ => None,
        }
    }
}

/// Writes sessions of a shape.
pub fn write(shape: &Shape, form: Form, out: &mut impl Write) -> io::Result<()> {
    for number in 0..shape.sessions {
        let story = story(shape, number);
        match form {
            Form::Sessions => log::write_session(&story, shape, out)?,
            Form::Native => log::write_calls(&story, shape, out)?,
        }
    }
    Ok(())
}

/// One synthetic session.
struct Story {
    number: u32,
    api: Api,
    system: String,
    messages: Vec<Value>,
    /// About how many tokens each message has.
    tokens: Vec<u32>,
}

impl Story {
    fn id(&self) -> String {
        format!("harbour-{:05}", self.number)
    }

    fn model(&self) -> &'static str {
        match self.api {
            Api::AnthropicMessages => "claude-sonnet-4-5",
            _ => "gpt-4.1",
        }
    }

    fn push(&mut self, message: Value, tokens: u32) {
        self.messages.push(message);
        self.tokens.push(tokens + 4);
    }

    /// How many messages at the start are the system's.
    fn n_pinned(&self) -> usize {
        usize::from(self.api == Api::OpenaiChat)
    }

    fn size(&self) -> u32 {
        self.tokens.iter().sum()
    }
}

fn story(shape: &Shape, number: u32) -> Story {
    let random = &mut Random::new(shape.seed, u64::from(number) + 1);
    let api = if random.chance(shape.anthropic_permille) { Api::AnthropicMessages } else { Api::OpenaiChat };
    let system = format!("You plan berths for a harbour. {}", text::prose(random, 150));
    let mut story = Story { number, api, system, messages: Vec::new(), tokens: Vec::new() };
    if api == Api::OpenaiChat {
        story.push(json!({"role": "system", "content": story.system}), 170);
    }
    for _ in 0..random.geometric(shape.exchanges) {
        exchange(&mut story, shape, random);
        if story.size() > shape.max_tokens {
            break;
        }
    }
    story
}

fn exchange(story: &mut Story, shape: &Shape, random: &mut Random) {
    let tokens = random.long_tailed(40);
    story.push(json!({"role": "user", "content": text::prose(random, tokens)}), tokens);
    if random.chance(shape.tool_permille) {
        for _ in 0..random.geometric(shape.rounds) {
            round(story, shape, random);
        }
    }
    let tokens = random.long_tailed(90);
    story.push(json!({"role": "assistant", "content": text::prose(random, tokens)}), tokens);
}

/// An assistant message with tool calls, and their results.
fn round(story: &mut Story, shape: &Shape, random: &mut Random) {
    let n_tools = if random.chance(shape.parallel_permille) { 2 + random.below(3) } else { 1 };
    let said = random.chance(400).then(|| text::prose(random, 20));
    let uses: Vec<(String, &str, Value)> = (0..n_tools).map(|_| tool_use(random)).collect();
    let results: Vec<(String, u32)> = uses
        .iter()
        .map(|_| {
            let tokens = random.long_tailed(shape.result_tokens).min(shape.max_tokens / 4);
            (text::rows(random, tokens), tokens)
        })
        .collect();
    let asked = 30 * n_tools as u32 + if said.is_some() { 24 } else { 0 };
    match story.api {
        Api::AnthropicMessages => anthropic_round(story, said, &uses, results, asked),
        _ => openai_round(story, said, &uses, results, asked),
    }
}

fn tool_use(random: &mut Random) -> (String, &'static str, Value) {
    let name = random.pick(text::TOOLS);
    let mut topic = String::new();
    text::sentence(random, &mut topic);
    (format!("{:012x}", random.next_u64() >> 16), name, json!({"berth": random.below(40), "about": topic}))
}

type Use<'u> = (String, &'u str, Value);

fn anthropic_round(story: &mut Story, said: Option<String>, uses: &[Use], results: Vec<(String, u32)>, asked: u32) {
    let text = said.map(|text| json!({"type": "text", "text": text}));
    let calls = uses.iter().map(
        |(id, name, input)| json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input}),
    );
    let blocks: Vec<Value> = text.into_iter().chain(calls).collect();
    story.push(json!({"role": "assistant", "content": blocks}), asked);
    let tokens = results.iter().map(|(_, tokens)| tokens).sum();
    let blocks: Vec<Value> = uses
        .iter()
        .zip(results)
        .map(|((id, ..), (text, _))| json!({"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": text}))
        .collect();
    story.push(json!({"role": "user", "content": blocks}), tokens);
}

fn openai_round(story: &mut Story, said: Option<String>, uses: &[Use], results: Vec<(String, u32)>, asked: u32) {
    let calls: Vec<Value> = uses
        .iter()
        .map(|(id, name, input)| {
            let function = json!({"name": name, "arguments": input.to_string()});
            json!({"id": format!("call_{id}"), "type": "function", "function": function})
        })
        .collect();
    story.push(json!({"role": "assistant", "content": said, "tool_calls": calls}), asked);
    for ((id, ..), (text, tokens)) in uses.iter().zip(results) {
        story.push(json!({"role": "tool", "tool_call_id": format!("call_{id}"), "content": text}), tokens);
    }
}

/// The tools as a request of that API defines them.
fn tools(api: Api) -> Value {
    let parameters = json!({
        "type": "object",
        "properties": {"berth": {"type": "integer"}, "about": {"type": "string"}},
        "required": ["berth"],
    });
    let define = |name: &&str| {
        let about = format!("Asks the {}.", name.replace('_', " "));
        match api {
            Api::AnthropicMessages => json!({"name": name, "description": about, "input_schema": parameters}),
            _ => {
                json!({"type": "function", "function": {"name": name, "description": about, "parameters": parameters}})
            }
        }
    };
    text::TOOLS.iter().map(define).collect()
}
