//! Predicted against observed: what the rules say of logged requests, and what their providers said.
//!
//! A provider names one fault of a request, so a rule is confirmed where the logged text is one of its own, and refuted
//! where the request was taken; a request that was refused for another fault says nothing of it. What failed for another
//! reason was never judged by the provider and is in neither figure. Observed and predicted stay apart: nothing here adds
//! them.

use std::collections::BTreeMap;

use crate::judge::Judgement;
use crate::model::Reply;
use crate::refusal::{Broken, Recognised, Refusal, recognise};
use crate::rules::{Severity, Verdict};

/// How a logged call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    Accepted,
    /// Refused with the text of a rule.
    Refused,
    /// Refused because it does not fit into the window.
    Overflow,
    /// Failed for a reason that is not its messages.
    NotStructural,
    /// Refused with a text that is not known.
    Unclassified,
    /// The log does not say.
    Unknown,
}

impl Outcome {
    /// Every outcome, in the order of columns.
    pub const ALL: &[Outcome] = &[
        Outcome::Accepted,
        Outcome::Refused,
        Outcome::Overflow,
        Outcome::NotStructural,
        Outcome::Unclassified,
        Outcome::Unknown,
    ];

    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Refused => "refused",
            Outcome::Overflow => "overflow",
            Outcome::NotStructural => "not_structural",
            Outcome::Unclassified => "unclassified",
            Outcome::Unknown => "unknown",
        }
    }
}

/// What a log says of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    pub outcome: Outcome,
    /// The error, if there was one.
    pub refusal: Option<Refusal>,
}

impl Observed {
    /// What a logged reply says.
    pub fn of(reply: &Reply) -> Observed {
        let failed = reply.error.is_some() || reply.status.is_some_and(|status| status >= 400);
        if !failed {
            let accepted = reply.status.is_some_and(|status| (200..300).contains(&status));
            let outcome = if accepted { Outcome::Accepted } else { Outcome::Unknown };
            return Observed { outcome, refusal: None };
        }
        let refusal = recognise(reply.error.as_deref().unwrap_or_default(), reply.status);
        let outcome = match refusal.recognised {
            Recognised::Broken(_) => Outcome::Refused,
            Recognised::Overflow(_) => Outcome::Overflow,
            Recognised::NotStructural(_) => Outcome::NotStructural,
            Recognised::Unclassified(_) => Outcome::Unclassified,
        };
        Observed { outcome, refusal: Some(refusal) }
    }

    /// The rules that the provider's text is about.
    fn broken(&self) -> &[&'static str] {
        match &self.refusal {
            Some(Refusal { recognised: Recognised::Broken(Broken { rules, .. }), .. }) => rules,
            _ => &[],
        }
    }
}

/// How a prediction and an observation contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disagreement {
    /// Predicted to be refused, and taken.
    Taken,
    /// Predicted to be taken, and refused.
    Missed,
    /// Refused as predicted, but by another rule.
    OtherRule,
}

impl Disagreement {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Disagreement::Taken => "taken",
            Disagreement::Missed => "missed",
            Disagreement::OtherRule => "other_rule",
        }
    }
}

/// How many fingerprints of unknown errors are kept.
const MOST_FINGERPRINTS: usize = 1_000;

/// Counts over the calls of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    cells: BTreeMap<(Verdict, Outcome), u64>,
    pub rules: BTreeMap<&'static str, RuleCount>,
    /// Errors with a text that is not known, by fingerprint.
    pub unclassified: BTreeMap<String, Unclassified>,
}

/// Errors of one fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclassified {
    pub calls: u64,
    /// What the first of them says.
    pub said: String,
}

/// How often a rule was predicted, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleCount {
    /// Calls that it refuses and that the provider judged.
    pub predicted: u64,
    /// Calls that the provider refused with its text.
    pub observed: u64,
    pub both: u64,
    /// Calls that it refuses and that were taken.
    pub refuted: u64,
}

impl Agreement {
    /// Counts one call in; says how it contradicts itself, if it does.
    pub fn add(&mut self, judgement: &Judgement, observed: &Observed) -> Option<Disagreement> {
        *self.cells.entry((judgement.verdict, observed.outcome)).or_default() += 1;
        if let Some(Refusal { recognised: Recognised::Unclassified(fingerprint), said }) = &observed.refusal {
            self.add_unclassified(fingerprint, said);
        }
        let predicted = refusing(judgement);
        match observed.outcome {
            Outcome::Accepted => {
                for rule in &predicted {
                    let count = self.rules.entry(rule).or_default();
                    count.predicted += 1;
                    count.refuted += 1;
                }
                (judgement.verdict == Verdict::Reject).then_some(Disagreement::Taken)
            }
            Outcome::Refused => self.add_refused(judgement.verdict, &predicted, observed.broken()),
            _ => None,
        }
    }

    fn add_unclassified(&mut self, fingerprint: &str, said: &str) {
        let has_room = self.unclassified.len() < MOST_FINGERPRINTS;
        match self.unclassified.get_mut(fingerprint) {
            Some(known) => known.calls += 1,
            None if has_room => {
                let first = Unclassified { calls: 1, said: said.to_owned() };
                self.unclassified.insert(fingerprint.to_owned(), first);
            }
            None => {}
        }
    }

    fn add_refused(
        &mut self,
        verdict: Verdict,
        predicted: &[&'static str],
        told: &[&'static str],
    ) -> Option<Disagreement> {
        for rule in predicted {
            self.rules.entry(rule).or_default().predicted += 1;
        }
        let both = told.iter().find(|rule| predicted.contains(rule));
        // A text that several rules share counts for the one that was predicted, else for the likeliest.
        if let Some(rule) = both.or(told.first()) {
            let count = self.rules.entry(rule).or_default();
            count.observed += 1;
            count.both += u64::from(both.is_some());
        }
        match verdict {
            Verdict::Accept => Some(Disagreement::Missed),
            Verdict::Reject if both.is_none() => Some(Disagreement::OtherRule),
            _ => None,
        }
    }

    /// The calls with a verdict and an outcome.
    pub fn count(&self, verdict: Verdict, outcome: Outcome) -> u64 {
        self.cells.get(&(verdict, outcome)).copied().unwrap_or(0)
    }

    /// The calls with an outcome.
    pub fn observed(&self, outcome: Outcome) -> u64 {
        Verdict::ALL.iter().map(|verdict| self.count(*verdict, outcome)).sum()
    }

    /// Of the calls that are predicted to be refused and that the provider judged, how many were: hits and cases.
    pub fn precision(&self) -> (u64, u64) {
        let hits = self.count(Verdict::Reject, Outcome::Refused);
        (hits, hits + self.count(Verdict::Reject, Outcome::Accepted))
    }

    /// Of the calls that were refused with a rule's text, how many are predicted to be: hits and cases.
    pub fn recall(&self) -> (u64, u64) {
        (self.count(Verdict::Reject, Outcome::Refused), self.observed(Outcome::Refused))
    }
}

impl RuleCount {
    /// Of the calls that confirm or refute it, how many confirm it: hits and cases.
    pub fn precision(&self) -> (u64, u64) {
        (self.both, self.both + self.refuted)
    }

    /// Of the calls that were refused with its text, how many it refuses: hits and cases.
    pub fn recall(&self) -> (u64, u64) {
        (self.both, self.observed)
    }
}

/// The rules that refuse a request, each once.
fn refusing(judgement: &Judgement) -> Vec<&'static str> {
    let errors = judgement.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let mut rules: Vec<&'static str> = errors.map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialects;
    use crate::judge::judge;
    use crate::rules::Target;

    /// A request that begins with a tool result, or not.
    fn judged(orphan: bool) -> Judgement {
        let block = if orphan {
            json!({"type": "tool_result", "tool_use_id": "k1", "content": "hot"})
        } else {
            json!({"type": "text", "text": "Kiln?"})
        };
        let body =
            json!({"model": "claude-opus-4-7", "max_tokens": 9, "messages": [{"role": "user", "content": [block]}]});
        let request = (dialects::detect(&body).unwrap().parse)(body).unwrap();
        judge(&request, &Target::new(request.api, None))
    }

    fn reply(status: u16, error: &str) -> Observed {
        let error = (!error.is_empty()).then(|| error.to_owned());
        Observed::of(&Reply { status: Some(status), error, usage: None })
    }

    const ORPHAN: &str = "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: k1.";

    #[test]
    fn each_call_falls_into_one_cell() {
        let mut agreement = Agreement::default();
        let mut add = |orphan, status, error| agreement.add(&judged(orphan), &reply(status, error));
        assert_eq!(add(true, 400, ORPHAN), None);
        assert_eq!(add(false, 200, ""), None);
        assert_eq!(add(true, 200, ""), Some(Disagreement::Taken));
        assert_eq!(add(false, 400, ORPHAN), Some(Disagreement::Missed));
        assert_eq!(add(true, 400, "`tool_use` ids must be unique"), Some(Disagreement::OtherRule));
        assert_eq!(add(true, 429, "slow down"), None);
        assert_eq!(add(false, 400, "the kiln is cold"), None);
        assert_eq!(agreement.precision(), (2, 3));
        assert_eq!(agreement.recall(), (2, 3));
        let orphan = agreement.rules["orphan_tool_result"];
        assert_eq!(orphan, RuleCount { predicted: 3, observed: 2, both: 1, refuted: 1 });
        assert_eq!((agreement.observed(Outcome::NotStructural), agreement.observed(Outcome::Unclassified)), (1, 1));
        assert_eq!(agreement.unclassified.values().next().map(|known| known.said.as_str()), Some("the kiln is cold"));
        assert_eq!(Observed::of(&Reply::default()).outcome, Outcome::Unknown);
    }
}
