//! How many sessions and calls a provider would refuse.

use super::{Estimate, Metric, Unit, ratio};

/// The share of sessions that a policy breaks.
pub const RATE_400: Metric = Metric {
    id: "rate_400",
    title: "sessions with a 400",
    about: "share of sessions with at least one call that a structural rule refuses although its uncompacted request is \
            taken; Wilson 95 %, Clopper-Pearson where none or all are hit",
    unit: Unit::Share,
    estimate: |tally| Estimate::rate(tally.sessions_400, tally.sessions),
};

/// The same rate told as one session in so many.
pub const ONE_IN: Metric = Metric {
    id: "one_in",
    title: "1 in N sessions",
    about: "one session in so many has a would-be structural 400; both ends of the rate's interval inverted, an open \
            end where the rate may be 0",
    unit: Unit::OneIn,
    estimate: |tally| Estimate::rate(tally.sessions_400, tally.sessions).one_in(),
};

/// The share of calls that would be refused.
pub const RATE_400_CALLS: Metric = Metric {
    id: "rate_400_calls",
    title: "calls with a 400",
    about: "share of calls that a structural rule refuses although their uncompacted request is taken; session-cluster \
            bootstrap",
    unit: Unit::Share,
    estimate: |tally| ratio(tally, "rate_400_calls", tally.calls_400, tally.calls, tally.calls),
};

/// The back-of-envelope figure beside the replayed one.
pub const PRODUCT_RULE: Metric = Metric {
    id: "product_rule_one_in",
    title: "1 in N by the product rule",
    about: "one session in so many by P(session compacts) x P(cut is bad); counts one cut a session, and so understates",
    unit: Unit::OneIn,
    estimate: |tally| Estimate {
        value: crate::stats::ratio(tally.sessions_compacted, tally.sessions)
            .zip(crate::stats::ratio(tally.bad_cuts, tally.compactions))
            .and_then(|(compacts, bad)| crate::stats::one_in(compacts * bad)),
        n: tally.sessions,
        ..Estimate::default()
    },
};

/// The share of calls that do not fit the window whatever the policy did.
pub const RATE_OVER_WINDOW: Metric = Metric {
    id: "rate_over_window",
    title: "calls over the window",
    about: "share of calls whose prompt and output reserve exceed the window after whatever the policy did; session-cluster \
            bootstrap",
    unit: Unit::Share,
    estimate: |tally| ratio(tally, "rate_over_window", tally.over_window, tally.calls, tally.calls),
};
