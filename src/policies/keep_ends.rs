//! Keeps the beginning and the end and drops what stands between: the task and the latest steps.

use crate::transcript::Unit;
use crate::view::{Budget, Insertion, Plan, PlanFault, View};

use super::{Args, Claims, Compactor, Kind, Param, Policy};

pub const POLICY: Policy = Policy {
    about: "keeps the first `head` rounds and drops the rounds behind them, oldest first, until the target is met or \
            `tail` rounds are left at the end",
    params: &[HEAD, TAIL],
    claims: Claims { pair_safe: true, ..Claims::NONE },
    ..Policy::new("keep-ends", |args| Ok(Box::new(Middle::of(args, None))))
};

pub(super) const HEAD: Param = Param {
    name: "head",
    about: "rounds that always stay, counted from the oldest",
    kind: Kind::Number { default: 1, least: 0, most: u32::MAX },
};

pub(super) const TAIL: Param = Param {
    name: "tail",
    about: "rounds that always stay, counted from the newest",
    kind: Kind::Number { default: 4, least: 1, most: u32::MAX },
};

/// What goes is the middle, and perhaps a message stands for it.
pub(super) struct Middle {
    head: usize,
    tail: usize,
    stands_for_it: Option<Insertion>,
}

impl Middle {
    /// The middle between `head` and `tail`.
    pub fn of(args: &Args, stands_for_it: Option<Insertion>) -> Middle {
        Middle { head: args.number("head") as usize, tail: args.number("tail") as usize, stands_for_it }
    }
}

impl Compactor for Middle {
    fn plan(&mut self, view: &View, budget: &Budget) -> Result<Plan, PlanFault> {
        let units = view.units(Unit::Round);
        let to = units.len().saturating_sub(self.tail);
        let middle = units.get(self.head..to).unwrap_or_default();
        let inserted = self.stands_for_it.as_ref().map_or(0, |message| u64::from(message.tokens));
        let (mut gone, mut freed) = (Vec::new(), 0);
        for unit in middle {
            if freed >= budget.deficit() + inserted {
                break;
            }
            freed += unit.iter().map(|position| u64::from(view.entry(*position as usize).tokens)).sum::<u64>();
            gone.extend_from_slice(unit);
        }
        let insert = gone.first().copied().zip(self.stands_for_it.clone());
        Ok(Plan { insert: insert.into_iter().collect(), ..Plan::dropping(gone) })
    }
}
