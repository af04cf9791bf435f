//! `cutpoint check`: would the provider take these requests?

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::model::{Api, Conversation, Place, Record, Request};
use crate::rules::{self, Finding, Target, Verdict};
use crate::source;
use crate::transcript::size::COUNTERS;
use crate::transcript::{Prompt, Transcript};

use super::exit::{Exit, NothingSelected, Usage};
use super::input::{Paths, tell_left_out};
use super::output::print;

/// Judge every request of a log as its provider would; exit code 100 if one would be refused
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint check request.json\n  cutpoint check calls.jsonl --output json\n  \
                        cutpoint explain orphan_tool_result")]
pub struct Check {
    #[command(flatten)]
    paths: Paths,
    /// The form of the result on stdout
    #[arg(short, long, value_enum, default_value_t = Form::Table, env = "CUTPOINT_OUTPUT")]
    output: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Table,
    Json,
}

/// A request with what the provider would say.
struct Judged {
    place: Place,
    api: Api,
    verdict: Verdict,
    findings: Vec<Finding>,
    /// The ids behind the numbers in the findings.
    ids: Vec<Vec<String>>,
}

impl Check {
    pub fn run(self) -> Result<Exit> {
        if self.paths.paths.is_empty() {
            return Err(Usage("name a request or a log to check, or `-` for standard input".to_owned()).into());
        }
        let mut judged = Vec::new();
        let report = source::records(self.paths.input(), &mut |record| match record {
            Record::Call(call) => judged.push(judge(call.place, &call.request)),
            Record::Conversation(conversation) => judged.push(judge_conversation(*conversation)),
            Record::Defect(_) => {}
        })?;
        tell_left_out(&report);
        if judged.is_empty() {
            return Err(NothingSelected("there is no request to check".to_owned()).into());
        }
        print(&match self.output {
            Form::Table => table(&judged),
            Form::Json => json_of(&judged),
        })?;
        let refused = judged.iter().any(|judged| judged.verdict == Verdict::Reject);
        Ok(if refused { Exit::DataFailed } else { Exit::Pass })
    }
}

/// A conversation is judged by its last request; a call without result at its end awaits that result.
fn judge_conversation(conversation: Conversation) -> Judged {
    let place = conversation.place.clone();
    let session = crate::session::session(conversation);
    let transcript = Transcript::of_session(&session, &COUNTERS[0]);
    let upto = transcript.calls.last().map_or(transcript.messages.len() as u32, |call| call.upto);
    judge_prefix(place, &transcript, upto)
}

fn judge(place: Place, request: &Request) -> Judged {
    let transcript = Transcript::of_request(request, &COUNTERS[0]);
    judge_prefix(place, &transcript, transcript.messages.len() as u32)
}

fn judge_prefix(place: Place, transcript: &Transcript, upto: u32) -> Judged {
    let resident: Vec<u32> = (0..upto).collect();
    let target = Target::new(transcript.api, transcript.model.as_deref());
    let findings = rules::check(&Prompt::new(transcript, &resident), &target);
    let names = |finding: &Finding| finding.ids.iter().filter_map(|id| transcript.id(*id)).map(str::to_owned).collect();
    let ids = findings.iter().map(names).collect();
    Judged { place, api: transcript.api, verdict: rules::verdict(&findings), findings, ids }
}

fn table(judged: &[Judged]) -> String {
    let mut text = String::new();
    for request in judged.iter().filter(|request| !request.findings.is_empty()) {
        text.push_str(&format!("{}: {} ({})\n", request.place, request.verdict.as_str(), request.api));
        for finding in &request.findings {
            let severity = finding.severity.as_str();
            text.push_str(&format!("  {severity} {} at {}: {}\n", finding.rule, path(finding), finding.say));
        }
    }
    let refused = judged.iter().filter(|request| request.verdict == Verdict::Reject).count();
    let depends = judged.iter().filter(|request| request.verdict == Verdict::Depends).count();
    text.push_str(&format!("{} requests: {refused} would be refused", judged.len()));
    if depends > 0 {
        text.push_str(&format!(", {depends} depend on the target"));
    }
    text.push_str("\n");
    text
}

/// Where a finding stands, as providers write it: `messages.2.content.0`.
fn path(finding: &Finding) -> String {
    match (finding.message, finding.block) {
        (Some(message), Some(block)) => format!("messages.{message}.content.{block}"),
        (Some(message), None) => format!("messages.{message}"),
        (None, _) => "the request".to_owned(),
    }
}

fn json_of(judged: &[Judged]) -> String {
    let requests: Vec<Value> = judged.iter().map(request_json).collect();
    format!("{:#}\n", json!({ "schema_version": 1, "requests": requests }))
}

fn request_json(judged: &Judged) -> Value {
    let findings = judged.findings.iter().zip(&judged.ids).map(|(finding, ids)| {
        json!({
            "rule": finding.rule,
            "severity": finding.severity.as_str(),
            "message_index": finding.message,
            "block_index": finding.block,
            "ids": ids,
            "path": path(finding),
            "say": finding.say,
        })
    });
    json!({
        "source": &*judged.place.source,
        "line": judged.place.line,
        "api": judged.api.id(),
        "verdict": judged.verdict.as_str(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
