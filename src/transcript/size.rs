//! Token sizes: the one place where they enter.
//!
//! A counter turns text into tokens; the size of a message is the count of all it says (text, tool names, arguments,
//! results, thinking in the clear) plus [`PER_MESSAGE`] for its frame. Arguments count as logged, or as compact JSON
//! where they are an object. An image counts [`PER_IMAGE`], whatever its bytes; encrypted reasoning counts nothing.
//! `chars4` is the convention of the reference figures: Unicode code points divided by four, rounded up per message.

use serde_json::Value;

use crate::model::{Arguments, Body, Message, Part, Preface, Tokens};

/// Tokens that the frame of a message costs: its role and its delimiters.
pub const PER_MESSAGE: Tokens = 4;

/// Tokens that an image counts: about what providers bill for one of a megapixel.
pub const PER_IMAGE: Tokens = 1_500;

/// A way to count tokens.
pub struct Counter {
    pub id: &'static str,
    /// One sentence that defines it.
    pub about: &'static str,
    /// Units of a text; units of several texts add up.
    pub units: fn(&str) -> u64,
    /// Units that make one token.
    pub per_token: u64,
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Counter({})", self.id)
    }
}

/// Every counter; the first is the default.
pub const COUNTERS: &[Counter] = &[
    Counter {
        id: "o200k",
        about: "tokens of OpenAI's o200k_base vocabulary, plus 4 a message",
        units: o200k,
        per_token: 1,
    },
    Counter {
        id: "chars4",
        about: "Unicode code points / 4, rounded up, plus 4 a message",
        units: code_points,
        per_token: 4,
    },
];

/// The counter of that name.
pub fn counter(id: &str) -> Option<&'static Counter> {
    COUNTERS.iter().find(|counter| counter.id == id)
}

fn code_points(text: &str) -> u64 {
    text.chars().count() as u64
}

fn o200k(text: &str) -> u64 {
    tiktoken::get_encoding("o200k_base").expect("the vocabulary is compiled in").count(text) as u64
}

/// Tokens of one message, its frame included.
pub fn message(counter: &Counter, message: &Message) -> Tokens {
    count(counter, &message.parts).saturating_add(PER_MESSAGE)
}

/// Tokens of one part, without a frame.
pub fn part(counter: &Counter, body: &Body) -> Tokens {
    let mut sum = Sum::new(counter);
    sum.body(body);
    sum.tokens()
}

/// Tokens of what stands outside the message list; a preface that says nothing costs nothing.
pub fn preface(counter: &Counter, preface: &Preface, tools: Option<&Value>) -> Tokens {
    let frame = if super::is_blank(preface) { 0 } else { PER_MESSAGE };
    let schemas = tools.map_or(0, |tools| {
        let mut sum = Sum::new(counter);
        sum.json(tools);
        sum.tokens()
    });
    count(counter, &preface.parts).saturating_add(frame).saturating_add(schemas)
}

fn count(counter: &Counter, parts: &[Part]) -> Tokens {
    let mut sum = Sum::new(counter);
    sum.parts(parts);
    sum.tokens()
}

/// Adds up units, and rounds to tokens once.
struct Sum<'c> {
    counter: &'c Counter,
    units: u64,
    images: u64,
}

impl<'c> Sum<'c> {
    fn new(counter: &'c Counter) -> Sum<'c> {
        Sum { counter, units: 0, images: 0 }
    }

    fn text(&mut self, text: &str) {
        self.units += (self.counter.units)(text);
    }

    fn json(&mut self, value: &Value) {
        self.text(&value.to_string());
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            self.body(&part.body);
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Text(text) => self.text(text),
            Body::ToolUse(call) => {
                self.text(&call.name);
                match &call.arguments {
                    Arguments::Text(text) => self.text(text),
                    Arguments::Json(value) => self.json(value),
                }
            }
            Body::ToolResult(result) => self.parts(&result.content),
            Body::Thinking(thinking) if thinking.redacted => {}
            Body::Thinking(thinking) => self.text(&thinking.text),
            Body::Image(_) => self.images += 1,
            Body::Other(value) => self.json(value),
        }
    }

    fn tokens(&self) -> Tokens {
        let text = self.units.div_ceil(self.counter.per_token);
        Tokens::try_from(text + self.images * u64::from(PER_IMAGE)).unwrap_or(Tokens::MAX)
    }
}
