//! Drops the oldest exchanges: a user message with everything up to the next one. No reference breaks, but a whole
//! exchange goes even for a small deficit, and the last one never does.

use crate::transcript::Unit;

use super::{DropOldest, FrontCut, KEEP, Policy};

pub const POLICY: Policy = Policy {
    id: "drop-oldest-exchange",
    about: "drops the oldest exchange (a user message and all that follows it), until the target is met or `keep` exchanges are left",
    params: &[KEEP],
    build: |args| Box::new(DropOldest(FrontCut { unit: Unit::Exchange, keep: args.get("keep") })),
};
