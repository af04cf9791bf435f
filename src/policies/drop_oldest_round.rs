//! Drops the oldest rounds: a message, or an assistant message with all results of its calls. No reference breaks, and
//! less is lost than by exchange.

use crate::transcript::Unit;

use super::front::{FrontCut, KEEP};
use super::{Args, Claims, Policy};

pub const POLICY: Policy = Policy {
    about: "drops the oldest round (a message, or a call with its results), until the target is met or `keep` rounds are \
            left",
    params: &[KEEP],
    claims: Claims { pair_safe: true, ..Claims::NONE },
    front: Some(front),
    ..Policy::new("drop-oldest-round", |args| Ok(Box::new(front(args))))
};

fn front(args: &Args) -> FrontCut {
    FrontCut { unit: Unit::Round, keep: args.number("keep") }
}
