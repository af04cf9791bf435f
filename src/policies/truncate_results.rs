//! Caps every tool result where it enters the prompt, then drops by exchange: the usual guard against one huge result.
//!
//! The cap is no compaction: it changes what is sent from the first capped result on, whatever the size of the prompt.

use crate::transcript::Unit;

use super::front::{FrontCut, KEEP};
use super::{Args, Claims, Kind, Param, Policy};

pub const POLICY: Policy = Policy {
    about: "caps a tool result at `cap` tokens where it enters, then drops the oldest exchanges until the target is met \
            or `keep` are left",
    params: &[
        Param {
            name: "cap",
            about: "most tokens of one tool result",
            kind: Kind::Number { default: 4_000, least: 1, most: u32::MAX },
        },
        KEEP,
    ],
    claims: Claims { pair_safe: true, ..Claims::NONE },
    front: Some(front),
    result_cap: Some(|args| args.number("cap")),
    ..Policy::new("truncate-results", |args| Ok(Box::new(front(args))))
};

fn front(args: &Args) -> FrontCut {
    FrontCut { unit: Unit::Exchange, keep: args.number("keep") }
}
