//! Findings for people, on a terminal.

use crate::judge::path;
use crate::rules::Verdict;

use super::Judged;

/// Every request with findings, and what it comes to.
pub(super) fn table(judged: &[Judged]) -> String {
    let mut text = String::new();
    for request in judged.iter().filter(|request| !request.judgement.findings.is_empty()) {
        text.push_str(&format!(
            "{}: {} ({})\n",
            request.place,
            request.judgement.verdict.as_str(),
            request.judgement.api
        ));
        for finding in &request.judgement.findings {
            let severity = finding.severity.as_str();
            text.push_str(&format!("  {severity} {} at {}: {}\n", finding.rule, path(finding), finding.say));
        }
    }
    let refused = judged.iter().filter(|request| request.judgement.verdict == Verdict::Reject).count();
    let depends = judged.iter().filter(|request| request.judgement.verdict == Verdict::Depends).count();
    text.push_str(&format!("{} requests: {refused} would be refused", judged.len()));
    if depends > 0 {
        text.push_str(&format!(", {depends} depend on the target"));
    }
    text.push('\n');
    text
}
