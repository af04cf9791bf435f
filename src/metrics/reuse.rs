//! How much of what is sent a prompt cache could serve.

use super::{Estimate, Metric, Unit};

/// The share of sent tokens that repeat the beginning of the prompt before.
pub const PREFIX_SHARE: Metric = Metric {
    id: "prefix_share",
    title: "prefix reuse",
    about: "share of sent tokens that repeat the beginning of the prompt before: the most that a prompt cache can serve",
    unit: Unit::Share,
    estimate: |tally| Estimate::quotient(tally.prefix_tokens, tally.tokens_after, tally.calls),
};
