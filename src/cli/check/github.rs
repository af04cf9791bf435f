//! Workflow commands of GitHub Actions: each finding becomes an annotation at its file and line.
//!
//! Facts: the vendor's "Workflow commands for GitHub Actions" and the escapes of `@actions/core`.

use crate::judge::path;
use crate::model::Place;
use crate::rules::{Finding, Severity};

use super::{Judged, Summary, Tell};

/// One command a finding, and the summary as plain text.
pub(super) struct Github;

impl Tell for Github {
    fn tell(&mut self, judged: &Judged) -> String {
        judged.judgement.findings.iter().map(|finding| command(judged, finding)).collect()
    }

    fn end(&mut self, summary: &Summary) -> String {
        format!("{}\n", summary.line())
    }
}

fn command(judged: &Judged, finding: &Finding) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let text = format!("{}: {}", path(judged.judgement.api, finding), finding.say);
    format!("::{kind} {}title={}::{}\n", place(judged.place), property(finding.rule), data(&text))
}

/// The properties that say where: none for standard input, no line where the whole file is meant.
fn place(place: &Place) -> String {
    let file = property(&place.source);
    match (&*place.source, place.line) {
        ("-", _) => String::new(),
        (_, 0) => format!("file={file},"),
        (_, line) => format!("file={file},line={line},"),
    }
}

/// Text as a command carries it; what else could act on a terminal is shown as unknown.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    text.replace(char::is_control, "\u{fffd}")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        let hostile = Place { source: "a,b::c%\n.json".into(), line: 3 };
        assert_eq!(place(&hostile), "file=a%2Cb%3A%3Ac%25%0A.json,line=3,");
        assert_eq!(data("50 %\r\n::error::x"), "50 %25%0D%0A::error::x");
        assert_eq!(data("k\u{1b}[2J"), "k\u{fffd}[2J");
        assert_eq!(place(&Place { source: "-".into(), line: 1 }), "");
    }
}
