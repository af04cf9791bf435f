//! Never compacts: what a harness sends that keeps everything. Its refusals are the context window's.

use crate::transcript::Unit;
use crate::view::{Budget, Plan, PlanFault, View};

use super::front::FrontCut;
use super::{Claims, Compactor, Policy};

pub const POLICY: Policy = Policy {
    about: "never compacts: every call carries its whole history",
    claims: Claims { pair_safe: true, never_compacts: true, ..Claims::NONE },
    // A cut that keeps everything.
    front: Some(|_| FrontCut { unit: Unit::Message, keep: u32::MAX }),
    ..Policy::new("none", |_| Ok(Box::new(None)))
};

struct None;

impl Compactor for None {
    fn plan(&mut self, _: &View, _: &Budget) -> Result<Plan, PlanFault> {
        Ok(Plan::default())
    }
}
