//! Drops the oldest messages one at a time, whatever they refer to: the plain trimmer. A cut between a call and its
//! result leaves an orphan.

use crate::transcript::Unit;

use super::front::{FrontCut, KEEP};
use super::{Args, Policy};

pub const POLICY: Policy = Policy {
    about: "drops the oldest unpinned message, one at a time, until the target is met or `keep` messages are left",
    params: &[KEEP],
    front: Some(front),
    ..Policy::new("drop-oldest-message", |args| Ok(Box::new(front(args))))
};

fn front(args: &Args) -> FrontCut {
    FrontCut { unit: Unit::Message, keep: args.number("keep") }
}
