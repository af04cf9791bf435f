//! `cutpoint check`: would the provider take these requests?
//!
//! Requests are judged as they are read, and each is told before the next one is: neither bodies nor findings add up.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::agreement::{Observed, Outcome};
use crate::judge::{Aim, JudgedRequest, Judgement};
use crate::model::{Message, Place, Record, Reply, Request};
use crate::repair::{self, Repair};
use crate::rules::Verdict;
use crate::source;
use crate::transcript::History;

mod aim;
mod drawing;
mod github;
mod json;
mod junit;
mod mended;
mod observed;
mod sarif;
mod screen;
mod summary;
mod table;
mod wording;
mod write;

use super::exit::{Exit, NothingSelected, Usage};
use super::input::{Paths, tell_left_out};
use super::output::print;
use super::runtime::interruptible;
use aim::AimArgs;
use screen::Screen;
use summary::Summary;
use write::Written;

/// Judge every request of a log as its provider would; exit code 100 if one would be refused
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint check request.json\n  \
                        cutpoint check fixtures/ --output sarif >check.sarif\n  \
                        cutpoint check calls.jsonl --output json --model claude-opus-4-7\n  \
                        cutpoint check request.json --repair --write repaired.json\n  \
                        curl … | cutpoint check - --api openai.chat --profile deepseek\n  \
                        cutpoint check calls.jsonl --observed\n  \
                        cutpoint explain orphan_tool_result")]
pub struct Check {
    #[command(flatten)]
    paths: Paths,
    /// The form of the result on stdout
    #[arg(short, long, value_enum, default_value_t = Form::Table, env = "CUTPOINT_OUTPUT")]
    output: Form,
    /// Draw every finding in the table, and not only the first of each rule
    #[arg(long)]
    all: bool,
    /// Hold the verdicts against what the log says became of the requests: how many were taken and refused, rule by rule;
    /// exit code 100 if they disagree somewhere. In the forms table and json
    #[arg(long, conflicts_with = "repair")]
    observed: bool,
    /// Propose the smallest edit that makes a refused request acceptable: drawn in the table, as a JSON Patch of the
    /// body in json; verdict and exit code stay those of the request as it is
    #[arg(long)]
    repair: bool,
    /// Write the body of the repaired request there: of one request, and never over a file that was read
    #[arg(long, value_name = "FILE", requires = "repair")]
    write: Option<PathBuf>,
    #[command(flatten)]
    aim: AimArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Drawn for people
    Table,
    /// Every request with its findings
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, a test case a request
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

/// A request of a log with what the target would say.
struct Judged<'m> {
    place: &'m Place,
    model: Option<&'m str>,
    messages: &'m [Message],
    judgement: &'m Judgement,
    /// How the call ended, where a log of calls says.
    reply: Option<&'m Reply>,
    /// What it comes to once repaired; `None` unless that is asked for and possible to tell.
    mended: Option<Mended<'m>>,
}

/// A request that would be refused, and its repair.
#[derive(Clone, Copy)]
struct Mended<'m> {
    request: &'m Request,
    repair: &'m Repair,
}

/// A form of the result: told request by request, so that a long log needs no memory.
trait Tell {
    /// What the form says of one request.
    fn tell(&mut self, judged: &Judged) -> String;

    /// What ends the result, once all requests are told.
    fn end(&mut self, summary: &Summary) -> String;

    /// Whether the data failed.
    fn has_failed(&self, summary: &Summary) -> bool {
        summary.has_refused()
    }
}

impl Form {
    fn teller(self, all: bool, repairs: bool) -> Box<dyn Tell> {
        match self {
            Form::Table => Box::new(table::Table::new(Screen::of_stdout(), all)),
            Form::Json => Box::new(json::Json::new(repairs)),
            Form::Sarif => Box::new(sarif::Sarif::default()),
            Form::Junit => Box::new(junit::Junit::default()),
            Form::Github => Box::new(github::Github),
        }
    }
}

impl Check {
    fn teller(&self) -> Result<Box<dyn Tell>> {
        match self.output {
            output if !self.observed => Ok(output.teller(self.all, self.repair)),
            Form::Table => Ok(Box::new(observed::Table::new(Screen::of_stdout(), self.all))),
            Form::Json => Ok(Box::new(observed::Json::default())),
            _ => Err(Usage("--observed is told in the forms table and json".to_owned()).into()),
        }
    }

    pub fn run(self) -> Result<Exit> {
        if self.paths.paths.is_empty() {
            return Err(Usage("name a request or a log to check, or `-` for standard input".to_owned()).into());
        }
        if self.repair && !matches!(self.output, Form::Table | Form::Json) {
            return Err(Usage("--repair is told by `--output table` and `--output json` only".to_owned()).into());
        }
        interruptible(move || self.judge_all())
    }

    fn judge_all(self) -> Result<Exit> {
        let aim = self.aim.aim();
        let mut run = Run {
            teller: self.teller()?,
            aim: self.repair.then_some(&aim),
            written: self.write.as_deref().map(Written::new),
            conversations: 0,
            summary: Summary::default(),
            has_outcome: false,
            printed: Ok(()),
        };
        let mut history = History::new();
        let report = source::records_in(self.paths.input(), self.aim.api, &mut |record| match record {
            Record::Call(mut call) => {
                let place = call.place.clone();
                let reply = call.reply.clone();
                run.take(&place, aim.judge(&mut call, &mut history), Some(&reply));
            }
            Record::Conversation(conversation) => {
                let place = conversation.place.clone();
                aim.judge_last(*conversation, &mut |seen| run.take(&place, seen, None));
            }
            Record::Defect(_) => {}
        })?;
        tell_left_out(&report);
        let Run { mut teller, summary, has_outcome, printed, written, conversations, .. } = run;
        printed?;
        if summary.requests == 0 && report.n_defects > 0 {
            return Err(Usage("no request could be read".to_owned()).into());
        }
        if summary.requests == 0 {
            return Err(NothingSelected("there is no request to check".to_owned()).into());
        }
        if self.observed && !has_outcome {
            let words = "no call of the log says how it ended: there is nothing to hold the verdicts against";
            return Err(NothingSelected(words.to_owned()).into());
        }
        print(&teller.end(&summary))?;
        if conversations > 0 {
            eprintln!(
                "--repair is for requests: {conversations} of those refused are conversations, which no body holds"
            );
        }
        if let Some(written) = written {
            written.end()?;
        }
        summary.left_out(&self.aim).iter().for_each(|line| eprintln!("{line}"));
        Ok(if teller.has_failed(&summary) { Exit::DataFailed } else { Exit::Pass })
    }
}

/// A run under way.
struct Run<'a> {
    teller: Box<dyn Tell>,
    /// Whom repairs are for, where they are asked for.
    aim: Option<&'a Aim>,
    written: Option<Written<'a>>,
    /// Conversations that would be refused and are in no log as requests.
    conversations: u64,
    summary: Summary,
    /// Whether some call says how it ended.
    has_outcome: bool,
    /// What became of stdout; after a failure nothing more is written.
    printed: Result<()>,
}

impl Run<'_> {
    /// Counts and tells one request.
    fn take(&mut self, place: &Place, seen: JudgedRequest, reply: Option<&Reply>) {
        self.has_outcome |= reply.is_some_and(|reply| Observed::of(reply).outcome != Outcome::Unknown);
        self.summary.add(seen.api, &seen.judgement);
        let repair = self.aim.and_then(|aim| repair_of(&seen, aim));
        let mended = seen.request.zip(repair.as_ref()).map(|(request, repair)| Mended { request, repair });
        let is_refused = seen.judgement.verdict == Verdict::Reject;
        self.conversations += u64::from(self.aim.is_some() && is_refused && seen.request.is_none());
        if let Some(written) = &mut self.written {
            written.take(place, seen.request, repair.as_ref());
        }
        let (model, judgement) = (seen.model.as_deref(), &seen.judgement);
        let judged = Judged { place, model, messages: seen.messages, judgement, reply, mended };
        let text = self.teller.tell(&judged);
        if self.printed.is_ok() && !text.is_empty() {
            self.printed = print(&text);
        }
    }
}

/// The repair of a request that would be rejected.
fn repair_of(seen: &JudgedRequest, aim: &Aim) -> Option<Repair> {
    let request = seen.request?;
    let target = aim.target(request.api, seen.profile, seen.model.as_deref());
    repair::repair(request, &target, &seen.judgement, &|finding| aim.wants(finding))
}
