//! Token sizes: the one place where they enter.
//!
//! A counter turns text into tokens; the size of a message is the count of all it says (text, tool names, arguments,
//! results, thinking in the clear) plus [`PER_MESSAGE`] for its frame. Arguments count as logged, or as compact JSON
//! where they are an object. An image counts [`PER_IMAGE`], whatever its bytes; encrypted reasoning counts nothing.
//! A run of letters, of blanks or of other signs that goes on for more than [`RUN_MAX`] bytes is counted in pieces of that
//! length: a vocabulary merges each run as a whole, which costs time and memory that ordinary text never does. Such a run
//! may count a token more for each piece; everything else counts exactly.
//! `chars4` is the convention of the reference figures: Unicode code points divided by four, rounded up per message.

use serde_json::Value;

use crate::model::{Arguments, Body, Message, Part, Preface, Request, Tokens};

/// Tokens that the frame of a message costs: its role and its delimiters.
pub const PER_MESSAGE: Tokens = 4;

/// Tokens that an image counts: about what providers bill for one of a megapixel.
pub const PER_IMAGE: Tokens = 1_500;

/// The longest run of letters, of blanks or of other signs that is counted in one piece, in bytes.
pub const RUN_MAX: usize = 16 << 10;

/// The most bytes that one token stands for, with any counter; in o200k_base that is a run of 128 blanks.
const TOKEN_BYTES_MAX: u64 = 128;

/// How an estimate samples a text: that many pieces of that many bytes.
const SAMPLES: usize = 16;
const SAMPLE_BYTES: usize = 4 << 10;

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
    let vocabulary = tiktoken::get_encoding("o200k_base").expect("the vocabulary is compiled in");
    let (mut units, mut last) = (0, ("", 0));
    for piece in pieces(text) {
        // One sign over and over makes one piece over and over.
        if last.0 != piece {
            last = (piece, vocabulary.count(piece) as u64);
        }
        units += last.1;
    }
    units
}

/// From a few samples, and at least as many as the text's length allows.
fn o200k_sampled(text: &str) -> u64 {
    if text.len() <= SAMPLES * SAMPLE_BYTES {
        return o200k(text);
    }
    let sample = |number: usize| {
        let start = text.floor_char_boundary(text.len() / SAMPLES * number);
        &text[start..text.floor_char_boundary(start + SAMPLE_BYTES)]
    };
    let (units, bytes) = (0..SAMPLES)
        .map(sample)
        .fold((0, 0), |(units, bytes), sample| (units + u128::from(o200k(sample)), bytes + sample.len() as u128));
    let scaled = u64::try_from(units * text.len() as u128 / bytes).unwrap_or(u64::MAX);
    scaled.max((text.len() as u64).div_ceil(TOKEN_BYTES_MAX))
}

/// A text in as few pieces as have no run beyond [`RUN_MAX`]: nearly always itself.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = text.split_at(cut(text));
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Where the first run of a text reaches [`RUN_MAX`]; at its end where none does.
fn cut(text: &str) -> usize {
    if text.len() <= RUN_MAX {
        return text.len();
    }
    let (mut run, mut from) = (Sign::Joining, 0);
    for (at, character) in text.char_indices() {
        let sign = Sign::of(character);
        if !run.goes_on(sign) {
            from = at;
        }
        if sign != Sign::Joining || from == at {
            run = sign;
        }
        if at - from >= RUN_MAX && sign != Sign::Digit {
            return at;
        }
    }
    text.len()
}

/// What tells runs apart, as the vocabulary's pattern does. Where that needs tables of Unicode, a sign is `Joining`: what
/// is next to it may belong to the same run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Letter,
    /// At most three of these make a run.
    Digit,
    Blank,
    Other,
    Joining,
}

impl Sign {
    fn of(character: char) -> Sign {
        match character {
            '0'..='9' => Sign::Digit,
            _ if character.is_whitespace() => Sign::Blank,
            _ if character.is_alphabetic() => Sign::Letter,
            '\0'..='\u{7f}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{3029}' | '\u{ff00}'..='\u{ff0f}' => {
                Sign::Other
            }
            _ => Sign::Joining,
        }
    }

    fn goes_on(self, next: Sign) -> bool {
        self == next || (self == Sign::Joining || next == Sign::Joining) && next != Sign::Blank && self != Sign::Blank
    }
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

/// Tokens of a request with what it reserves for output, as far as it matters for a window: where it surely fits, a bound
/// that fits as well; where it surely does not, an estimate that does not either; between, exact by `counter`.
pub fn in_window(counter: &Counter, request: &Request, window: u64) -> u64 {
    let outside = |counter| u64::from(preface(counter, &request.system, request.tools.as_ref()));
    let inside = |counter| request.messages.iter().map(move |one| u64::from(message(counter, one)));
    let reserve = u64::from(request.max_output.unwrap_or(0));
    let bytes = outside(&BYTES) + inside(&BYTES).sum::<u64>();
    if bytes / TOKEN_BYTES_MAX + reserve > window {
        let rough = estimating(counter);
        return outside(&rough) + inside(&rough).sum::<u64>() + reserve;
    }
    let mut total = bytes + reserve;
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

/// A counter that says about the same in a time that hardly grows with a text.
fn estimating(counter: &Counter) -> Counter {
    let units = if counter.id == COUNTERS[0].id { o200k_sampled } else { counter.units };
    Counter { units, ..*counter }
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;

    fn whole(text: &str) -> u64 {
        tiktoken::get_encoding("o200k_base").unwrap().count(text) as u64
    }

    /// Texts of `n` bytes or a little less, each without an end to its only run.
    fn endless(n: usize) -> Vec<String> {
        let signs =
            ["x", "Ab", "=", " ", "\n", " \n", "/", "\u{4e2d}", "e\u{301}", "\u{301}", "\u{1f44d}", "\u{915}\u{94d}"];
        signs.iter().map(|sign| sign.repeat(n / sign.len())).collect()
    }

    #[test]
    fn ordinary_text_counts_as_a_whole() {
        let line = "fn main() { println!(\"{:>8.3}\", 3.14159265358979); } // \u{fc}ber alles\r\n\t";
        let prose = "\u{4ed6}\u{8bf4}\u{ff0c}\u{4eca}\u{5929}\u{5929}\u{6c14}\u{5f88}\u{597d}\u{3002}";
        let digits = "31415926535897932384626433832795028841971";
        let base64 = "iVBORw0KGgoAAAANSUhEUgAABDgAAAJYCAIAAAD+";
        for text in
            [line, prose, digits, base64, "word ", "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} ", "{\"a\":[1,2]},"]
        {
            let long = text.repeat(4 * RUN_MAX / text.len());
            assert_eq!(pieces(&long).count(), 1, "{text}");
            assert_eq!(o200k(&long), whole(&long), "{text}");
        }
        for text in endless(RUN_MAX) {
            assert_eq!(o200k(&text), whole(&text));
        }
        assert_eq!(o200k(""), 0);
    }

    #[test]
    fn a_run_without_an_end_is_cut_and_counts_nearly_the_same() {
        for text in endless(8 * RUN_MAX).iter().chain([&format!("a{}", "xyz".repeat(3 * RUN_MAX))]) {
            let longest = pieces(text).map(str::len).max().unwrap();
            assert!(longest <= RUN_MAX + 4, "{longest}");
            assert_eq!(pieces(text).collect::<String>(), *text);
            let (pieces, cut, whole) = (pieces(text).count() as u64, o200k(text), whole(text));
            assert!(cut.abs_diff(whole) <= 2 * pieces, "{cut} for {whole} in {pieces} pieces");
        }
    }

    #[test]
    fn no_token_is_longer_than_the_bound() {
        let vocabulary = tiktoken::get_encoding("o200k_base").unwrap();
        let longest = (0..199_998).map(|token| vocabulary.decode(&[token]).len() as u64).max().unwrap();
        assert_eq!(longest, TOKEN_BYTES_MAX);
    }

    fn request(text: String) -> Request {
        let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": text}]});
        (crate::dialects::for_api(crate::model::Api::OpenaiChat).parse)(body).unwrap()
    }

    #[test]
    fn what_surely_does_not_fit_is_estimated_and_does_not_fit_either() {
        let since = Instant::now();
        let counter = &COUNTERS[0];
        for unit in ["x", " ", "the tide rises. ", "\u{4e2d}"] {
            let long = request(unit.repeat((32 << 20) / unit.len()));
            let exact = u64::from(message(counter, &long.messages[0]));
            let window = (32 << 20) / TOKEN_BYTES_MAX - 1;
            let estimate = in_window(counter, &long, window);
            assert!(estimate > window && estimate.abs_diff(exact) <= exact / 100, "{estimate} for {exact}");
        }
        println!("{:?}", since.elapsed());
    }

    #[test]
    fn between_the_bounds_a_request_is_counted_exactly() {
        let counter = &COUNTERS[0];
        let long = request("the tide rises. ".repeat(4_000));
        let exact = u64::from(message(counter, &long.messages[0]));
        assert_eq!(in_window(counter, &long, exact - 1), exact);
        assert!(in_window(counter, &long, exact) <= exact);
    }
}
