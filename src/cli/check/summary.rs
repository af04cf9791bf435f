//! What a run of `check` comes to: counts by verdict and by rule, and what the user's wishes did not reach.

use std::collections::BTreeMap;

use crate::judge::Judgement;
use crate::model::Api;
use crate::report::text::grouped;
use crate::rules::{Severity, Verdict};

use super::aim::AimArgs;

/// Counts over all requests.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub requests: u64,
    verdicts: BTreeMap<Verdict, u64>,
    rules: BTreeMap<&'static str, Count>,
    apis: BTreeMap<Api, u64>,
}

/// What one rule found.
#[derive(Debug)]
struct Count {
    worst: Severity,
    requests: u64,
    findings: u64,
}

impl Summary {
    /// Counts in one request of an API.
    pub fn add(&mut self, api: Api, judgement: &Judgement) {
        self.requests += 1;
        *self.verdicts.entry(judgement.verdict).or_default() += 1;
        *self.apis.entry(api).or_default() += 1;
        let mut seen: Vec<&str> = Vec::new();
        for finding in &judgement.findings {
            let none = Count { worst: finding.severity, requests: 0, findings: 0 };
            let count = self.rules.entry(finding.rule).or_insert(none);
            count.worst = count.worst.max(finding.severity);
            count.findings += 1;
            if !seen.contains(&finding.rule) {
                seen.push(finding.rule);
                count.requests += 1;
            }
        }
    }

    /// Whether some request would be refused.
    pub fn has_refused(&self) -> bool {
        self.count(Verdict::Reject) > 0
    }

    fn count(&self, verdict: Verdict) -> u64 {
        self.verdicts.get(&verdict).copied().unwrap_or(0)
    }

    /// One line: how many requests there were, by verdict.
    pub fn line(&self) -> String {
        let refused = grouped(self.count(Verdict::Reject));
        let mut line = format!("{}: {refused} would be refused", requests(self.requests));
        let others = [
            (Verdict::Depends, "depend on the target"),
            (Verdict::Unverifiable, "cannot be judged"),
            (Verdict::Accept, "would be taken"),
        ];
        for (verdict, words) in others {
            match self.count(verdict) {
                0 => {}
                count => line.push_str(&format!(", {} {words}", grouped(count))),
            }
        }
        line
    }

    /// A line for each rule that found something, the one with most requests first.
    pub fn rules(&self) -> Vec<String> {
        let mut rules: Vec<_> = self.rules.iter().collect();
        rules.sort_by_key(|(_, count)| std::cmp::Reverse(count.requests));
        let line = |(rule, count): &(&&str, &Count)| {
            let (findings, requests) = (grouped(count.findings), requests(count.requests));
            format!("{rule} ({}): {findings} in {requests}", count.worst.as_str())
        };
        rules.iter().map(line).collect()
    }

    /// What the user asked for and did not get, one line each.
    pub fn left_out(&self, aim: &AimArgs) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(profile) = aim.profile
            && let Some(others) = self.of_apis(|api| !profile.speaks(api))
        {
            lines.push(format!(
                "--profile {} does not speak the language of {others}: judged for the first party of their API",
                profile.id
            ));
        }
        if let Some(stated) = aim.api
            && let Some(others) = self.of_apis(|api| api != stated)
        {
            lines.push(format!(
                "--api {stated} is for bare bodies and Cutpoint's own log: {others} were judged in the language of \
                 their log"
            ));
        }
        lines
    }

    /// How many requests there were in some languages, if any.
    fn of_apis(&self, wanted: impl Fn(Api) -> bool) -> Option<String> {
        let counts = self.apis.iter().filter(|(api, _)| wanted(**api));
        let counts: Vec<String> = counts.map(|(api, count)| format!("{} in {api}", requests(*count))).collect();
        (!counts.is_empty()).then(|| counts.join(", "))
    }
}

fn requests(n: u64) -> String {
    format!("{} {}", grouped(n), if n == 1 { "request" } else { "requests" })
}
