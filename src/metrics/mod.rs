//! Figures that are read off tallies, one file a group of them. Floating point begins at [`Metric::estimate`].

mod compactions;
mod overshoot;
mod refusals;
mod resample;
mod reuse;

use crate::outcome::Tally;
use crate::stats::{self, Interval};

pub use resample::Resample;

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

/// A ratio of sums over `n` cases, with the interval that the tally has for it.
fn ratio(tally: &Tally, metric: &str, numerator: u64, denominator: u64, n: u64) -> Estimate {
    Estimate::quotient(numerator, denominator, n).within(tally.interval(metric))
}

/// The metric of that name.
pub fn metric(id: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.id == id)
}
