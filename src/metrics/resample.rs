//! How far the ratios of sums would move with other sessions: their bootstrap, session by session.

use crate::replay::Outcome;
use crate::stats::{Interval, Sums, Weights, ratio_interval};

/// A figure that is a sum over sessions divided by another.
pub struct Ratio {
    /// The metric whose interval it gives.
    pub metric: &'static str,
    numerator: Part,
    denominator: Part,
}

/// What a session contributes to a sum.
#[derive(Clone, Copy)]
enum Part {
    Calls,
    Compactions,
    BadCuts,
    Calls400,
    TargetMissed,
    OverWindow,
    FreedReached,
    DeficitReached,
    Excess,
    Reached,
}

const PARTS: usize = 10;

impl Part {
    const ALL: [Part; PARTS] = [
        Part::Calls,
        Part::Compactions,
        Part::BadCuts,
        Part::Calls400,
        Part::TargetMissed,
        Part::OverWindow,
        Part::FreedReached,
        Part::DeficitReached,
        Part::Excess,
        Part::Reached,
    ];

    fn of(self, outcome: &Outcome) -> u64 {
        match self {
            Part::Calls => outcome.calls,
            Part::Compactions => outcome.compactions,
            Part::BadCuts => outcome.bad_cuts,
            Part::Calls400 => outcome.calls_400,
            Part::TargetMissed => outcome.target_missed,
            Part::OverWindow => outcome.over_window,
            Part::FreedReached => outcome.freed_reached,
            Part::DeficitReached => outcome.deficit_reached,
            Part::Excess => outcome.freed_reached - outcome.deficit_reached,
            Part::Reached => outcome.compactions - outcome.target_missed,
        }
    }
}

/// Every figure of that kind with an interval.
pub const RATIOS: [Ratio; 6] = [
    Ratio { metric: "rate_400_calls", numerator: Part::Calls400, denominator: Part::Calls },
    Ratio { metric: "rate_over_window", numerator: Part::OverWindow, denominator: Part::Calls },
    Ratio { metric: "bad_cut_share", numerator: Part::BadCuts, denominator: Part::Compactions },
    Ratio { metric: "target_missed_share", numerator: Part::TargetMissed, denominator: Part::Compactions },
    Ratio { metric: "overshoot_ratio", numerator: Part::FreedReached, denominator: Part::DeficitReached },
    Ratio { metric: "excess_per_cut", numerator: Part::Excess, denominator: Part::Reached },
];

/// The intervals of [`RATIOS`], in their order.
pub type Intervals = [Option<Interval>; RATIOS.len()];

/// The sums of one cell in every replicate.
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

    /// The intervals that the replicates give.
    pub fn intervals(&self) -> Intervals {
        let sums = |part: Part| &self.sums[part as usize];
        RATIOS.map(|ratio| ratio_interval(sums(ratio.numerator), sums(ratio.denominator)))
    }
}
