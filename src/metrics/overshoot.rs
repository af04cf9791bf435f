//! How much more history goes than had to: over the compactions that reached their target.

use crate::outcome::Tally;

use super::{Estimate, Metric, Unit, ratio};

/// The headline: sums over sums.
pub const RATIO: Metric = Metric {
    id: "overshoot_ratio",
    title: "overshoot",
    about: "tokens freed / deficit, sums over sums, over the compactions that reached their target; session-cluster bootstrap",
    unit: Unit::Ratio,
    estimate: |tally| ratio(tally, "overshoot_ratio", tally.freed_reached, tally.deficit_reached, tally.reached()),
};

/// The middle one.
pub const MEDIAN: Metric = Metric {
    id: "overshoot_median",
    title: "overshoot, median",
    about: "median of freed / deficit over the compactions that reached their target, within 0.1 %",
    unit: Unit::Ratio,
    estimate: |tally| percentile(tally, 50),
};

/// The nine-tenths one.
pub const P90: Metric = Metric {
    id: "overshoot_p90",
    title: "overshoot, p90",
    about: "nine in ten compactions that reached their target freed at most this multiple of the deficit, within 0.1 %",
    unit: Unit::Ratio,
    estimate: |tally| percentile(tally, 90),
};

/// History thrown away for nothing, per compaction.
pub const EXCESS: Metric = Metric {
    id: "excess_per_cut",
    title: "tokens for nothing per cut",
    about: "tokens freed beyond the deficit, per compaction that reached its target; session-cluster bootstrap",
    unit: Unit::Tokens,
    estimate: |tally| {
        ratio(tally, "excess_per_cut", tally.freed_reached - tally.deficit_reached, tally.reached(), tally.reached())
    },
};

fn percentile(tally: &Tally, percent: u64) -> Estimate {
    Estimate { value: tally.overshoot.percentile(percent), n: tally.overshoot.n(), ..Estimate::default() }
}
