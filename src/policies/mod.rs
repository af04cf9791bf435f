//! Compaction policies: one file a policy, each a constant in [`POLICIES`].
//!
//! A policy sees a prompt and a deficit and returns what should go; only the replay loop acts. It sees the past only and
//! never asks a rule whether its cut is legal.

mod drop_oldest_exchange;
mod drop_oldest_message;
mod drop_oldest_round;
mod none;
mod truncate_results;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::model::Tokens;
use crate::transcript::{Prompt, Unit};

/// Every policy, in the order in which help and pages list them.
pub const POLICIES: &[Policy] = &[
    none::POLICY,
    drop_oldest_message::POLICY,
    drop_oldest_round::POLICY,
    drop_oldest_exchange::POLICY,
    truncate_results::POLICY,
];

/// A way to make a prompt smaller.
#[derive(Debug)]
pub struct Policy {
    /// Its stable name on the command line, in URLs and in the database.
    pub id: &'static str,
    /// One sentence: what it removes, in which order, until when.
    pub about: &'static str,
    pub params: &'static [Param],
    pub build: fn(&Args) -> Box<dyn Evict>,
}

/// A parameter of a policy: a whole number.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub about: &'static str,
    pub default: u32,
    pub least: u32,
}

/// What a policy does at a compaction.
pub trait Evict: Send + Sync {
    /// What should go so that the prompt shrinks by `deficit` tokens, or comes as near as the policy allows.
    fn evict(&self, prompt: &Prompt, deficit: u64) -> Eviction;

    /// How it cuts, if all it ever does is to remove the oldest units: such a policy is replayed from prefix sums.
    fn front(&self) -> Option<FrontCut> {
        None
    }

    /// The most tokens of a tool result that enter the prompt.
    fn result_cap(&self) -> Option<Tokens> {
        None
    }

    /// Whether it compacts at all; a policy that does not is never asked.
    fn compacts(&self) -> bool {
        true
    }
}

/// What should leave a prompt: positions in its list, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Eviction {
    pub positions: Vec<u32>,
}

/// A cut at the front: the oldest unpinned units go, one at a time, until the target is met or `keep` units are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrontCut {
    pub unit: Unit,
    pub keep: u32,
}

impl FrontCut {
    /// What this cut takes from a prompt.
    pub fn evict(&self, prompt: &Prompt, deficit: u64) -> Eviction {
        let unpinned: Vec<u32> =
            (0..prompt.len() as u32).filter(|position| !prompt.entry(*position as usize).message.pinned).collect();
        let units: Vec<&[u32]> = unpinned
            .chunk_by(|a, b| prompt.unit(*a as usize, self.unit) == prompt.unit(*b as usize, self.unit))
            .collect();
        let removable = units.len().saturating_sub(self.keep as usize);
        let mut eviction = Eviction::default();
        let mut freed = 0;
        for unit in &units[..removable] {
            if freed >= deficit {
                break;
            }
            freed +=
                unit.iter().map(|position| u64::from(prompt.entry(*position as usize).message.tokens)).sum::<u64>();
            eviction.positions.extend_from_slice(unit);
        }
        eviction
    }
}

/// The policies that are nothing but a cut at the front.
struct DropOldest(FrontCut);

impl Evict for DropOldest {
    fn evict(&self, prompt: &Prompt, deficit: u64) -> Eviction {
        self.0.evict(prompt, deficit)
    }

    fn front(&self) -> Option<FrontCut> {
        Some(self.0)
    }
}

/// How many units always stay.
const KEEP: Param =
    Param { name: "keep", about: "units that always stay, counted from the newest", default: 1, least: 1 };

/// The parameters of a policy with their values, in the order of [`Policy::params`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Args(Vec<(&'static str, u32)>);

impl Args {
    /// The value of a parameter that the policy declares.
    pub fn get(&self, name: &str) -> u32 {
        let found = self.0.iter().find(|(param, _)| *param == name);
        found.expect("a policy reads only parameters that it declares").1
    }
}

/// A policy with its parameters, as typed: `drop-oldest-exchange:keep=2`.
#[derive(Clone, Debug)]
pub struct PolicySpec {
    policy: &'static Policy,
    args: Args,
}

impl PolicySpec {
    /// The policy it names.
    pub fn policy(&self) -> &'static Policy {
        self.policy
    }

    /// The policy, ready to be asked.
    pub fn build(&self) -> Box<dyn Evict> {
        (self.policy.build)(&self.args)
    }
}

impl PartialEq for PolicySpec {
    fn eq(&self, other: &PolicySpec) -> bool {
        self.policy.id == other.policy.id && self.args == other.args
    }
}

impl Eq for PolicySpec {}

/// The name, then the parameters that differ from their defaults.
impl fmt::Display for PolicySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.id)?;
        let changed = self.policy.params.iter().filter(|param| self.args.get(param.name) != param.default);
        for (n, param) in changed.enumerate() {
            let separator = if n == 0 { ':' } else { ',' };
            write!(f, "{separator}{}={}", param.name, self.args.get(param.name))?;
        }
        Ok(())
    }
}

/// Why a text names no policy.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicySpecError {
    #[error("unknown policy `{0}`; known are {known}", known = names(POLICIES.iter().map(|policy| policy.id)))]
    Policy(String),
    #[error("policy `{policy}` has no parameter `{param}`; it has {known}")]
    Param { policy: &'static str, param: String, known: String },
    #[error("parameter `{param}` of `{policy}` is `{value}`; it must be a whole number from {least} to 4294967295")]
    Value { policy: &'static str, param: &'static str, value: String, least: u32 },
}

impl FromStr for PolicySpec {
    type Err = PolicySpecError;

    fn from_str(text: &str) -> Result<PolicySpec, PolicySpecError> {
        let (id, typed) = text.split_once(':').unwrap_or((text, ""));
        let policy =
            POLICIES.iter().find(|policy| policy.id == id).ok_or_else(|| PolicySpecError::Policy(id.to_owned()))?;
        let mut args = Args(policy.params.iter().map(|param| (param.name, param.default)).collect());
        for assignment in typed.split(',').filter(|assignment| !assignment.is_empty()) {
            assign(policy, assignment, &mut args)?;
        }
        Ok(PolicySpec { policy, args })
    }
}

/// Sets one parameter from `name=value`.
fn assign(policy: &Policy, assignment: &str, args: &mut Args) -> Result<(), PolicySpecError> {
    let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    let at = policy.params.iter().position(|param| param.name == name).ok_or_else(|| PolicySpecError::Param {
        policy: policy.id,
        param: name.to_owned(),
        known: if policy.params.is_empty() { "none".to_owned() } else { names(policy.params.iter().map(|p| p.name)) },
    })?;
    let param = &policy.params[at];
    let parsed = value.parse().ok().filter(|number| *number >= param.least);
    args.0[at].1 = parsed.ok_or_else(|| PolicySpecError::Value {
        policy: policy.id,
        param: param.name,
        value: value.to_owned(),
        least: param.least,
    })?;
    Ok(())
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, message: &str) {
        assert_eq!(text.parse::<PolicySpec>().unwrap_err().to_string(), message);
    }

    #[test]
    fn every_policy_prints_as_it_is_typed() {
        for policy in POLICIES {
            assert_eq!(policy.id.parse::<PolicySpec>().unwrap().to_string(), policy.id);
        }
        let spec: PolicySpec = "truncate-results:cap=900,keep=2".parse().unwrap();
        assert_eq!(spec.to_string(), "truncate-results:cap=900,keep=2");
        assert_eq!("drop-oldest-round:keep=1".parse::<PolicySpec>().unwrap().to_string(), "drop-oldest-round");
    }

    #[test]
    fn a_wrong_spec_says_what_is_known() {
        let known = names(POLICIES.iter().map(|policy| policy.id));
        refused("drop-all", &format!("unknown policy `drop-all`; known are {known}"));
        refused("none:keep=1", "policy `none` has no parameter `keep`; it has none");
        refused(
            "drop-oldest-round:keep=0",
            "parameter `keep` of `drop-oldest-round` is `0`; it must be a whole number from 1 to 4294967295",
        );
    }
}
