//! The policies that are nothing but a cut at the front: the oldest units go.

use crate::transcript::Unit;
use crate::view::{Budget, Plan, PlanFault, View};

use super::{Compactor, Kind, Param};

/// A cut at the front: the oldest unpinned units go, one at a time, until the target is met or `keep` units are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrontCut {
    pub unit: Unit,
    pub keep: u32,
}

impl Compactor for FrontCut {
    fn plan(&mut self, view: &View, budget: &Budget) -> Result<Plan, PlanFault> {
        let units = view.units(self.unit);
        let removable = units.len().saturating_sub(self.keep as usize);
        let (deficit, mut freed) = (budget.deficit(), 0);
        let mut gone = Vec::new();
        for unit in &units[..removable] {
            if freed >= deficit {
                break;
            }
            freed += unit.iter().map(|position| u64::from(view.entry(*position as usize).tokens)).sum::<u64>();
            gone.extend_from_slice(unit);
        }
        Ok(Plan::dropping(gone))
    }
}

/// How many units always stay.
pub(super) const KEEP: Param = Param {
    name: "keep",
    about: "units that always stay, counted from the newest",
    kind: Kind::Number { default: 1, least: 1, most: u32::MAX },
};
