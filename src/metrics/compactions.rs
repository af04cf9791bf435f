//! How often a policy compacts, and how often that goes wrong.

use super::{Estimate, Metric, Unit, ratio};

/// The share of sessions that compact.
pub const COMPACTING: Metric = Metric {
    id: "rate_compacted",
    title: "sessions that compact",
    about: "share of sessions with at least one compaction; Wilson 95 %, Clopper-Pearson where none or all are hit",
    unit: Unit::Share,
    estimate: |tally| Estimate::rate(tally.sessions_compacted, tally.sessions),
};

/// The share of compacting sessions that break.
pub const BREAKING: Metric = Metric {
    id: "rate_400_compacted",
    title: "compacting sessions with a 400",
    about: "share of the sessions that compact in which a call is refused for it; Wilson 95 %, Clopper-Pearson where none \
            or all are hit",
    unit: Unit::Share,
    estimate: |tally| Estimate::rate(tally.sessions_400, tally.sessions_compacted),
};

/// The share of compactions whose prompt is refused.
pub const BAD_CUT_SHARE: Metric = Metric {
    id: "bad_cut_share",
    title: "bad cuts",
    about: "share of compactions whose prompt is refused although the uncompacted one is taken; session-cluster bootstrap",
    unit: Unit::Share,
    estimate: |tally| ratio(tally, "bad_cut_share", tally.bad_cuts, tally.compactions, tally.compactions),
};

/// The share of compactions that could not reach their target.
pub const TARGET_MISSED_SHARE: Metric = Metric {
    id: "target_missed_share",
    title: "target missed",
    about: "share of compactions that could not bring the prompt down to the target; session-cluster bootstrap",
    unit: Unit::Share,
    estimate: |tally| ratio(tally, "target_missed_share", tally.target_missed, tally.compactions, tally.compactions),
};
