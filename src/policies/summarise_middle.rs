//! Replaces the middle by a summary: the beginning stays, the end stays, and a message of the user stands for the rest.
//!
//! No model runs in a replay: the summary has the size that is named.

use crate::transcript::Speaker;
use crate::view::Insertion;

use super::keep_ends::{HEAD, Middle, TAIL};
use super::{Claims, Kind, Param, Policy};

pub const POLICY: Policy = Policy {
    about: "keeps the first `head` rounds and replaces the rounds behind them, oldest first, by one user message of \
            `summary` tokens, until the target is met or `tail` rounds are left at the end",
    params: &[
        HEAD,
        TAIL,
        Param {
            name: "summary",
            about: "tokens of the summary",
            kind: Kind::Number { default: 500, least: 1, most: u32::MAX },
        },
    ],
    claims: Claims { pair_safe: true, ..Claims::NONE },
    ..Policy::new("summarise-middle", |args| {
        let tokens = args.number("summary");
        let summary = Insertion { speaker: Speaker::User, tokens, kind: "summary", text: None };
        Ok(Box::new(Middle::of(args, Some(summary))))
    })
};
