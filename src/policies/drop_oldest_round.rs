//! Drops the oldest rounds: a message, or an assistant message with all results of its calls. No reference breaks, and
//! less is lost than by exchange.

use crate::transcript::Unit;

use super::{DropOldest, FrontCut, KEEP, Policy};

pub const POLICY: Policy = Policy {
    id: "drop-oldest-round",
    about: "drops the oldest round (a message, or a call with its results), until the target is met or `keep` rounds are left",
    params: &[KEEP],
    build: |args| Box::new(DropOldest(FrontCut { unit: Unit::Round, keep: args.get("keep") })),
};
