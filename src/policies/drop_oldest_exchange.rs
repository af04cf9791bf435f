//! Drops the oldest exchanges: a user message with everything up to the next one. No reference breaks, but a whole
//! exchange goes even for a small deficit, and the last one never does.

use crate::transcript::Unit;

use super::front::{FrontCut, KEEP};
use super::{Args, Claims, Policy};

pub const POLICY: Policy = Policy {
    about: "drops the oldest exchange (a user message and all that follows it), until the target is met or `keep` \
            exchanges are left",
    params: &[KEEP],
    claims: Claims { pair_safe: true, ..Claims::NONE },
    front: Some(front),
    ..Policy::new("drop-oldest-exchange", |args| Ok(Box::new(front(args))))
};

fn front(args: &Args) -> FrontCut {
    FrontCut { unit: Unit::Exchange, keep: args.number("keep") }
}
