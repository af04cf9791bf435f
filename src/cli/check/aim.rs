//! Whom requests are judged for, and by which rules.

use clap::Args;

use crate::judge::Aim;
use crate::model::Api;
use crate::profiles::{self, PROFILES, Profile};
use crate::rules;

/// Whom the requests are judged for, and by which rules
#[derive(Clone, Debug, Args)]
pub(super) struct AimArgs {
    /// The language of bare bodies and of Cutpoint's own log, whatever they look like [default: told by content]
    #[arg(long, value_name = "ID", value_parser = api_of, long_help = api_help(), env = "CUTPOINT_API")]
    pub api: Option<Api>,
    /// A server that adds rules to its API (azure, deepseek, vllm, ...) [default: the one that the log names, else the
    /// API's first party]
    #[arg(long, value_parser = profile_of)]
    pub profile: Option<&'static Profile>,
    /// The model to judge for, in the place of the one that a request names
    #[arg(long)]
    model: Option<String>,
    /// Judge by these rules only
    #[arg(long, value_delimiter = ',', value_parser = rule_of)]
    select: Vec<&'static str>,
    /// Leave these rules out
    #[arg(long, value_delimiter = ',', value_parser = rule_of)]
    ignore: Vec<&'static str>,
}

fn api_of(id: &str) -> Result<Api, String> {
    Api::from_id(id).ok_or_else(|| format!("no API is called `{id}`; there are {}", api_ids()))
}

fn api_ids() -> String {
    Api::ALL.iter().map(|api| api.id()).collect::<Vec<_>>().join(", ")
}

fn api_help() -> String {
    format!(
        "The language of bare bodies and of Cutpoint's own log, whatever they look like [default: told by content]\n\n\
         One of {}. It wins over the `api` that a line of Cutpoint's own log states; logs in other formats are in a \
         language of their own, which it does not change.",
        api_ids()
    )
}

fn profile_of(id: &str) -> Result<&'static Profile, String> {
    let known = || PROFILES.iter().map(|profile| profile.id).collect::<Vec<_>>().join(", ");
    profiles::profile(id).ok_or_else(|| format!("no profile is called `{id}`; there are {}", known()))
}

fn rule_of(id: &str) -> Result<&'static str, String> {
    let unknown = || format!("no rule is called `{id}`; `cutpoint explain --list` lists all");
    rules::rule(id).map(|rule| rule.id).ok_or_else(unknown)
}

impl AimArgs {
    /// What they state.
    pub fn aim(&self) -> Aim {
        let Self { profile, model, select, ignore, .. } = self.clone();
        Aim { profile, model, select, ignore }
    }
}
