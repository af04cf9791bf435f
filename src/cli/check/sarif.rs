//! SARIF 2.1.0, for code scanning: every rule with its help, every finding as a result.
//!
//! The rules are the whole table, so they can stand before the first result and results are written as they come. A
//! result has its file and line, unless it came by standard input, and its place in the request as a logical location.
//! Facts: the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".

use serde_json::{Map, Value, json};

use crate::judge::path;
use crate::model::Place;
use crate::rules::{Finding, RULES, Rule, Severity};

use super::{Judged, Summary, Tell};

/// One run with its results.
#[derive(Default)]
pub(super) struct Sarif {
    has_begun: bool,
    has_result: bool,
}

impl Tell for Sarif {
    fn tell(&mut self, judged: &Judged) -> String {
        let mut text = String::new();
        if !self.has_begun {
            text.push_str(&head());
            self.has_begun = true;
        }
        for finding in &judged.judgement.findings {
            text.push_str(if self.has_result { ",\n" } else { "\n" });
            text.push_str(&result(judged, finding).to_string());
            self.has_result = true;
        }
        text
    }

    fn end(&mut self, _: &Summary) -> String {
        "\n]}]}\n".to_owned()
    }
}

/// The document up to its results.
fn head() -> String {
    let rules: Vec<Value> = RULES.iter().map(rule).collect();
    let tool = json!({ "driver": { "name": "cutpoint", "version": env!("CARGO_PKG_VERSION"), "rules": rules } });
    let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
    format!(
        "{{\"$schema\":\"{schema}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{tool},\
         \"columnKind\":\"unicodeCodePoints\",\"results\":["
    )
}

fn rule(rule: &Rule) -> Value {
    let documentation = rule.documentation();
    let remedy = rule.section("Remedy").unwrap_or_default();
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.about },
        "fullDescription": { "text": rule.section("Finds").unwrap_or_else(|| rule.about.to_owned()) },
        "help": { "text": remedy, "markdown": documentation },
    })
}

fn result(judged: &Judged, finding: &Finding) -> Value {
    let judgement = judged.judgement;
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let mut location = Map::new();
    if let Some(physical) = physical(judged.place) {
        location.insert("physicalLocation".to_owned(), physical);
    }
    if finding.message.is_some() {
        let name = json!([{ "fullyQualifiedName": path(judgement.api, finding) }]);
        location.insert("logicalLocations".to_owned(), name);
    }
    let locations: Vec<Map<String, Value>> = [location].into_iter().filter(|location| !location.is_empty()).collect();
    json!({
        "ruleId": finding.rule,
        "ruleIndex": RULES.iter().position(|rule| rule.id == finding.rule),
        "level": level,
        "message": { "text": finding.say },
        "locations": locations,
        "properties": { "api": judgement.api.id(), "verdict": judgement.verdict.as_str() },
    })
}

/// File and line; nothing for standard input, no line where the whole file is meant.
fn physical(place: &Place) -> Option<Value> {
    if &*place.source == "-" {
        return None;
    }
    let mut physical = json!({ "artifactLocation": { "uri": uri(&place.source) } });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
    }
    Some(physical)
}

/// A path as a URI: relative ones stay so, and what a URI reserves is escaped.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri("./logs/a b:1.jsonl"), "logs/a%20b%3A1.jsonl");
        assert_eq!(uri("/tmp/ä.json"), "file:///tmp/%C3%A4.json");
    }
}
