//! Token sizes: the one place where they enter.
//!
//! A counter turns text into tokens; the size of a message is the count of all it says (text, tool names, arguments,
//! results, thinking in the clear) plus [`PER_MESSAGE`] for its frame. Arguments count as logged, or as compact JSON
//! where they are an object. An image counts [`PER_IMAGE`], whatever its bytes; encrypted reasoning counts nothing.
//! `chars4` is the convention of the reference figures: Unicode code points divided by four, rounded up per message.

use serde_json::Value;

use crate::model::{Arguments, Body, Message, Part, Preface, Request, Tokens};

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

/// A bound that no tokenizer over bytes exceeds, and that costs nothing to look up; not for figures.
pub const BYTES: Counter = Counter {
    id: "bytes",
    about: "bytes, plus 4 a message: at least as many as there are tokens",
    units: |text| text.len() as u64,
    per_token: 1,
};

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

/// What a part weighs, before rounding: weights add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Weight {
    units: u64,
    images: u64,
}

impl Weight {
    /// The weight of one part, without a frame.
    pub fn of(counter: &Counter, body: &Body) -> Weight {
        let mut sum = Sum { counter, weight: Weight::default() };
        sum.body(body);
        sum.weight
    }

    /// Both together.
    pub fn and(self, other: Weight) -> Weight {
        Weight { units: self.units + other.units, images: self.images + other.images }
    }

    /// Tokens of this weight, without a frame.
    pub fn tokens(self, counter: &Counter) -> Tokens {
        let text = self.units.div_ceil(counter.per_token);
        Tokens::try_from(text + self.images * u64::from(PER_IMAGE)).unwrap_or(Tokens::MAX)
    }

    /// Tokens of a message of this weight, its frame included.
    pub fn in_frame(self, counter: &Counter) -> Tokens {
        self.tokens(counter).saturating_add(PER_MESSAGE)
    }
}

/// Tokens of one message, its frame included.
pub fn message(counter: &Counter, message: &Message) -> Tokens {
    weight(counter, &message.parts).in_frame(counter)
}

/// Tokens of a request with what it reserves for output, as far as it matters for a window: exact by `counter` where it
/// exceeds the window, else a bound that fits it.
pub fn in_window(counter: &Counter, request: &Request, window: u64) -> u64 {
    let outside = |counter| u64::from(preface(counter, &request.system, request.tools.as_ref()));
    let inside = |counter| request.messages.iter().map(move |one| u64::from(message(counter, one)));
    let mut total = outside(&BYTES) + inside(&BYTES).sum::<u64>() + u64::from(request.max_output.unwrap_or(0));
    if total > window {
        total = total - outside(&BYTES) + outside(counter);
    }
    for (bound, one) in inside(&BYTES).zip(&request.messages) {
        if total <= window {
            break;
        }
        total = total - bound + u64::from(message(counter, one));
    }
    total
}

/// Tokens of what stands outside the message list; a preface that says nothing costs nothing.
pub fn preface(counter: &Counter, preface: &Preface, tools: Option<&Value>) -> Tokens {
    let frame = if super::is_blank(preface) { 0 } else { PER_MESSAGE };
    let schemas = tools.map_or(0, |tools| {
        let mut sum = Sum { counter, weight: Weight::default() };
        sum.json(tools);
        sum.weight.tokens(counter)
    });
    weight(counter, &preface.parts).tokens(counter).saturating_add(frame).saturating_add(schemas)
}

fn weight(counter: &Counter, parts: &[Part]) -> Weight {
    let mut sum = Sum { counter, weight: Weight::default() };
    sum.parts(parts);
    sum.weight
}

/// Adds up what a counter says.
struct Sum<'c> {
    counter: &'c Counter,
    weight: Weight,
}

impl Sum<'_> {
    fn text(&mut self, text: &str) {
        self.weight.units += (self.counter.units)(text);
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
            Body::Image(_) => self.weight.images += 1,
            Body::Other(value) => self.json(value),
        }
    }
}
