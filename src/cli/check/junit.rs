//! JUnit XML: a suite a file, a test case a request.
//!
//! A request that would be refused is a failure, one that cannot be judged is skipped; what only depends on the target
//! is in the output of a test that passes. A suite states its counts before its cases, so the cases of one file are kept
//! until it ends. Facts: the schema that Jenkins publishes for its JUnit reader.

use crate::judge::path;
use crate::report::chart::escaped;
use crate::rules::{Severity, Verdict};

use super::{Judged, Summary, Tell};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cutpoint check\">\n";

/// The suites, told file by file.
#[derive(Default)]
pub(super) struct Junit {
    has_begun: bool,
    suite: Suite,
}

/// The cases of one file so far.
#[derive(Default)]
struct Suite {
    source: String,
    tests: u64,
    failures: u64,
    skipped: u64,
    cases: String,
}

impl Tell for Junit {
    fn tell(&mut self, judged: &Judged) -> String {
        let mut text = String::new();
        if self.suite.tests > 0 && self.suite.source != *judged.place.source {
            text = self.close();
        }
        self.suite.add(judged);
        text
    }

    fn end(&mut self, _: &Summary) -> String {
        format!("{}</testsuites>\n", self.close())
    }
}

impl Junit {
    /// The suite so far; the next one begins empty.
    fn close(&mut self) -> String {
        let suite = std::mem::take(&mut self.suite);
        let head = if self.has_begun { "" } else { HEAD };
        self.has_begun = true;
        format!(
            "{head}  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n",
            xml(&suite.source),
            suite.tests,
            suite.failures,
            suite.skipped,
            suite.cases
        )
    }
}

impl Suite {
    fn add(&mut self, judged: &Judged) {
        self.source = judged.place.source.to_string();
        self.tests += 1;
        let verdict = judged.judgement.verdict;
        self.failures += u64::from(verdict == Verdict::Reject);
        self.skipped += u64::from(verdict == Verdict::Unverifiable);
        let (source, line) = (xml(&judged.place.source), judged.place.line);
        let begun = format!("    <testcase classname=\"{source}\" name=\"request at line {line}\"");
        self.cases.push_str(&match outcome(judged) {
            None => format!("{begun}/>\n"),
            Some(outcome) => format!("{begun}>\n{outcome}    </testcase>\n"),
        });
    }
}

/// What came of a request that has findings.
fn outcome(judged: &Judged) -> Option<String> {
    let (findings, api) = (&judged.judgement.findings, judged.judgement.api);
    let line = |finding: &crate::rules::Finding| {
        let (severity, rule) = (finding.severity.as_str(), finding.rule);
        xml(&format!("{severity} {rule} at {}: {}", path(api, finding), finding.say))
    };
    let lines = findings.iter().map(line).collect::<Vec<_>>().join("\n");
    let worst = findings.iter().find(|finding| finding.severity == Severity::Error).or(findings.first())?;
    let (rule, message) = (xml(worst.rule), xml(&worst.say));
    Some(match judged.judgement.verdict {
        Verdict::Reject => format!("      <failure type=\"{rule}\" message=\"{message}\">{lines}</failure>\n"),
        Verdict::Unverifiable => format!("      <skipped message=\"{message}\"/>\n"),
        Verdict::Accept | Verdict::Depends => format!("      <system-out>{lines}</system-out>\n"),
    })
}

/// Text that can stand anywhere in XML 1.0.
fn xml(text: &str) -> String {
    escaped(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
