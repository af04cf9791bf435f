//! How far the ratios of sums would move with other sessions: their bootstrap, session by session.

use std::borrow::Cow;

use crate::replay::Outcome;
use crate::stats::{Interval, Sums, Weights, ratio_interval};

/// A figure that is a sum over sessions divided by another.
pub struct Ratio {
    /// The metric whose interval it gives.
    pub metric: &'static str,
    numerator: Sum,
    denominator: Sum,
}

/// What is summed: one part, or one part less another.
enum Sum {
    /// All calls: the same in every cell, and so summed once.
    Calls,
    Of(Part),
    Less(Part, Part),
}

/// What a session contributes to a sum.
#[derive(Clone, Copy)]
enum Part {
    Compactions,
    BadCuts,
    Calls400,
    TargetMissed,
    OverWindow,
    FreedReached,
    DeficitReached,
}

const PARTS: usize = 7;

impl Part {
    const ALL: [Part; PARTS] = [
        Part::Compactions,
        Part::BadCuts,
        Part::Calls400,
        Part::TargetMissed,
        Part::OverWindow,
        Part::FreedReached,
        Part::DeficitReached,
    ];

    fn of(self, outcome: &Outcome) -> u64 {
        match self {
            Part::Compactions => outcome.compactions,
            Part::BadCuts => outcome.bad_cuts,
            Part::Calls400 => outcome.calls_400,
            Part::TargetMissed => outcome.target_missed,
            Part::OverWindow => outcome.over_window,
            Part::FreedReached => outcome.freed_reached,
            Part::DeficitReached => outcome.deficit_reached,
        }
    }
}

/// Every figure of that kind with an interval.
pub const RATIOS: [Ratio; 6] = [
    Ratio { metric: "rate_400_calls", numerator: Sum::Of(Part::Calls400), denominator: Sum::Calls },
    Ratio { metric: "rate_over_window", numerator: Sum::Of(Part::OverWindow), denominator: Sum::Calls },
    Ratio { metric: "bad_cut_share", numerator: Sum::Of(Part::BadCuts), denominator: Sum::Of(Part::Compactions) },
    Ratio {
        metric: "target_missed_share",
        numerator: Sum::Of(Part::TargetMissed),
        denominator: Sum::Of(Part::Compactions),
    },
    Ratio {
        metric: "overshoot_ratio",
        numerator: Sum::Of(Part::FreedReached),
        denominator: Sum::Of(Part::DeficitReached),
    },
    Ratio {
        metric: "excess_per_cut",
        numerator: Sum::Less(Part::FreedReached, Part::DeficitReached),
        denominator: Sum::Less(Part::Compactions, Part::TargetMissed),
    },
];

/// The intervals of [`RATIOS`], in their order.
pub type Intervals = [Option<Interval>; RATIOS.len()];

/// The sums of one cell in every replicate, all but the calls.
#[derive(Clone, Debug, Default)]
pub struct Resample {
    sums: [Sums; PARTS],
}

impl Resample {
    /// Adds the outcome of one session.
    pub fn add(&mut self, weights: &Weights, outcome: &Outcome) {
        for part in Part::ALL {
            self.sums[part as usize].add(weights, part.of(outcome));
        }
    }

    /// Adds all that another one counted.
    pub fn merge(&mut self, other: &Resample) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sums, more)| sums.merge(more));
    }

    /// The intervals that the replicates give; `calls` are the calls of all sessions.
    pub fn intervals(&self, calls: &Sums) -> Intervals {
        let sum = |sum: &Sum| self.sum(sum, calls);
        RATIOS.map(|ratio| ratio_interval(&sum(&ratio.numerator), &sum(&ratio.denominator)))
    }

    fn sum<'s>(&'s self, sum: &Sum, calls: &'s Sums) -> Cow<'s, Sums> {
        let sums = |part: &Part| &self.sums[*part as usize];
        match sum {
            Sum::Calls => Cow::Borrowed(calls),
            Sum::Of(part) => Cow::Borrowed(sums(part)),
            Sum::Less(part, less) => Cow::Owned(sums(part).less(sums(less))),
        }
    }
}
