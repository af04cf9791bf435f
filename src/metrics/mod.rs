//! Tallies and estimates: what outcomes add up to, and one file a group of figures that are read off them.
//!
//! A tally is integers only and merges by addition, in any order. Floating point begins at [`Metric::estimate`].

mod compactions;
mod overshoot;
mod refusals;
mod resample;
mod reuse;

use crate::replay::{Cut, Outcome, Witness};
use crate::stats::{self, Interval, Sketch};

pub use resample::{Intervals, RATIOS, Resample};

/// Every metric, in the order in which tables and pages list them.
pub const METRICS: &[Metric] = &[
    refusals::RATE_400,
    refusals::ONE_IN,
    refusals::RATE_400_CALLS,
    refusals::PRODUCT_RULE,
    refusals::RATE_OVER_WINDOW,
    compactions::COMPACTING,
    compactions::BREAKING,
    compactions::BAD_CUT_SHARE,
    compactions::TARGET_MISSED_SHARE,
    overshoot::RATIO,
    overshoot::MEDIAN,
    overshoot::P90,
    overshoot::EXCESS,
    reuse::PREFIX_SHARE,
];

/// A figure that is read off a tally.
pub struct Metric {
    /// Its stable name in JSON, CSV and URLs.
    pub id: &'static str,
    /// A short heading.
    pub title: &'static str,
    /// One sentence that defines it.
    pub about: &'static str,
    pub unit: Unit,
    pub estimate: fn(&Tally) -> Estimate,
}

/// In what a figure is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share between 0 and 1.
    Share,
    /// One in so many.
    OneIn,
    /// A quotient.
    Ratio,
    Tokens,
}

/// A figure with its 95 % interval and what it rests on; an unknown is `None`, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Estimate {
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The number of cases behind it.
    pub n: u64,
}

impl Estimate {
    /// A rate of `hits` in `n` with its interval.
    pub fn rate(hits: u64, n: u64) -> Estimate {
        Estimate::quotient(hits, n, n).within(stats::rate_interval(hits, n))
    }

    /// A quotient of sums over `n` cases, without an interval.
    fn quotient(numerator: u64, denominator: u64, n: u64) -> Estimate {
        Estimate { value: stats::ratio(numerator, denominator), n, ..Estimate::default() }
    }

    /// The estimate with both ends of an interval, where there is one.
    fn within(self, interval: Option<Interval>) -> Estimate {
        Estimate { low: interval.map(|i| i.low), high: interval.map(|i| i.high), ..self }
    }

    /// "1 in N" of a rate: its value and both ends of its interval inverted.
    fn one_in(self) -> Estimate {
        let interval = self.low.zip(self.high).map(|(low, high)| stats::one_in_interval(Interval { low, high }));
        Estimate {
            value: self.value.and_then(stats::one_in),
            low: interval.and_then(|(low, _)| low),
            high: interval.and_then(|(_, high)| high),
            n: self.n,
        }
    }
}

/// What one cell did to many sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub sessions: u64,
    pub sessions_compacted: u64,
    pub sessions_400: u64,
    pub sessions_over_window: u64,
    pub sessions_exact: u64,
    pub calls: u64,
    pub compactions: u64,
    pub bad_cuts: u64,
    pub calls_400: u64,
    pub depends_calls: u64,
    pub baseline_invalid_calls: u64,
    pub target_missed: u64,
    pub over_window: u64,
    pub freed: u64,
    pub deficit: u64,
    pub freed_reached: u64,
    pub deficit_reached: u64,
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub prefix_tokens: u64,
    pub evicted_messages: u64,
    pub truncated_tokens: u64,
    /// `freed / deficit` of the cuts that reached their target.
    pub overshoot: Sketch,
    /// The intervals of the ratios of sums, once all sessions are in: see [`Resample`].
    pub intervals: Intervals,
}

/// The counters of a tally under their names, for whoever lists, stores or adds them up.
macro_rules! counters {
    ($($name:ident),* $(,)?) => {
        impl Tally {
            /// The names of the counters, in the order of [`Tally::counters`].
            pub const COUNTERS: &[&str] = &[$(stringify!($name)),*];

            /// The counters, all but the sketch.
            pub fn counters(&self) -> [u64; Tally::COUNTERS.len()] {
                [$(self.$name),*]
            }

            /// The tally with these counters and this sketch.
            pub fn from_counters(counters: [u64; Tally::COUNTERS.len()], overshoot: Sketch) -> Tally {
                let [$($name),*] = counters;
                Tally { $($name,)* overshoot, intervals: Intervals::default() }
            }

            /// Adds all that another tally counted; intervals do not add up and are gone.
            pub fn merge(&mut self, other: &Tally) {
                self.intervals = Intervals::default();
                $(self.$name += other.$name;)*
                self.overshoot.merge(&other.overshoot);
            }
        }
    };
}

counters!(
    sessions,
    calls,
    sessions_compacted,
    compactions,
    bad_cuts,
    sessions_400,
    calls_400,
    depends_calls,
    baseline_invalid_calls,
    target_missed,
    sessions_over_window,
    over_window,
    sessions_exact,
    freed,
    deficit,
    freed_reached,
    deficit_reached,
    tokens_before,
    tokens_after,
    prefix_tokens,
    evicted_messages,
    truncated_tokens,
);

impl Tally {
    /// Adds the outcome of one session; its cuts come through [`Witness::cut`].
    pub fn add(&mut self, outcome: &Outcome) {
        self.sessions += 1;
        self.sessions_compacted += u64::from(outcome.compactions > 0);
        self.sessions_400 += u64::from(outcome.calls_400 > 0);
        self.sessions_over_window += u64::from(outcome.over_window > 0);
        self.sessions_exact += u64::from(outcome.diverged_at.is_none());
        self.calls += outcome.calls;
        self.compactions += outcome.compactions;
        self.bad_cuts += outcome.bad_cuts;
        self.calls_400 += outcome.calls_400;
        self.depends_calls += outcome.depends_calls;
        self.baseline_invalid_calls += outcome.baseline_invalid_calls;
        self.target_missed += outcome.target_missed;
        self.over_window += outcome.over_window;
        self.freed += outcome.freed;
        self.deficit += outcome.deficit;
        self.freed_reached += outcome.freed_reached;
        self.deficit_reached += outcome.deficit_reached;
        self.tokens_before += outcome.tokens_before;
        self.tokens_after += outcome.tokens_after;
        self.prefix_tokens += outcome.prefix_tokens;
        self.evicted_messages += outcome.evicted_messages;
        self.truncated_tokens += outcome.truncated_tokens;
    }

    /// A ratio of sums that [`RATIOS`] knows by its metric, over `n` cases.
    fn ratio(&self, metric: &str, numerator: u64, denominator: u64, n: u64) -> Estimate {
        let known = RATIOS.iter().position(|ratio| ratio.metric == metric);
        Estimate::quotient(numerator, denominator, n).within(known.and_then(|at| self.intervals[at]))
    }

    /// The compactions that reached their target.
    pub fn reached(&self) -> u64 {
        self.compactions - self.target_missed
    }
}

impl Witness for Tally {
    fn cut(&mut self, cut: &Cut) {
        if cut.reached {
            self.overshoot.add_ratio(cut.freed, cut.deficit);
        }
    }
}

/// The metric of that name.
pub fn metric(id: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.id == id)
}
