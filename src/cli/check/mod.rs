//! `cutpoint check`: would the provider take these requests?

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::judge::Judgement;
use crate::model::{Call, Conversation, Place, Record};
use crate::profiles::{self, PROFILES, Profile};
use crate::rules::{self, Finding, Target, Verdict};
use crate::source;
use crate::transcript::size::COUNTERS;
use crate::transcript::{History, Transcript};

mod json;
mod table;

use super::exit::{Exit, NothingSelected, Usage};
use super::input::{Paths, tell_left_out};
use super::output::print;
use super::runtime::interruptible;

/// Judge every request of a log as its provider would; exit code 100 if one would be refused
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cutpoint check request.json\n  cutpoint check calls.jsonl --output json --model claude-opus-4-7\n  \
                        cutpoint explain orphan_tool_result"
)]
pub struct Check {
    #[command(flatten)]
    paths: Paths,
    /// The form of the result on stdout
    #[arg(short, long, value_enum, default_value_t = Form::Table, env = "CUTPOINT_OUTPUT")]
    output: Form,
    #[command(flatten)]
    aim: Aim,
}

/// Whom the requests are judged for, and by which rules
#[derive(Debug, Args)]
struct Aim {
    /// A server that adds rules to its API (azure, deepseek, vllm, ...); by default the API's first party
    #[arg(long, value_parser = profile_of)]
    profile: Option<&'static Profile>,
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

impl Aim {
    fn wants(&self, finding: &Finding) -> bool {
        (self.select.is_empty() || self.select.contains(&finding.rule)) && !self.ignore.contains(&finding.rule)
    }
}

fn profile_of(id: &str) -> Result<&'static Profile, String> {
    let known = || PROFILES.iter().map(|profile| profile.id).collect::<Vec<_>>().join(", ");
    profiles::profile(id).ok_or_else(|| format!("no profile is called `{id}`; there are {}", known()))
}

fn rule_of(id: &str) -> Result<&'static str, String> {
    let unknown = || format!("no rule is called `{id}`; `cutpoint explain --list` lists all");
    rules::rule(id).map(|rule| rule.id).ok_or_else(unknown)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Table,
    Json,
}

/// A request of a log with what the target would say.
struct Judged {
    place: Place,
    judgement: Judgement,
}

impl Check {
    pub fn run(self) -> Result<Exit> {
        if self.paths.paths.is_empty() {
            return Err(Usage("name a request or a log to check, or `-` for standard input".to_owned()).into());
        }
        interruptible(move || self.judge_all())
    }

    fn judge_all(self) -> Result<Exit> {
        let mut judged = Vec::new();
        let mut history = History::new();
        let report = source::records(self.paths.input(), &mut |record| match record {
            Record::Call(call) => judged.push(judge(*call, &mut history, &self.aim)),
            Record::Conversation(conversation) => judged.push(judge_conversation(*conversation, &self.aim)),
            Record::Defect(_) => {}
        })?;
        tell_left_out(&report);
        if judged.is_empty() {
            return Err(NothingSelected("there is no request to check".to_owned()).into());
        }
        print(&match self.output {
            Form::Table => table::table(&judged),
            Form::Json => json::json(&judged),
        })?;
        let refused = judged.iter().any(|judged| judged.judgement.verdict == Verdict::Reject);
        Ok(if refused { Exit::DataFailed } else { Exit::Pass })
    }
}

/// A conversation is judged by its last request; a call without result at its end awaits that result.
fn judge_conversation(conversation: Conversation, aim: &Aim) -> Judged {
    let place = conversation.place.clone();
    let session = crate::session::session(conversation);
    let transcript = Transcript::of_session(&session, &COUNTERS[0]);
    let upto = transcript.calls.last().map_or(transcript.messages.len() as u32, |call| call.upto);
    judge_prefix(place, &transcript, upto, aim)
}

fn judge(mut call: Call, history: &mut History, aim: &Aim) -> Judged {
    if let Some(profile) = aim.profile {
        profile.adopt(&mut call.request);
    }
    let mut transcript = Transcript::of_request(&call.request, &COUNTERS[0]);
    history.follow(&call, &mut transcript);
    judge_prefix(call.place, &transcript, transcript.messages.len() as u32, aim)
}

fn judge_prefix(place: Place, transcript: &Transcript, upto: u32, aim: &Aim) -> Judged {
    // A profile speaks for requests in its own language only.
    let profile = aim.profile.filter(|profile| profile.speaks(transcript.api));
    let model = aim.model.as_deref().or(transcript.model.as_deref());
    let target = Target { api: transcript.api, profile, model };
    Judged { place, judgement: Judgement::of(transcript, upto, &target, |finding| aim.wants(finding)) }
}
