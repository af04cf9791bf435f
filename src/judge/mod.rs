//! One request against one target: the verdict, the findings, and what they mean to a reader who holds no transcript.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model::{Api, Judged, Place, Request};
use crate::rules::{self, Finding, Load, Severity, Shape, Target, Verdict};
use crate::transcript::size::{COUNTERS, Counter};
use crate::transcript::{Prompt, Transcript};

mod aim;

pub use aim::{Aim, JudgedRequest};

/// What requests are counted with that may not fit their window.
pub const COUNTER: &Counter = &COUNTERS[0];

/// The judgement on a lone request, by every rule.
///
/// ```
/// use cutpoint::{dialects, judge, rules};
///
/// let body = serde_json::json!({
///     "model": "claude-opus-4-7",
///     "max_tokens": 1024,
///     "messages": [{"role": "user", "content": [
///         {"type": "tool_result", "tool_use_id": "kiln_1", "content": "1100 degrees"}]}]
/// });
/// let dialect = dialects::detect(&body).ok_or("no request of a known API")?;
/// let request = (dialect.parse)(body)?;
/// let target = rules::Target::new(request.api, request.model.as_deref());
/// let judgement = judge::judge(&request, &target);
/// assert_eq!(judgement.verdict, rules::Verdict::Reject);
/// for finding in &judgement.findings {
///     println!("{} at {}: {}", finding.rule, judge::path(request.api, finding), finding.say);
/// }
/// # Ok::<(), String>(())
/// ```
pub fn judge(request: &Request, target: &Target) -> Judgement {
    let transcript = transcript(request, target);
    Judgement::of(&transcript, transcript.messages.len() as u32, target, |_| true)
}

/// The arrays of a request that a target judges.
pub fn transcript(request: &Request, target: &Target) -> Transcript {
    Transcript::of_request_in(request, target.window(), COUNTER)
}

/// What a target would say of a request.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub api: Api,
    /// The server that it is for, if not the first party.
    pub profile: Option<&'static str>,
    pub verdict: Verdict,
    /// Where the verdict depends: what each target that is left open would say.
    pub by_target: BTreeMap<&'static str, Verdict>,
    pub findings: Vec<Finding>,
    /// How full it makes its window, where that is known.
    pub load: Option<Load>,
    /// The ids behind the numbers in the findings, finding by finding.
    pub ids: Vec<Vec<String>>,
}

impl Judgement {
    /// The judgement on the first `upto` messages of a transcript, by the findings that are wanted.
    pub fn of(transcript: &Transcript, upto: u32, target: &Target, wants: impl Fn(&Finding) -> bool) -> Judgement {
        let resident: Vec<u32> = (0..upto).collect();
        let prompt = Prompt::new(transcript, &resident);
        let mut findings = rules::check(&prompt, target);
        findings.retain(wants);
        let names =
            |finding: &Finding| finding.ids.iter().filter_map(|id| transcript.id(*id)).map(str::to_owned).collect();
        let ids = findings.iter().map(names).collect();
        let verdict = rules::verdict(&findings);
        let by_target = if verdict == Verdict::Depends { sides(&findings) } else { BTreeMap::new() };
        let load = Load::of(&prompt, target);
        let profile = target.profile.map(|profile| profile.id);
        Judgement { api: transcript.api, profile, verdict, by_target, findings, load, ids }
    }

    /// What several targets, one of which the request is for, say together; the first of them where they agree.
    fn agreed(mut each: Vec<Judgement>) -> Judgement {
        let first = each.first().map(|judgement| judgement.verdict);
        if each.len() < 2 || each.iter().all(|judgement| Some(judgement.verdict) == first) {
            return each.swap_remove(0);
        }
        let name = |judgement: &Judgement| judgement.profile.unwrap_or("first party");
        let by_target = each.iter().map(|judgement| (name(judgement), judgement.verdict)).collect();
        let is_open = each.iter().any(|judgement| judgement.verdict == Verdict::Unverifiable);
        let mut together = Judgement {
            verdict: if is_open { Verdict::Unverifiable } else { Verdict::Depends },
            by_target,
            findings: Vec::new(),
            ids: Vec::new(),
            ..each[0].clone()
        };
        let n = each.len();
        let said = |rule, message, block| {
            let here = move |other: &&Judgement| {
                let mut errors = other.findings.iter().filter(|finding| finding.severity == Severity::Error);
                errors.any(|finding| (finding.rule, finding.message, finding.block) == (rule, message, block))
            };
            each.iter().filter(here).count()
        };
        for (finding, ids) in each.iter().flat_map(|judgement| judgement.findings.iter().zip(&judgement.ids)) {
            let place = |known: &Finding| (known.rule, known.message, known.block);
            if together.findings.iter().any(|known| place(known) == place(finding)) {
                continue;
            }
            let by_all = said(finding.rule, finding.message, finding.block) == n;
            let severity = if by_all { finding.severity } else { finding.severity.min(Severity::Warning) };
            together.findings.push(Finding { severity, ..finding.clone() });
            together.ids.push(ids.clone());
        }
        together
    }

    /// The verdict with the rule that decides it.
    pub fn decided(&self) -> Judged {
        let decides = |finding: &&Finding| match self.verdict {
            Verdict::Accept => false,
            Verdict::Unverifiable => rules::rule(finding.rule).is_some_and(|rule| rule.hides),
            Verdict::Reject => finding.severity == Severity::Error,
            Verdict::Depends => finding.severity == Severity::Warning,
        };
        Judged { verdict: self.verdict, rule: self.findings.iter().find(decides).map(|finding| finding.rule) }
    }

    /// As the command line and the service write it, with the place where the request stands.
    pub fn to_json_at(&self, place: &Place) -> Value {
        let mut fields = json!({ "source": &*place.source, "line": place.line });
        if let (Value::Object(fields), Value::Object(said)) = (&mut fields, self.to_json()) {
            fields.extend(said);
        }
        fields
    }

    /// As the command line and the service write it.
    pub fn to_json(&self) -> Value {
        let findings = self.findings.iter().zip(&self.ids).map(|(finding, ids)| {
            let mut said = json!({
                "rule": finding.rule,
                "severity": finding.severity.as_str(),
                "message_index": finding.message,
                "block_index": finding.block,
                "ids": ids,
                "shape": finding.shape.map(Shape::as_str),
                "path": path(self.api, finding),
                "message": finding.say,
            });
            if finding.rule == rules::OVERFLOW {
                self.put_load(&mut said);
            }
            said
        });
        let by_target: BTreeMap<_, _> =
            self.by_target.iter().map(|(target, verdict)| (*target, verdict.as_str())).collect();
        let mut said = json!({
            "api": self.api.id(),
            "profile": self.profile,
            "verdict": self.verdict.as_str(),
            "by_target": by_target,
            "findings": findings.collect::<Vec<_>>(),
        });
        self.put_load(&mut said);
        said
    }

    /// Adds how full the request makes its window.
    fn put_load(&self, said: &mut Value) {
        let Some(Load { total, window, is_exact }) = self.load else { return };
        // Of what surely fits only a bound is known.
        if !is_exact && total <= window {
            return;
        }
        said["total"] = total.into();
        said["window"] = window.into();
        said["counter"] = if is_exact { "log" } else { COUNTER.id }.into();
        match total.checked_sub(window) {
            Some(over) if over > 0 => said["over_by"] = over.into(),
            _ => said["headroom"] = (window - total).into(),
        }
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

/// The member of an OpenAI Chat message at which its provider points for a rule.
const CHAT_MEMBERS: &[(&str, &str)] = &[
    ("missing_tool_call_id", "tool_call_id"),
    ("orphan_tool_result", "role"),
    ("system_role_not_supported", "role"),
    ("unknown_role", "role"),
];

/// Where a finding stands, as the API's provider writes it: `messages.2.content.0` for Anthropic and Converse,
/// `messages.[2].role` for Chat, `input[2]` for Responses, `contents[2].parts[0]` for Gemini.
pub fn path(api: Api, finding: &Finding) -> String {
    path_at(api, finding.rule, finding.message, finding.block)
}

/// Where a rule points that is broken there.
pub fn path_at(api: Api, rule: &str, message: Option<u32>, block: Option<u32>) -> String {
    let Some(message) = message else { return "the request".to_owned() };
    let block = |before: &str, behind: &str| match block {
        Some(block) => format!("{before}{block}{behind}"),
        None => String::new(),
    };
    match api {
        Api::AnthropicMessages | Api::BedrockConverse => format!("messages.{message}{}", block(".content.", "")),
        Api::OpenaiChat | Api::MistralChat => match CHAT_MEMBERS.iter().find(|(broken, _)| *broken == rule) {
            Some((_, member)) => format!("messages.[{message}].{member}"),
            None => format!("messages.[{message}]"),
        },
        Api::OpenaiResponses => format!("input[{message}]"),
        Api::GeminiGenerateContent => format!("contents[{message}]{}", block(".parts[", "]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(api: Api, message: Option<u32>, block: Option<u32>, expected: &str) {
        let (rule, severity, say) = ("orphan_tool_result", Severity::Error, String::new());
        let finding = Finding { rule, severity, message, block, ids: Vec::new(), say, shape: None };
        assert_eq!(path(api, &finding), expected);
    }

    #[test]
    fn a_place_is_written_as_its_provider_writes_it() {
        check(Api::AnthropicMessages, Some(2), Some(0), "messages.2.content.0");
        check(Api::BedrockConverse, Some(2), None, "messages.2");
        check(Api::OpenaiChat, Some(2), None, "messages.[2].role");
        check(Api::OpenaiResponses, Some(3), None, "input[3]");
        check(Api::GeminiGenerateContent, Some(2), Some(0), "contents[2].parts[0]");
        check(Api::GeminiGenerateContent, None, None, "the request");
    }
}
