//! The settings of a replay, as typed.

use clap::Args;

use crate::cell::{Cell, Grid, Mode, Share, SpecError, Target, Window};
use crate::policies::{POLICIES, PolicySpec};
use crate::transcript::size::{COUNTERS, Counter};

/// The grid of a replay: every combination is a cell.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Grid (each takes a comma-separated list)")]
pub struct GridArgs {
    /// The model's window: tokens (200000, 200k, 1M), or `model` for that of each session's model, which is the default
    #[arg(long, value_delimiter = ',', env = "CUTPOINT_WINDOW")]
    window: Vec<Window>,
    /// Compact when the prompt exceeds this share of the window
    #[arg(long, value_delimiter = ',', default_value = "70%,90%", env = "CUTPOINT_TRIGGER")]
    trigger: Vec<Share>,
    /// Cut down to this share of the window, or to the trigger
    #[arg(long, value_delimiter = ',', default_value = "trigger", env = "CUTPOINT_TARGET")]
    target: Vec<Target>,
    /// Policies, with parameters as `name:param=value`
    #[arg(long, value_delimiter = ',', default_value = DEFAULT_POLICIES, long_help = policies_help(), env = "CUTPOINT_POLICY")]
    policy: Vec<PolicySpec>,
    /// sticky: the compacted history grows; stateless: every call is cut afresh
    #[arg(long, value_delimiter = ',', default_value = "sticky", env = "CUTPOINT_MODE")]
    mode: Vec<Mode>,
    /// What counts tokens
    #[arg(long, default_value = COUNTERS[0].id, value_parser = counter_parser(), long_help = counters_help(), env = "CUTPOINT_COUNTER")]
    counter: String,
    /// Worker threads [default: all cores]
    #[arg(long, default_value_t = 0, hide_default_value = true, env = "CUTPOINT_THREADS")]
    pub threads: usize,
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
            policies: self.policy.clone(),
            modes: self.mode.clone(),
        };
        grid.cells()
    }

    /// The counter.
    pub fn counter(&self) -> &'static Counter {
        crate::transcript::size::counter(&self.counter).expect("the parser takes known counters only")
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
    let mut help = "Policies, with parameters as `name:param=value`\n".to_owned();
    for policy in POLICIES {
        help.push_str(&format!("\n{}: {}", policy.id, policy.about));
        for param in policy.params {
            help.push_str(&format!("\n    {}={}: {}", param.name, param.default, param.about));
        }
    }
    help
}
