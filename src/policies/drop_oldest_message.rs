//! Drops the oldest messages one at a time, whatever they refer to: the plain trimmer. A cut between a call and its
//! result leaves an orphan.

use crate::transcript::Unit;

use super::{DropOldest, FrontCut, KEEP, Policy};

pub const POLICY: Policy = Policy {
    id: "drop-oldest-message",
    about: "drops the oldest unpinned message, one at a time, until the target is met or `keep` messages are left",
    params: &[KEEP],
    build: |args| Box::new(DropOldest(FrontCut { unit: Unit::Message, keep: args.get("keep") })),
};
