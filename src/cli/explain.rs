//! `cutpoint explain`: what a rule finds, why providers refuse it, and the remedy; and which rule an error is about.

use std::io::Read;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::refusal::{self, Broken, Numbers, Recognised, Refusal};
use crate::report::text::grouped;
use crate::rules::{self, RULES};

use super::exit::{Exit, NothingSelected, Usage};
use super::output::print;

/// Explain a rule, or an error that a provider answered: what it is about, and the remedy
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint explain orphan_tool_result\n  cutpoint explain --list\n  \
                        cutpoint explain --error 'messages.4: `tool_use` ids were found without `tool_result` blocks …'\n  \
                        cutpoint explain --error - --output json <error.json")]
pub struct Explain {
    /// The rule, as a finding names it
    #[arg(required_unless_present_any = ["list", "error"])]
    rule: Option<String>,
    /// List all rules with one sentence each
    #[arg(long, conflicts_with = "rule")]
    list: bool,
    /// Recognise an error: its body or message as a provider, a client or a log wrote it, or `-` for standard input
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["rule", "list"], allow_hyphen_values = true)]
    error: Option<String>,
    /// The form in which an error is told
    #[arg(short, long, value_enum, default_value_t = Form::Text, requires = "error")]
    output: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Text,
    /// For programs
    Json,
}

impl Explain {
    pub fn run(self) -> Result<Exit> {
        match (self.rule, self.error) {
            (Some(id), _) => {
                let rule = rules::rule(&id).ok_or_else(|| unknown(&id))?;
                print(&format!("{}\n", rule.documentation()))?;
            }
            (None, Some(text)) => {
                let refusal = refusal::recognise(&whole(text)?, None);
                print(&match self.output {
                    Form::Text => told(&refusal),
                    Form::Json => format!("{}\n", refusal.to_json()),
                })?;
            }
            (None, None) => print(&listing())?,
        }
        Ok(Exit::Pass)
    }
}

/// The error itself, read where it stands on standard input.
fn whole(text: String) -> Result<String> {
    let text = if text == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("could not read standard input")?;
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        text
    };
    if text.trim().is_empty() {
        return Err(NothingSelected("there is no error to explain: the text is empty".to_owned()).into());
    }
    Ok(text)
}

/// An error for people: what it is, where, and what to do.
fn told(refusal: &Refusal) -> String {
    let is = match &refusal.recognised {
        Recognised::Broken(broken) => return format!("{}{}", rules_of(broken), said(refusal)),
        Recognised::Overflow(numbers) => overflow(numbers),
        Recognised::NotStructural(cause) => {
            format!("{}: {}; the messages are not at fault\n", cause.as_str(), cause.about())
        }
        Recognised::Unclassified(fingerprint) => {
            format!(
                "unclassified: no text that Cutpoint knows; all errors of this kind have the fingerprint {fingerprint}\n"
            )
        }
    };
    is + &said(refusal)
}

fn said(refusal: &Refusal) -> String {
    format!("said: {}\n", refusal.said)
}

/// The rules that a refusal may be about, each with its remedy, and where.
fn rules_of(broken: &Broken) -> String {
    let mut text = String::new();
    for rule in broken.rules.iter().filter_map(|id| rules::rule(id)) {
        text.push_str(&format!("{}: {}\n", rule.id, rule.about));
        if let Some(remedy) = rule.section("Remedy") {
            text.push_str(&format!("  remedy: {remedy}\n"));
        }
    }
    if broken.rules.len() > 1 {
        text.push_str("The text is the same for all of these; `cutpoint check` tells them apart by the request.\n");
    }
    if let Some(message) = broken.message {
        let block = broken.block.map(|block| format!(", block {block}")).unwrap_or_default();
        text.push_str(&format!("at: message {message}{block}, counted from 0 as the provider does\n"));
    }
    if !broken.ids.is_empty() {
        text.push_str(&format!("ids: {}\n", broken.ids.join(", ")));
    }
    text
}

fn overflow(numbers: &Numbers) -> String {
    let mut text = "overflow: the request does not fit into the model's context window\n".to_owned();
    if let Some(limit) = numbers.limit {
        text.push_str(&format!("limit: {} tokens\n", grouped(limit)));
    }
    if let Some(asked) = numbers.asked {
        text.push_str(&format!("requested: {} tokens\n", grouped(asked)));
    }
    text
}

fn listing() -> String {
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    RULES.iter().map(|rule| format!("{:width$}  {}\n", rule.id, rule.about)).collect()
}

fn unknown(id: &str) -> Usage {
    let near = RULES.iter().map(|rule| rule.id).filter(|known| known.contains(id) || id.contains(known));
    let near: Vec<&str> = near.collect();
    let hint = match near[..] {
        [] => String::new(),
        _ => format!("did you mean {}? ", near.join(", ")),
    };
    Usage(format!("no rule is called `{id}`; {hint}`cutpoint explain --list` lists all"))
}
