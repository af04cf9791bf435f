//! The settings of a replay, as typed.

use std::str::FromStr;

use clap::Args;

use crate::cell::{Cell, Grid, Mode, SpecError, Target, Trigger, Window};
use crate::policies::{POLICIES, PolicySpec, PolicySpecError};
use crate::transcript::size::{COUNTERS, Counter};

/// The grid of a replay: every combination is a cell.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Grid (each takes a comma-separated list)")]
pub struct GridArgs {
    /// The model's window: tokens (200000, 200k, 1M), or `model` for that of each session's model, which is the default
    #[arg(long, value_delimiter = ',', env = "CUTPOINT_WINDOW")]
    window: Vec<Window>,
    /// Compact when the prompt exceeds this share of the window; or tokens:160k, messages:40, turns:12, overflow; with
    /// @turn behind it, at the beginning of turns only
    #[arg(long, value_delimiter = ',', default_value = "70%,90%", env = "CUTPOINT_TRIGGER")]
    trigger: Vec<Trigger>,
    /// Cut down to this share of the window, or to the trigger
    #[arg(long, value_delimiter = ',', default_value = "trigger", env = "CUTPOINT_TARGET")]
    target: Vec<Target>,
    /// Policies, with parameters as `name:param=value,param=value`
    #[arg(long, default_value = DEFAULT_POLICIES, long_help = policies_help(), env = "CUTPOINT_POLICY")]
    policy: Vec<Policies>,
    /// sticky: the compacted history grows; stateless: every call is cut afresh
    #[arg(long, value_delimiter = ',', default_value = "sticky", env = "CUTPOINT_MODE")]
    mode: Vec<Mode>,
    /// What counts tokens
    #[arg(long, default_value = COUNTERS[0].id, value_parser = counter_parser(), long_help = counters_help(), env = "CUTPOINT_COUNTER")]
    counter: String,
    /// Worker threads [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024), env = "CUTPOINT_THREADS")]
    threads: Option<u16>,
}

/// What is replayed where the user names nothing else: the plain trimmer against the two that break no reference.
const DEFAULT_POLICIES: &str = "drop-oldest-message,drop-oldest-round,drop-oldest-exchange";

impl GridArgs {
    /// The same grid, with this window where none is named.
    pub fn or_window(mut self, window: Window) -> GridArgs {
        if self.window.is_empty() {
            self.window.push(window);
        }
        self
    }

    /// The cells of the grid.
    pub fn cells(&self) -> Result<Vec<Cell>, SpecError> {
        let grid = Grid {
            windows: self.clone().or_window(Window::Model).window,
            triggers: self.trigger.clone(),
            targets: self.target.clone(),
            policies: self.policy.iter().flat_map(|list| list.0.clone()).collect(),
            modes: self.mode.clone(),
        };
        grid.cells()
    }

    /// Worker threads, 0 for as many as there are cores.
    pub fn threads(&self) -> usize {
        self.threads.map_or(0, usize::from)
    }

    /// The counter.
    pub fn counter(&self) -> &'static Counter {
        crate::transcript::size::counter(&self.counter).expect("the parser takes known counters only")
    }
}

/// Policies as typed, with commas between them and between their parameters.
#[derive(Clone, Debug)]
struct Policies(Vec<PolicySpec>);

impl FromStr for Policies {
    type Err = PolicySpecError;

    fn from_str(text: &str) -> Result<Policies, PolicySpecError> {
        PolicySpec::parse_list(text).map(Policies)
    }
}

fn counter_parser() -> clap::builder::PossibleValuesParser {
    COUNTERS.iter().map(|counter| counter.id).collect::<Vec<_>>().into()
}

fn counters_help() -> String {
    let lines = COUNTERS.iter().map(|counter| format!("{}: {}", counter.id, counter.about));
    format!("What counts tokens\n\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn policies_help() -> String {
    let mut help = "Policies, with parameters as `name:param=value,param=value`\n".to_owned();
    for policy in POLICIES {
        help.push_str(&format!("\n{}: {}", policy.id, policy.about));
        for param in policy.params {
            help.push_str(&format!("\n    {}={}: {}", param.name, param.kind.default(), param.about));
        }
    }
    help
}
