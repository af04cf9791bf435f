//! Never compacts: what a harness sends that keeps everything. Its refusals are the context window's.

use crate::transcript::{Prompt, Unit};

use super::{Evict, Eviction, FrontCut, Policy};

pub const POLICY: Policy = Policy {
    id: "none",
    about: "never compacts: every call carries its whole history",
    params: &[],
    build: |_| Box::new(None),
};

struct None;

impl Evict for None {
    fn evict(&self, _: &Prompt, _: u64) -> Eviction {
        Eviction::default()
    }

    /// A cut that keeps everything.
    fn front(&self) -> Option<FrontCut> {
        Some(FrontCut { unit: Unit::Message, keep: u32::MAX })
    }

    fn compacts(&self) -> bool {
        false
    }
}
