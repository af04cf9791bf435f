//! Compaction policies: one file a policy, each a constant in [`POLICIES`].
//!
//! A policy declares facts and claims, and starts a [`Compactor`] for each session it is played on, which may keep a state
//! of its own. A compactor sees a [`View`] of the past and a [`Budget`] and returns a [`Plan`]; only the replay acts. It
//! never asks a rule whether its plan is legal.

mod drop_oldest_exchange;
mod drop_oldest_message;
mod drop_oldest_round;
mod front;
mod keep_ends;
mod none;
mod params;
mod spec;
mod stub_results;
mod summarise_middle;
mod truncate_results;

use crate::model::Tokens;
use crate::view::{Budget, Plan, PlanFault, View};

pub use front::FrontCut;
pub use params::{Args, Kind, Param};
pub use spec::{PolicySpec, PolicySpecError};

/// Every policy, in the order in which help and pages list them.
pub const POLICIES: &[Policy] = &[
    none::POLICY,
    drop_oldest_message::POLICY,
    drop_oldest_round::POLICY,
    drop_oldest_exchange::POLICY,
    truncate_results::POLICY,
    stub_results::POLICY,
    keep_ends::POLICY,
    summarise_middle::POLICY,
];

/// A way to make a prompt smaller.
#[derive(Debug)]
pub struct Policy {
    /// Its stable name on the command line, in URLs and in the database.
    pub id: &'static str,
    /// One sentence: what it removes, in which order, until when.
    pub about: &'static str,
    pub params: &'static [Param],
    pub claims: Claims,
    /// How it cuts, if all it ever does is to remove the oldest units: such a policy is replayed from prefix sums.
    pub front: Option<fn(&Args) -> FrontCut>,
    /// The most tokens of a tool result that enter the prompt.
    pub result_cap: Option<fn(&Args) -> Tokens>,
    /// Its compactor for one session; the error says what is wrong with a parameter.
    pub start: fn(&Args) -> Result<Box<dyn Compactor>, String>,
}

impl Policy {
    /// A policy without parameters and claims.
    pub const fn new(id: &'static str, start: fn(&Args) -> Result<Box<dyn Compactor>, String>) -> Policy {
        Policy { id, about: "", params: &[], claims: Claims::NONE, front: None, result_cap: None, start }
    }
}

/// What a policy claims of itself; tests hold it to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// It never parts a call from its result in a prompt whose calls and results are paired.
    pub pair_safe: bool,
    /// It looks at texts: a log that keeps none cannot be replayed under it.
    pub needs_text: bool,
    /// It is never asked.
    pub never_compacts: bool,
    /// When it may be asked.
    pub asked: Asked,
}

impl Claims {
    /// Nothing is claimed.
    pub const NONE: Claims =
        Claims { pair_safe: false, needs_text: false, never_compacts: false, asked: Asked::AtEveryCall };
}

/// When a policy may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    AtEveryCall,
    /// Only where a user begins a turn.
    AtTurns,
}

/// A policy at work on one session.
pub trait Compactor: Send {
    /// What should change so that the prompt comes down to its target, or as near as the policy allows.
    fn plan(&mut self, view: &View, budget: &Budget) -> Result<Plan, PlanFault>;
}
