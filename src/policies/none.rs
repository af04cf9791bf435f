//! Never compacts: what a harness sends that keeps everything. Its refusals are the context window's.

use crate::transcript::Prompt;

use super::{Evict, Eviction, Policy};

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

    fn compacts(&self) -> bool {
        false
    }
}
