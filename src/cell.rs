//! A cell: one setting `policy/trigger/target/window/mode` under which sessions are replayed, and grids of them.
//!
//! A cell prints as one string, `drop-oldest-exchange:keep=2/0.9/0.5/200000/sticky`, which is its key in Postgres, its
//! URL and its name in snapshots; parsing it gives the cell back. Shares are exact decimals, never floats.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::policies::{PolicySpec, PolicySpecError};

/// Why a text names no cell.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SpecError {
    #[error("`{text}` is no share of the window; write it like `70%` or `0.7`")]
    Share { text: String },
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

/// A share of the window: an exact decimal that remembers how it was typed.
#[derive(Clone, Debug)]
pub struct Share {
    /// The share times [`Share::SCALE`].
    scaled: u64,
    text: String,
}

impl Share {
    const SCALE: u64 = 1_000_000_000;

    /// `floor(share * window)`: a size lies above the share exactly if it is greater than this.
    pub fn of(&self, window: u64) -> u64 {
        let floor = u128::from(self.scaled) * u128::from(window) / u128::from(Share::SCALE);
        u64::try_from(floor).expect("a share of at most 1 of a u64")
    }

    /// The share as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn in_range(&self) -> bool {
        (1..=Share::SCALE).contains(&self.scaled)
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        self.scaled == other.scaled
    }
}

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Share) -> Option<std::cmp::Ordering> {
        Some(self.scaled.cmp(&other.scaled))
    }
}

/// The shortest decimal: `0.7`, `1`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.scaled / Share::SCALE, self.scaled % Share::SCALE);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{rest:09}").trim_end_matches('0'))
    }
}

impl FromStr for Share {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Share, SpecError> {
        let refuse = || SpecError::Share { text: text.to_owned() };
        let (number, digits) = match text.strip_suffix('%') {
            Some(percent) => (percent.trim_end(), 7),
            None => (text, 9),
        };
        let scaled = decimal(number, digits).ok_or_else(refuse)?;
        Ok(Share { scaled, text: text.to_owned() })
    }
}

/// A decimal number times ten to the power of `digits`; `None` if it is none, or has more decimals than that.
fn decimal(text: &str, digits: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) || fraction.len() > digits {
        return None;
    }
    format!("{whole}{fraction:0<digits$}").parse().ok()
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
        let (number, unit) = match text.as_bytes().last() {
            Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
            Some(b'M') => (&text[..text.len() - 1], 1_000_000),
            _ => (text, 1),
        };
        let tokens =
            number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).filter(|tokens| *tokens > 0);
        tokens.map(Window::Tokens).ok_or_else(|| SpecError::Window { text: text.to_owned() })
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
    pub trigger: Share,
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
        trigger: Share,
        target: Target,
        window: Window,
        mode: Mode,
    ) -> Result<Cell, SpecError> {
        if !trigger.in_range() {
            return Err(SpecError::Trigger { text: trigger.text });
        }
        if let Target::Share(share) = &target {
            if !share.in_range() {
                return Err(SpecError::Target { text: share.text.clone() });
            }
            if *share > trigger {
                return Err(SpecError::TargetAboveTrigger { target: share.text.clone(), trigger: trigger.text });
            }
        }
        Ok(Cell { policy, trigger, target, window, mode })
    }

    /// The sizes at which it acts under a window of that many tokens.
    pub fn limits(&self, window: u64) -> Limits {
        let target = match &self.target {
            Target::Trigger => &self.trigger,
            Target::Share(share) => share,
        };
        Limits { window, trigger: self.trigger.of(window), target: target.of(window) }
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
        let parts: Vec<&str> = text.split('/').collect();
        let [policy, trigger, target, window, mode] = parts[..] else {
            return Err(SpecError::Cell { text: text.to_owned() });
        };
        Cell::new(policy.parse()?, trigger.parse()?, target.parse()?, window.parse()?, mode.parse()?)
    }
}

/// The settings of a sweep: every combination of them is a cell.
#[derive(Clone, Debug)]
pub struct Grid {
    pub windows: Vec<Window>,
    pub triggers: Vec<Share>,
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
    fn a_size_lies_above_a_share_by_exact_arithmetic() {
        // 0.7 * 10 is 7.000000000000001 in floating point.
        assert_eq!("70%".parse::<Share>().unwrap().of(10), 7);
        assert_eq!("0.29".parse::<Share>().unwrap().of(100), 29);
        assert_eq!("33.3333333%".parse::<Share>().unwrap().of(3), 0);
        assert_eq!("100%".parse::<Share>().unwrap().of(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_share_is_the_same_however_it_is_typed() {
        let (percent, decimal): (Share, Share) = ("70%".parse().unwrap(), "0.70".parse().unwrap());
        assert_eq!(percent, decimal);
        assert_eq!(percent.to_string(), "0.7");
        assert_eq!(percent.text(), "70%");
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
            let share = |scaled| Share { scaled, text: String::new() };
            let target = target.map_or(Target::Trigger, |target| Target::Share(share(target.min(trigger))));
            let policy = format!("drop-oldest-exchange:keep={keep}").parse().unwrap();
            let mode = if sticky { Mode::Sticky } else { Mode::Stateless };
            let cell = Cell::new(policy, share(trigger), target, Window::Tokens(window), mode).unwrap();
            prop_assert_eq!(cell.to_string().parse::<Cell>().unwrap(), cell);
        }

        #[test]
        fn any_text_is_a_share_or_an_error(text in ".{0,12}") {
            let _ = text.parse::<Share>();
            let _ = text.parse::<Window>();
        }
    }
}
