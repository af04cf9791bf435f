//! `cutpoint explain`: what a rule finds, why providers refuse it, and the remedy.

use anyhow::Result;
use clap::Args;

use crate::rules::{self, RULES};

use super::exit::{Exit, Usage};
use super::output::print;

/// Explain a rule: what it finds, the provider's wording, an example, the remedy
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cutpoint explain orphan_tool_result\n  cutpoint explain --list")]
pub struct Explain {
    /// The rule, as a finding names it
    #[arg(required_unless_present = "list")]
    rule: Option<String>,
    /// List all rules with one sentence each
    #[arg(long, conflicts_with = "rule")]
    list: bool,
}

impl Explain {
    pub fn run(self) -> Result<Exit> {
        match self.rule {
            Some(id) => {
                let rule = rules::rule(&id).ok_or_else(|| unknown(&id))?;
                print(&format!("{}\n", rule.documentation()))?;
            }
            None => print(&listing())?,
        }
        Ok(Exit::Pass)
    }
}

fn listing() -> String {
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    RULES.iter().map(|rule| format!("{:width$}  {}\n", rule.id, rule.about)).collect()
}

fn unknown(id: &str) -> Usage {
    let near = RULES.iter().map(|rule| rule.id).filter(|known| known.contains(id) || id.contains(known));
    let near: Vec<&str> = near.collect();
    let hint = if near.is_empty() { "`cutpoint explain --list` lists all".to_owned() } else { near.join(", ") };
    Usage(format!("no rule is called `{id}`; did you mean: {hint}"))
}
