//! One request against one target: the verdict, the findings, and what they mean to a reader who holds no transcript.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model::Api;
use crate::rules::{self, Finding, Severity, Shape, Target, Verdict};
use crate::transcript::{Prompt, Transcript};

/// What a target would say of a request.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub api: Api,
    pub verdict: Verdict,
    /// Where the verdict depends: what each target that is left open would say.
    pub by_target: BTreeMap<&'static str, Verdict>,
    pub findings: Vec<Finding>,
    /// The ids behind the numbers in the findings, finding by finding.
    pub ids: Vec<Vec<String>>,
}

impl Judgement {
    /// The judgement on the first `upto` messages of a transcript, by the findings that are wanted.
    pub fn of(transcript: &Transcript, upto: u32, target: &Target, wants: impl Fn(&Finding) -> bool) -> Judgement {
        let resident: Vec<u32> = (0..upto).collect();
        let mut findings = rules::check(&Prompt::new(transcript, &resident), target);
        findings.retain(wants);
        let names =
            |finding: &Finding| finding.ids.iter().filter_map(|id| transcript.id(*id)).map(str::to_owned).collect();
        let ids = findings.iter().map(names).collect();
        let verdict = rules::verdict(&findings);
        let by_target = if verdict == Verdict::Depends { sides(&findings) } else { BTreeMap::new() };
        Judgement { api: transcript.api, verdict, by_target, findings, ids }
    }

    /// As the command line and the service write it.
    pub fn to_json(&self) -> Value {
        let findings = self.findings.iter().zip(&self.ids).map(|(finding, ids)| {
            json!({
                "rule": finding.rule,
                "severity": finding.severity.as_str(),
                "message_index": finding.message,
                "block_index": finding.block,
                "ids": ids,
                "shape": finding.shape.map(Shape::as_str),
                "path": path(finding),
                "message": finding.say,
            })
        });
        let by_target: BTreeMap<_, _> =
            self.by_target.iter().map(|(target, verdict)| (*target, verdict.as_str())).collect();
        json!({
            "api": self.api.id(),
            "verdict": self.verdict.as_str(),
            "by_target": by_target,
            "findings": findings.collect::<Vec<_>>(),
        })
    }
}

/// What the targets that these warnings leave open would say; one that some warning has refuse, refuses.
fn sides(findings: &[Finding]) -> BTreeMap<&'static str, Verdict> {
    let mut sides = BTreeMap::new();
    let warnings = findings.iter().filter(|finding| finding.severity == Severity::Warning);
    for side in warnings.filter_map(|finding| rules::rule(finding.rule)).flat_map(|rule| rule.sides) {
        let verdict = sides.entry(side.target).or_insert(side.verdict);
        *verdict = side.verdict.max(*verdict);
    }
    sides
}

/// Where a finding stands, as providers write it: `messages.2.content.0`.
pub fn path(finding: &Finding) -> String {
    match (finding.message, finding.block) {
        (Some(message), Some(block)) => format!("messages.{message}.content.{block}"),
        (Some(message), None) => format!("messages.{message}"),
        (None, _) => "the request".to_owned(),
    }
}
