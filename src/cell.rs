//! A cell: one setting `policy/trigger/target/window/mode` under which sessions are replayed, and grids of them.
//!
//! A cell prints as one string, `drop-oldest-exchange:keep=2/0.9/0.5/200000/sticky`, which is its key in Postgres, its
//! URL and its name in snapshots; parsing it gives the cell back. Shares are exact decimals, never floats.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::policies::{PolicySpec, PolicySpecError};
use crate::share::{NoShare, Share};

/// Why a text names no cell.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SpecError {
    #[error(transparent)]
    Share(#[from] NoShare),
    #[error(
        "`{text}` is no trigger; write a share of the window like `70%`, or `tokens:160k`, `messages:40`, `turns:12`, \
             `overflow`; behind each, `@turn` for the beginning of turns only"
    )]
    TriggerForm { text: String },
    #[error("trigger `{trigger}` counts no tokens, so a compaction needs a target of its own; write it like `50%`")]
    TargetMissing { trigger: String },
    #[error("trigger `{text}` is out of range; {hint}it must be above 0 % and at most 100 % of the window", hint = hint(text))]
    Trigger { text: String },
    #[error("target `{text}` is out of range; {hint}it must be above 0 % and at most 100 % of the window", hint = hint(text))]
    Target { text: String },
    #[error("target {target} lies above trigger {trigger}; a compaction cuts down to at most its trigger")]
    TargetAboveTrigger { target: String, trigger: String },
    #[error("unknown window `{text}`; write tokens like `200000`, `200k` or `1M`, or `model` for that of each model")]
    Window { text: String },
    #[error("unknown mode `{text}`; known are sticky, stateless")]
    Mode { text: String },
    #[error("`{text}` is no cell; write it like `drop-oldest-round/0.9/trigger/200000/sticky`")]
    Cell { text: String },
    #[error(transparent)]
    Policy(#[from] PolicySpecError),
}

/// What is meant by a number that makes sense in percent only.
fn hint(text: &str) -> String {
    match format!("{text}%").parse::<Share>() {
        Ok(share) if !text.ends_with('%') && share.in_range() => format!("did you mean `{text}%`? "),
        _ => String::new(),
    }
}

/// When a call is compacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    pub when: When,
    /// Only where a user begins a turn.
    pub at_turns: bool,
    text: String,
}

/// What a prompt must exceed to be compacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// A share of the window.
    Share(Share),
    Tokens(u64),
    /// So many messages.
    Messages(u64),
    /// So many user messages.
    Turns(u64),
    /// The window, with the output reserve.
    Overflow,
}

impl Trigger {
    /// The trigger as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.when {
            When::Share(share) => share.fmt(f)?,
            When::Tokens(n) => write!(f, "tokens:{n}")?,
            When::Messages(n) => write!(f, "messages:{n}")?,
            When::Turns(n) => write!(f, "turns:{n}")?,
            When::Overflow => f.write_str("overflow")?,
        }
        if self.at_turns { f.write_str("@turn") } else { Ok(()) }
    }
}

impl From<Share> for Trigger {
    fn from(share: Share) -> Trigger {
        Trigger { text: share.text().to_owned(), when: When::Share(share), at_turns: false }
    }
}

impl FromStr for Trigger {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Trigger, SpecError> {
        let (what, at_turns) = text.strip_suffix("@turn").map_or((text, false), |what| (what, true));
        let form = || SpecError::TriggerForm { text: text.to_owned() };
        let count = |n: &str| n.parse::<u64>().ok().filter(|n| *n > 0).ok_or_else(form);
        let when = match what.split_once(':') {
            Some(("tokens", n)) => When::Tokens(tokens(n).ok_or_else(form)?),
            Some(("messages", n)) => When::Messages(count(n)?),
            Some(("turns", n)) => When::Turns(count(n)?),
            Some(_) => return Err(form()),
            None if what == "overflow" => When::Overflow,
            None => When::Share(what.parse()?),
        };
        Ok(Trigger { when, at_turns, text: text.to_owned() })
    }
}

/// A number of tokens like `200000`, `200k` or `1M`.
fn tokens(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|tokens| *tokens > 0)
}

/// What a compaction cuts down to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The trigger itself.
    Trigger,
    Share(Share),
}

impl Target {
    /// The target as it was typed.
    pub fn text(&self) -> &str {
        match self {
            Target::Trigger => "trigger",
            Target::Share(share) => share.text(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Trigger => f.write_str("trigger"),
            Target::Share(share) => share.fmt(f),
        }
    }
}

impl FromStr for Target {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Target, SpecError> {
        match text {
            "trigger" => Ok(Target::Trigger),
            _ => Ok(Target::Share(text.parse()?)),
        }
    }
}

/// The model's context limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    Tokens(u64),
    /// That of the model that a session names, from the catalog.
    Model,
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Tokens(tokens) => write!(f, "{tokens}"),
            Window::Model => f.write_str("model"),
        }
    }
}

impl FromStr for Window {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Window, SpecError> {
        if text == "model" {
            return Ok(Window::Model);
        }
        tokens(text).map(Window::Tokens).ok_or_else(|| SpecError::Window { text: text.to_owned() })
    }
}

/// What a later call starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The compacted history grows: most products.
    Sticky,
    /// Every call is cut afresh from the full transcript: trimming just before the request.
    Stateless,
}

impl Mode {
    /// The word used on the command line, in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Sticky => "sticky",
            Mode::Stateless => "stateless",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Mode, SpecError> {
        match text {
            "sticky" => Ok(Mode::Sticky),
            "stateless" => Ok(Mode::Stateless),
            _ => Err(SpecError::Mode { text: text.to_owned() }),
        }
    }
}

/// One setting of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub policy: PolicySpec,
    pub trigger: Trigger,
    pub target: Target,
    pub window: Window,
    pub mode: Mode,
}

/// The sizes at which a cell acts, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub window: u64,
    /// A prompt above this is compacted.
    pub trigger: u64,
    /// A compaction cuts down to this.
    pub target: u64,
}

impl Cell {
    /// The cell of these settings, if they go together.
    pub fn new(
        policy: PolicySpec,
        trigger: Trigger,
        target: Target,
        window: Window,
        mode: Mode,
    ) -> Result<Cell, SpecError> {
        if let When::Share(share) = &trigger.when
            && !share.in_range()
        {
            return Err(SpecError::Trigger { text: share.text().to_owned() });
        }
        match (&target, &trigger.when) {
            (Target::Share(share), _) if !share.in_range() => {
                return Err(SpecError::Target { text: share.text().to_owned() });
            }
            (Target::Share(share), When::Share(trigger)) if *share > *trigger => {
                let (target, trigger) = (share.text().to_owned(), trigger.text().to_owned());
                return Err(SpecError::TargetAboveTrigger { target, trigger });
            }
            (Target::Trigger, When::Messages(_) | When::Turns(_)) => {
                return Err(SpecError::TargetMissing { trigger: trigger.text });
            }
            _ => {}
        }
        Ok(Cell { policy, trigger, target, window, mode })
    }

    /// Whether a compaction cuts down to what just fits the window with the output reserve.
    pub fn is_just_fit(&self) -> bool {
        self.trigger.when == When::Overflow && self.target == Target::Trigger
    }

    /// The sizes at which it acts on calls with a window of that many tokens.
    pub fn limits(&self, window: u64) -> Limits {
        let trigger = match &self.trigger.when {
            When::Share(share) => share.of(window),
            When::Tokens(tokens) => *tokens,
            When::Messages(_) | When::Turns(_) | When::Overflow => window,
        };
        let target = match &self.target {
            Target::Trigger => trigger,
            // Below a trigger in tokens, whatever the window.
            Target::Share(share) => share.of(window).min(trigger),
        };
        Limits { window, trigger, target }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}/{}", self.policy, self.trigger, self.target, self.window, self.mode)
    }
}

impl FromStr for Cell {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Cell, SpecError> {
        // From the right: a policy may hold slashes of its own.
        let mut parts = text.rsplitn(5, '/');
        let mut part = || parts.next().ok_or_else(|| SpecError::Cell { text: text.to_owned() });
        let (mode, window, target, trigger, policy) = (part()?, part()?, part()?, part()?, part()?);
        Cell::new(policy.parse()?, trigger.parse()?, target.parse()?, window.parse()?, mode.parse()?)
    }
}

/// The settings of a sweep: every combination of them is a cell.
#[derive(Clone, Debug)]
pub struct Grid {
    pub windows: Vec<Window>,
    pub triggers: Vec<Trigger>,
    pub targets: Vec<Target>,
    pub policies: Vec<PolicySpec>,
    pub modes: Vec<Mode>,
}

impl Grid {
    /// Its cells, windows outermost and modes innermost, each once.
    pub fn cells(&self) -> Result<Vec<Cell>, SpecError> {
        let mut seen = HashSet::new();
        let mut cells = self.combinations()?;
        cells.retain(|cell| seen.insert(cell.to_string()));
        Ok(cells)
    }

    fn combinations(&self) -> Result<Vec<Cell>, SpecError> {
        let mut cells = Vec::new();
        for window in &self.windows {
            for trigger in &self.triggers {
                for target in &self.targets {
                    for policy in &self.policies {
                        for mode in &self.modes {
                            let (policy, trigger, target) = (policy.clone(), trigger.clone(), target.clone());
                            cells.push(Cell::new(policy, trigger, target, *window, *mode)?);
                        }
                    }
                }
            }
        }
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn refused(cell: &str, message: &str) {
        assert_eq!(cell.parse::<Cell>().unwrap_err().to_string(), message);
    }

    #[test]
    fn wrong_cells_say_what_is_wrong() {
        refused(
            "none/0%/trigger/1000/sticky",
            "trigger `0%` is out of range; it must be above 0 % and at most 100 % of the window",
        );
        refused(
            "none/130%/trigger/1000/sticky",
            "trigger `130%` is out of range; it must be above 0 % and at most 100 % of the window",
        );
        refused(
            "none/70%/90%/1000/sticky",
            "target 90% lies above trigger 70%; a compaction cuts down to at most its trigger",
        );
        refused(
            "none/70%/trigger/huge/sticky",
            "unknown window `huge`; write tokens like `200000`, `200k` or `1M`, or `model` for that of each model",
        );
        refused("none/-7/trigger/1000/sticky", "`-7` is no share of the window; write it like `70%` or `0.7`");
        refused("none/7%", "`none/7%` is no cell; write it like `drop-oldest-round/0.9/trigger/200000/sticky`");
    }

    #[test]
    fn windows_take_units() {
        assert_eq!("200k".parse(), Ok(Window::Tokens(200_000)));
        assert_eq!("1M".parse(), Ok(Window::Tokens(1_000_000)));
        assert!("0".parse::<Window>().is_err());
        assert!("é".parse::<Window>().is_err());
    }

    proptest! {
        #[test]
        fn a_cell_prints_as_it_parses(
            trigger in 1u64..=1_000_000_000,
            target in proptest::option::of(1u64..=1_000_000_000),
            window in 1u64..10_000_000,
            keep in 1u32..9,
            sticky: bool,
        ) {
            let share = Share::billionths;
            let target = target.map_or(Target::Trigger, |target| Target::Share(share(target.min(trigger))));
            let policy = format!("drop-oldest-exchange:keep={keep}").parse().unwrap();
            let mode = if sticky { Mode::Sticky } else { Mode::Stateless };
            let cell = Cell::new(policy, share(trigger).into(), target, Window::Tokens(window), mode).unwrap();
            prop_assert_eq!(cell.to_string().parse::<Cell>().unwrap(), cell);
        }

        #[test]
        fn any_text_is_a_share_or_an_error(text in ".{0,12}") {
            let _ = text.parse::<Share>();
            let _ = text.parse::<Window>();
        }
    }
}
