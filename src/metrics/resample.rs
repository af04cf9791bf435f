//! How far the ratios of sums would move with other sessions: their bootstrap, from sums by bucket.

use crate::outcome::Outcome;
use crate::stats::{Buckets, Interval};

/// What a session contributes to the sums.
type Parts = [u64; PARTS];
const PARTS: usize = 8;

const CALLS: usize = 0;
const COMPACTIONS: usize = 1;
const BAD_CUTS: usize = 2;
const CALLS_400: usize = 3;
const TARGET_MISSED: usize = 4;
const OVER_WINDOW: usize = 5;
const FREED_REACHED: usize = 6;
const DEFICIT_REACHED: usize = 7;

fn parts(outcome: &Outcome) -> Parts {
    [
        outcome.calls,
        outcome.compactions,
        outcome.bad_cuts,
        outcome.calls_400,
        outcome.target_missed,
        outcome.over_window,
        outcome.freed_reached,
        outcome.deficit_reached,
    ]
}

/// A figure that is a sum over sessions divided by another.
struct Ratio {
    /// The metric whose interval it gives.
    metric: &'static str,
    numerator: fn(&Parts) -> u64,
    denominator: fn(&Parts) -> u64,
}

/// Every figure of that kind with an interval.
const RATIOS: &[Ratio] = &[
    Ratio { metric: "rate_400_calls", numerator: |sums| sums[CALLS_400], denominator: |sums| sums[CALLS] },
    Ratio { metric: "rate_over_window", numerator: |sums| sums[OVER_WINDOW], denominator: |sums| sums[CALLS] },
    Ratio { metric: "bad_cut_share", numerator: |sums| sums[BAD_CUTS], denominator: |sums| sums[COMPACTIONS] },
    Ratio {
        metric: "target_missed_share",
        numerator: |sums| sums[TARGET_MISSED],
        denominator: |sums| sums[COMPACTIONS],
    },
    Ratio {
        metric: "overshoot_ratio",
        numerator: |sums| sums[FREED_REACHED],
        denominator: |sums| sums[DEFICIT_REACHED],
    },
    Ratio {
        metric: "excess_per_cut",
        numerator: |sums| sums[FREED_REACHED] - sums[DEFICIT_REACHED],
        denominator: |sums| sums[COMPACTIONS] - sums[TARGET_MISSED],
    },
];

/// The sums of one cell by bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resample(Buckets<PARTS>);

impl Resample {
    /// Adds the outcome of one session of a bucket.
    pub fn add(&mut self, bucket: usize, outcome: &Outcome) {
        self.0.add(bucket, parts(outcome));
    }

    /// Adds all that another one counted.
    pub fn merge(&mut self, other: &Resample) {
        self.0.merge(&other.0);
    }

    /// The intervals by the ids of their metrics.
    pub fn intervals(&self) -> Vec<(&'static str, Interval)> {
        let interval = |ratio: &Ratio| Some((ratio.metric, self.0.ratio_interval(ratio.numerator, ratio.denominator)?));
        RATIOS.iter().filter_map(interval).collect()
    }
}
