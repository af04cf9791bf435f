//! Predicted against observed, for people and for programs: the matrix, rule by rule, and where the two disagree.

use serde_json::{Value, json};

use crate::agreement::{Agreement, Disagreement, Observed, Outcome, RuleCount};
use crate::metrics::{Estimate, Unit};
use crate::model::Reply;
use crate::report::text::{UNKNOWN, grouped, with_interval};
use crate::rules::{Finding, Severity, Verdict};

use super::screen::{Screen, fit};
use super::table::LONGEST_PLACE;
use super::{Judged, Summary, Tell};

/// How many disagreements a table lists, unless all are wanted.
const LISTED: u64 = 20;

/// The longest piece of an error that a table quotes.
const QUOTED: usize = 300;

/// Counts, and a line for each disagreement as it is found.
pub(super) struct Table {
    counts: Counts,
    screen: Screen,
    all: bool,
}

/// One document, a disagreement a line.
#[derive(Default)]
pub(super) struct Json {
    counts: Counts,
    has_begun: bool,
}

#[derive(Default)]
struct Counts {
    agreement: Agreement,
    n_disagreements: u64,
}

impl Counts {
    fn add(&mut self, judged: &Judged) -> Option<(Disagreement, Observed)> {
        let observed = Observed::of(judged.reply.unwrap_or(&Reply::default()));
        let disagreement = self.agreement.add(judged.judgement, &observed)?;
        self.n_disagreements += 1;
        Some((disagreement, observed))
    }
}

impl Table {
    /// A table that lists every disagreement, or the first.
    pub fn new(screen: Screen, all: bool) -> Table {
        Table { counts: Counts::default(), screen, all }
    }
}

impl Tell for Table {
    fn tell(&mut self, judged: &Judged) -> String {
        let Some((disagreement, observed)) = self.counts.add(judged) else { return String::new() };
        if !self.all && self.counts.n_disagreements > LISTED {
            return String::new();
        }
        let mut text = format!("{}: {}\n", fit(&judged.place.to_string(), LONGEST_PLACE), words(disagreement));
        text.push_str(&self.screen.wrapped(&format!("predicted: {}", predicted(judged)), 4));
        let said = observed.refusal.map_or_else(|| "taken".to_owned(), |refusal| fit(&refusal.said, QUOTED));
        text.push_str(&self.screen.wrapped(&format!("observed: {said}"), 4));
        text.push('\n');
        text
    }

    fn end(&mut self, _: &Summary) -> String {
        let mut text = String::new();
        if !self.all && self.counts.n_disagreements > LISTED {
            let more = grouped(self.counts.n_disagreements - LISTED);
            text.push_str(&format!("… and {more} more disagreements; --all lists every one\n\n"));
        }
        text.push_str(&laid_out(&matrix(&self.counts.agreement)));
        let rules = rules(&self.counts.agreement);
        if rules.len() > 1 {
            text.push_str(&format!("\n{}", laid_out(&rules)));
        }
        if !self.counts.agreement.unclassified.is_empty() {
            text.push('\n');
        }
        for (fingerprint, known) in &self.counts.agreement.unclassified {
            let said = fit(&known.said, QUOTED);
            text.push_str(
                &self.screen.wrapped(&format!("unclassified {fingerprint}, {}: {said}", grouped(known.calls)), 0),
            );
        }
        text.push_str(&format!("\n{}\n", shares(&self.counts.agreement, self.counts.n_disagreements)));
        text
    }

    fn has_failed(&self, _: &Summary) -> bool {
        self.counts.n_disagreements > 0
    }
}

impl Tell for Json {
    fn tell(&mut self, judged: &Judged) -> String {
        let Some((disagreement, observed)) = self.counts.add(judged) else { return String::new() };
        let line = json!({
            "source": &*judged.place.source,
            "line": judged.place.line,
            "kind": disagreement.as_str(),
            "predicted": judged.judgement.verdict.as_str(),
            "rules": errors(judged).map(|finding| finding.rule).collect::<Vec<_>>(),
            "observed": observed.refusal.map(|refusal| refusal.to_json()),
        });
        format!("{}{line}", self.before())
    }

    fn end(&mut self, _: &Summary) -> String {
        let before = if self.has_begun { "" } else { HEAD };
        format!("{before}\n],\n{}\n", &self.counts.to_json().to_string()[1..])
    }

    fn has_failed(&self, _: &Summary) -> bool {
        self.counts.n_disagreements > 0
    }
}

const HEAD: &str = "{\"schema_version\":1,\"disagreements\":[";

impl Json {
    fn before(&mut self) -> String {
        let before = if self.has_begun { ",\n".to_owned() } else { format!("{HEAD}\n") };
        self.has_begun = true;
        before
    }
}

impl Counts {
    fn to_json(&self) -> Value {
        let agreement = &self.agreement;
        let matrix: Value = Verdict::ALL.iter().map(|verdict| (verdict.as_str(), row(agreement, *verdict))).collect();
        let rules: Value = agreement.rules.iter().map(|(rule, count)| (*rule, of_rule(count))).collect();
        let unclassified = agreement.unclassified.iter().map(
            |(fingerprint, known)| json!({ "fingerprint": fingerprint, "calls": known.calls, "said": known.said }),
        );
        json!({
            "disagreements_total": self.n_disagreements,
            "matrix": matrix,
            "precision": interval(&share(agreement.precision())),
            "recall": interval(&share(agreement.recall())),
            "rules": rules,
            "unclassified": unclassified.collect::<Vec<_>>(),
        })
    }
}

fn of_rule(count: &RuleCount) -> Value {
    json!({
        "predicted": count.predicted,
        "observed": count.observed,
        "both": count.both,
        "refuted": count.refuted,
        "precision": interval(&share(count.precision())),
        "recall": interval(&share(count.recall())),
    })
}

fn row(agreement: &Agreement, verdict: Verdict) -> Value {
    Outcome::ALL.iter().map(|outcome| (outcome.as_str(), agreement.count(verdict, *outcome))).collect()
}

fn interval(estimate: &Estimate) -> Value {
    json!({ "value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n })
}

/// A share with its interval.
fn share((hits, n): (u64, u64)) -> Estimate {
    Estimate::rate(hits, n)
}

fn words(disagreement: Disagreement) -> &'static str {
    match disagreement {
        Disagreement::Taken => "predicted to be refused, and taken",
        Disagreement::Missed => "predicted to be taken, and refused",
        Disagreement::OtherRule => "refused as predicted, but by another rule",
    }
}

fn errors<'j>(judged: &'j Judged) -> impl Iterator<Item = &'j Finding> {
    judged.judgement.findings.iter().filter(|finding| finding.severity == Severity::Error)
}

fn predicted(judged: &Judged) -> String {
    let verdict = judged.judgement.verdict.as_str();
    let rules: Vec<String> = errors(judged).map(|finding| format!("{} ({})", finding.rule, finding.say)).collect();
    if rules.is_empty() { verdict.to_owned() } else { format!("{verdict} by {}", rules.join("; ")) }
}

/// Verdicts against outcomes.
fn matrix(agreement: &Agreement) -> Vec<Vec<String>> {
    let heads = ["accepted", "refused", "overflow", "not structural", "unclassified", "no outcome"];
    let mut rows = vec![["predicted \\ observed"].into_iter().chain(heads).map(str::to_owned).collect::<Vec<_>>()];
    for verdict in Verdict::ALL {
        let counts = Outcome::ALL.iter().map(|outcome| grouped(agreement.count(*verdict, *outcome)));
        rows.push([verdict.as_str().to_owned()].into_iter().chain(counts).collect());
    }
    rows
}

fn rules(agreement: &Agreement) -> Vec<Vec<String>> {
    let heads = ["rule", "predicted", "observed", "both", "refuted", "precision", "recall"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (rule, count) in &agreement.rules {
        let counts = [count.predicted, count.observed, count.both, count.refuted].map(grouped);
        let shares = [count.precision(), count.recall()].map(|of| with_interval(&share(of), Unit::Share));
        rows.push([rule.to_string()].into_iter().chain(counts).chain(shares).collect());
    }
    rows
}

/// Columns under their heads, the first to the left and the others to the right.
fn laid_out(rows: &[Vec<String>]) -> String {
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(wide).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 => format!("{cell:width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// What it comes to, in one line.
fn shares(agreement: &Agreement, n_disagreements: u64) -> String {
    let told = |of: (u64, u64)| match of.1 {
        0 => UNKNOWN.to_owned(),
        _ => format!("{} ({} of {})", with_interval(&share(of), Unit::Share), grouped(of.0), grouped(of.1)),
    };
    let (precision, recall) = (told(agreement.precision()), told(agreement.recall()));
    format!("refusals: precision {precision}, recall {recall}; {} disagreements", grouped(n_disagreements))
}
