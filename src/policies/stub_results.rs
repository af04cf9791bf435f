//! Replaces the oldest tool results by stubs and keeps everything else: observation masking. No reference breaks, and
//! where results are small little is won.

use crate::model::Tokens;
use crate::view::{Budget, Plan, PlanFault, Replacement, View};

use super::{Claims, Compactor, Kind, Param, Policy};

pub const POLICY: Policy = Policy {
    about: "replaces the oldest tool results by stubs of `stub` tokens, until the target is met or the newest `keep` \
            messages with results are left",
    params: &[
        Param {
            name: "keep",
            about: "messages with results that always stay, counted from the newest",
            kind: Kind::Number { default: 3, least: 0, most: u32::MAX },
        },
        Param {
            name: "stub",
            about: "tokens of a message whose results are stubs",
            kind: Kind::Number { default: 12, least: 1, most: u32::MAX },
        },
    ],
    claims: Claims { pair_safe: true, ..Claims::NONE },
    ..Policy::new("stub-results", |args| {
        Ok(Box::new(StubResults { keep: args.number("keep") as usize, stub: args.number("stub") }))
    })
};

struct StubResults {
    keep: usize,
    stub: Tokens,
}

impl Compactor for StubResults {
    fn plan(&mut self, view: &View, budget: &Budget) -> Result<Plan, PlanFault> {
        let with_results: Vec<usize> = (0..view.len()).filter(|position| view.entry(*position).has_results).collect();
        let may_go = with_results.len().saturating_sub(self.keep);
        let (mut plan, mut freed) = (Plan::default(), 0);
        for position in &with_results[..may_go] {
            if freed >= budget.deficit() {
                break;
            }
            let tokens = view.entry(*position).tokens;
            if tokens > self.stub {
                freed += u64::from(tokens - self.stub);
                plan.shorten.push((*position as u32, Replacement { tokens: self.stub, text: None }));
            }
        }
        Ok(plan)
    }
}
