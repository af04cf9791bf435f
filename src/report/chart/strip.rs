//! A transcript as a strip: every message as wide as its tokens, and below it one lane for each compaction.
//!
//! A lane shows the prompt of the call that compacted: what had gone before (outlined), what this cut took (hatched),
//! what was sent (solid). Kind is told by colour and by height. Blocks link to their messages; plotters knows no links,
//! so this picture is written as markup.

use std::fmt::Write;
use std::ops::Range;

use super::{Caption, escaped};
use crate::report::text::grouped;

const WIDTH: f64 = 1120.0;
const BASE: i32 = 92;
const LANES: i32 = 142;
const LANE: i32 = 40;
/// Lanes that are drawn; the rest is counted.
const LANES_MAX: usize = 12;
/// Neighbouring messages are drawn as one block until it is this wide.
const BLOCK: f64 = 2.0;

/// What a message mostly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    System,
    User,
    Assistant,
    /// An assistant message with tool uses.
    Calls,
    /// A message with tool results.
    Results,
    Other,
}

impl Kind {
    /// Every kind, in the order of the legend.
    pub const ALL: [Kind; 6] = [Kind::System, Kind::User, Kind::Assistant, Kind::Calls, Kind::Results, Kind::Other];

    /// Its name on pages; with dashes for spaces, its class.
    pub fn name(self) -> &'static str {
        match self {
            Kind::System => "system",
            Kind::User => "user",
            Kind::Assistant => "assistant",
            Kind::Calls => "tool use",
            Kind::Results => "tool result",
            Kind::Other => "other",
        }
    }

    /// The class that gives its colour.
    pub fn class(self) -> String {
        format!("kind-{}", self.name().replace(' ', "-"))
    }

    fn height(self) -> i32 {
        match self {
            Kind::System | Kind::User => 56,
            Kind::Assistant | Kind::Calls => 42,
            Kind::Results => 28,
            Kind::Other => 18,
        }
    }
}

/// One message of the strip.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub kind: Kind,
    pub tokens: u64,
    /// It stays whatever a policy does.
    pub pinned: bool,
}

/// One compaction of the strip; messages by their index.
#[derive(Clone, Debug)]
pub struct Cut {
    pub call: u32,
    /// The prompt of its call ends before this message.
    pub upto: u32,
    /// The messages that had gone already, as ranges.
    pub gone: Vec<Range<u32>>,
    /// Those that go now.
    pub taken: Vec<Range<u32>>,
    /// Those that become shorter now, with their new sizes.
    pub shortened: Vec<(u32, u64)>,
    /// What is put in: in front of which message, and in words what it is.
    pub inserted: Vec<(u32, String)>,
    pub before: u64,
    pub after: u64,
    /// The rule that refuses its prompt, and where.
    pub broken: Option<(String, u32)>,
}

impl Cut {
    /// What it changes, in words.
    pub fn words(&self) -> String {
        let range = |range: &Range<u32>| match range.end - range.start {
            1 => format!("message {}", range.start),
            _ => format!("messages {} to {}", range.start, range.end - 1),
        };
        let mut words: Vec<String> = self.taken.iter().take(3).map(range).collect();
        if self.taken.len() > 3 {
            words.push(format!("{} more ranges", self.taken.len() - 3));
        }
        match self.shortened.len() {
            0 => {}
            1 => words.push("1 message shortened".to_owned()),
            n => words.push(format!("{n} messages shortened")),
        }
        words.extend(self.inserted.iter().map(|(before, what)| format!("{what} put in before message {before}")));
        if words.is_empty() { "nothing more".to_owned() } else { words.join(", ") }
    }

    /// How many tokens it took.
    pub fn freed(&self) -> u64 {
        self.before.saturating_sub(self.after)
    }
}

/// The messages of a session with the cuts of one cell.
pub struct Strip<'a> {
    pub messages: &'a [Message],
    pub cuts: &'a [Cut],
    /// What counted the tokens.
    pub counter: &'a str,
    /// Where a message is shown in full.
    pub link: &'a dyn Fn(usize) -> String,
}

/// The picture of a strip.
pub fn svg(caption: &Caption, strip: &Strip) -> String {
    let ruler = Ruler::of(strip.messages);
    if ruler.total() == 0 {
        return caption.nothing("This session has no messages.");
    }
    let drawn = strip.cuts.len().min(LANES_MAX);
    let rest = i32::from(strip.cuts.len() > drawn) * LANE / 2;
    let height = if drawn == 0 { LANES - 16 } else { LANES + LANE * drawn as i32 + rest };
    let mut out = hatch(caption.id);
    draw_axis(&mut out, &ruler, strip.counter);
    draw_blocks(&mut out, &ruler, strip);
    draw_marks(&mut out, &ruler, strip);
    for (lane, cut) in (0..).zip(&strip.cuts[..drawn]) {
        draw_lane(&mut out, caption.id, &ruler, cut, LANES + LANE * lane);
    }
    if rest > 0 {
        let y = LANES + LANE * drawn as i32 + 10;
        let more = strip.cuts.len() - drawn;
        draw_text(&mut out, 0.0, y, "quiet-fill", &format!("and {more} more cuts, in the table below"));
    }
    caption.svg((WIDTH as u32, height as u32), &out)
}

/// Where messages stand on the horizontal axis.
struct Ruler {
    /// Tokens before each message, and after the last.
    ends: Vec<u64>,
}

impl Ruler {
    fn of(messages: &[Message]) -> Ruler {
        let mut ends = vec![0];
        ends.extend(messages.iter().scan(0, |sum, message| {
            *sum += message.tokens;
            Some(*sum)
        }));
        Ruler { ends }
    }

    fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The position at which a message begins.
    fn x(&self, message: usize) -> f64 {
        self.at(self.ends[message.min(self.ends.len() - 1)])
    }

    fn at(&self, tokens: u64) -> f64 {
        (WIDTH - 2.0) * tokens as f64 / self.total() as f64 + 1.0
    }
}

fn hatch(id: &str) -> String {
    format!(
        "<defs><pattern id=\"{id}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" class=\"hatch\"/></pattern></defs>\n"
    )
}

fn draw_axis(out: &mut String, ruler: &Ruler, counter: &str) {
    let step = round_step(ruler.total());
    for tokens in (0..=ruler.total()).step_by(step as usize) {
        let x = ruler.at(tokens);
        let anchor = if tokens == 0 { "start" } else { "middle" };
        let label = if tokens == 0 { format!("0 tokens ({})", escaped(counter)) } else { grouped(tokens) };
        let fits = x < WIDTH - 30.0 && (tokens == 0 || x > 140.0);
        writeln_rule(out, x, BASE, BASE + 6);
        if fits {
            let y = BASE + 22;
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\" class=\"quiet-fill\" font-size=\"12\">{label}</text>"
            );
        }
    }
}

/// A round number of tokens that cuts the strip into five to ten parts.
fn round_step(total: u64) -> u64 {
    let decade = 10u64.pow((total / 5).max(1).ilog10());
    [5, 2, 1].map(|factor| factor * decade).into_iter().find(|step| step * 5 <= total).unwrap_or(1)
}

fn writeln_rule(out: &mut String, x: f64, from: i32, to: i32) {
    let _ = writeln!(out, "<path d=\"M{x:.1} {from}V{to}\" class=\"quiet-line\"/>");
}

fn draw_text(out: &mut String, x: f64, y: i32, class: &str, text: &str) {
    let text = escaped(text);
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y}\" class=\"{class}\" font-size=\"13\">{text}</text>");
}

fn draw_blocks(out: &mut String, ruler: &Ruler, strip: &Strip) {
    let mut from = 0;
    while from < strip.messages.len() {
        let mut to = from + 1;
        while to < strip.messages.len() && ruler.x(to) - ruler.x(from) < BLOCK {
            to += 1;
        }
        draw_block(out, ruler, strip, from, to);
        from = to;
    }
}

fn draw_block(out: &mut String, ruler: &Ruler, strip: &Strip, from: usize, to: usize) {
    let messages = &strip.messages[from..to];
    let kind = messages.iter().max_by_key(|message| message.tokens).map_or(Kind::Other, |message| message.kind);
    let (x, width) = (ruler.x(from), ruler.x(to) - ruler.x(from));
    // A gap between blocks, where there is room for one.
    let width = if width > 3.0 { width - 1.0 } else { width };
    let tokens: u64 = messages.iter().map(|message| message.tokens).sum();
    let what = match to - from {
        1 => format!("message {from}, {}", kind.name()),
        _ => format!("messages {from} to {}, mostly {}", to - 1, kind.name()),
    };
    let _ = writeln!(
        out,
        "<a href=\"{}\" tabindex=\"-1\"><rect x=\"{x:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\" class=\"{}\">\
         <title>{what}: {} tokens</title></rect></a>",
        escaped(&(strip.link)(from)),
        BASE - kind.height(),
        kind.height(),
        kind.class(),
        grouped(tokens)
    );
}

/// The messages at which a prompt is refused, each once.
fn draw_marks(out: &mut String, ruler: &Ruler, strip: &Strip) {
    let mut broken: Vec<&(String, u32)> = strip.cuts.iter().filter_map(|cut| cut.broken.as_ref()).collect();
    broken.sort_by_key(|(_, message)| *message);
    broken.dedup_by_key(|(_, message)| *message);
    let mut free_from = 0.0;
    for (rule, message) in broken {
        let index = *message as usize;
        let (x, end) = (ruler.x(index), ruler.x(index + 1).max(ruler.x(index) + 2.0));
        let (middle, width) = (f64::midpoint(x, end), end - x);
        let link = escaped(&(strip.link)(index));
        let _ = writeln!(
            out,
            "<a href=\"{link}\"><title>refused at message {message}: {rule}</title>\
             <path d=\"M{middle:.1} 32l-6 -11h12z\" class=\"violation-fill\"/>\
             <rect x=\"{x:.1}\" y=\"34\" width=\"{width:.1}\" height=\"{}\" class=\"violation-line\"/></a>",
            BASE - 34,
            rule = escaped(rule)
        );
        let text = format!("{rule} at {message}");
        let length = text.len() as f64 * 7.0;
        let at = (middle - length / 2.0).clamp(0.0, WIDTH - length);
        if at >= free_from {
            draw_text(out, at, 13, "violation-fill", &text);
            free_from = at + length + 12.0;
        }
    }
}

fn draw_lane(out: &mut String, id: &str, ruler: &Ruler, cut: &Cut, top: i32) {
    draw_text(out, 0.0, top + 10, "fill-current", &sentence(cut));
    if let Some((rule, message)) = &cut.broken {
        let refused = format!("refused: {rule} at message {message}");
        let text = escaped(&refused);
        let _ = writeln!(
            out,
            "<text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\" class=\"violation-fill\" font-size=\"13\">{text}</text>",
            top + 10
        );
    }
    let y = top + 16;
    draw_bar(out, ruler, (0, cut.upto), y, "kept");
    for gone in &cut.gone {
        draw_bar(out, ruler, (gone.start, gone.end), y, "gone");
    }
    for taken in &cut.taken {
        draw_bar(out, ruler, (taken.start, taken.end), y, "taken");
        draw_hatch(out, id, (ruler.x(taken.start as usize), ruler.x(taken.end as usize)), y, 10);
    }
    for (message, _) in &cut.shortened {
        draw_bar(out, ruler, (*message, message + 1), y, "taken");
        draw_hatch(out, id, (ruler.x(*message as usize), ruler.x(*message as usize + 1)), y, 5);
    }
    for (before, what) in &cut.inserted {
        let x = ruler.x(*before as usize);
        let what = escaped(what);
        let _ = writeln!(out, "<path d=\"M{x:.1} {y}l-4 -6h8z\" class=\"lane-put\"><title>{what}</title></path>");
    }
    writeln_rule(out, ruler.x(cut.upto as usize), y - 3, y + 13);
}

/// Marks what left, or the upper part of what became shorter.
fn draw_hatch(out: &mut String, id: &str, (x, end): (f64, f64), y: i32, height: i32) {
    let width = end - x;
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" fill=\"url(#{id}-hatch)\"/>"
    );
}

fn sentence(cut: &Cut) -> String {
    format!("call {} · {} → {} tokens", cut.call, grouped(cut.before), grouped(cut.after))
}

fn draw_bar(out: &mut String, ruler: &Ruler, (from, to): (u32, u32), y: i32, class: &str) {
    if from < to {
        let (x, end) = (ruler.x(from as usize), ruler.x(to as usize));
        let width = end - x;
        let _ =
            writeln!(out, "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"10\" class=\"lane-{class}\"/>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_cut_the_strip_into_five_to_ten_parts() {
        for total in [5, 9, 10, 49, 51, 99, 100, 12_345, 999_999] {
            let parts = total / round_step(total);
            assert!((5..=12).contains(&parts), "{parts} parts of {total}");
        }
    }
}
