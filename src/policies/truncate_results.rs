//! Caps every tool result where it enters the prompt, then drops by exchange: the usual guard against one huge result.
//!
//! The cap is no compaction: it changes what is sent from the first capped result on, whatever the size of the prompt.

use crate::model::Tokens;
use crate::transcript::{Prompt, Unit};

use super::{Evict, Eviction, FrontCut, KEEP, Param, Policy};

pub const POLICY: Policy = Policy {
    id: "truncate-results",
    about: "caps a tool result at `cap` tokens where it enters, then drops the oldest exchanges until the target is met \
            or `keep` are left",
    params: &[Param { name: "cap", about: "most tokens of one tool result", default: 4_000, least: 1 }, KEEP],
    build: |args| {
        let front = FrontCut { unit: Unit::Exchange, keep: args.get("keep") };
        Box::new(TruncateResults { front, cap: args.get("cap") })
    },
};

struct TruncateResults {
    front: FrontCut,
    cap: Tokens,
}

impl Evict for TruncateResults {
    fn evict(&self, prompt: &Prompt, deficit: u64) -> Eviction {
        self.front.evict(prompt, deficit)
    }

    fn front(&self) -> Option<FrontCut> {
        Some(self.front)
    }

    fn result_cap(&self) -> Option<Tokens> {
        Some(self.cap)
    }
}
