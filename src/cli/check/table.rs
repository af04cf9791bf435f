//! Findings for people: the messages around each, the provider's words, the remedy, and what it all comes to.
//!
//! A fault that runs through a log is drawn a few times and then counted, and what changes no verdict is only counted.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::path;
use crate::model::Api;
use crate::report::text::grouped;
use crate::rules::{self, Finding, Severity, Verdict};

use super::drawing::{Fault, around};
use super::screen::{Ink, Screen, fit};
use super::wording::answer;
use super::{Judged, Summary, Tell, mended};

/// How often each rule is drawn.
const DRAWN: u64 = 3;

/// The most columns of a file's name: it is not shortened to the terminal, so that it can be copied.
pub(super) const LONGEST_PLACE: usize = 1_000;

/// Requests as they are judged, then the counts.
pub(super) struct Table {
    screen: Screen,
    all: bool,
    /// Findings that were not drawn, by rule.
    hidden: BTreeMap<&'static str, u64>,
    /// Findings that were, by rule.
    drawn: BTreeMap<&'static str, u64>,
    /// Rules whose remedy stands above, by API.
    explained: BTreeSet<(&'static str, Api)>,
    /// Refused requests for which a repair was looked for, and those for which one was found.
    refused: u64,
    mended: u64,
}

impl Table {
    /// A table that draws every finding, or the first of each rule.
    pub fn new(screen: Screen, all: bool) -> Table {
        Table {
            screen,
            all,
            hidden: BTreeMap::new(),
            drawn: BTreeMap::new(),
            explained: BTreeSet::new(),
            refused: 0,
            mended: 0,
        }
    }

    /// Counts a finding; whether it is drawn.
    fn is_drawn(&mut self, finding: &Finding) -> bool {
        let hides = rules::rule(finding.rule).is_some_and(|rule| rule.hides);
        let decides = finding.severity != Severity::Info || hides;
        let drawn = self.drawn.entry(finding.rule).or_default();
        let is_drawn = self.all || (decides && *drawn < DRAWN);
        let count = if is_drawn { drawn } else { self.hidden.entry(finding.rule).or_default() };
        *count += 1;
        is_drawn
    }

    /// The provider's words and the remedy, for each rule when it is met first.
    fn explanation(&mut self, judged: &Judged, findings: &[&Finding]) -> String {
        let api = judged.judgement.api;
        let mut text = String::new();
        for rule in findings.iter().filter_map(|finding| rules::rule(finding.rule)) {
            if !self.explained.insert((rule.id, api)) {
                continue;
            }
            if let Some(answer) = answer(rule, api) {
                text.push_str(&self.screen.wrapped(&format!("provider: \"{answer}\""), 4));
            }
            if let Some(remedy) = rule.section("Remedy") {
                text.push_str(&self.screen.wrapped(&format!("remedy: {remedy}"), 4));
            }
        }
        if text.is_empty() { text } else { format!("\n{text}") }
    }
}

impl Tell for Table {
    fn tell(&mut self, judged: &Judged) -> String {
        if let Some(mended) = judged.mended {
            self.refused += 1;
            self.mended += u64::from(mended.repair.is_complete());
        }
        let findings: Vec<&Finding> =
            judged.judgement.findings.iter().filter(|finding| self.is_drawn(finding)).collect();
        if findings.is_empty() {
            return String::new();
        }
        let mut text = heading(&self.screen, judged);
        // Findings come in the order of their places: those on one message share a drawing.
        for group in findings.chunk_by(|a, b| a.message == b.message && a.block == b.block) {
            text.push_str(&drawn(&self.screen, judged, group));
            text.push_str(&self.explanation(judged, group));
            text.push('\n');
        }
        text.push_str(&sides(&self.screen, judged));
        text.push_str(&judged.mended.map(|mended| mended::drawn(&self.screen, mended)).unwrap_or_default());
        text
    }

    fn end(&mut self, summary: &Summary) -> String {
        let mut text = String::new();
        for (rule, hidden) in &self.hidden {
            text.push_str(&format!("{rule}: … and {} more; --all shows every one\n", grouped(*hidden)));
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}\n", summary.line()));
        for line in summary.rules() {
            text.push_str(&self.screen.wrapped(&line, 2));
        }
        if self.refused > 0 {
            let (mended, refused) = (grouped(self.mended), grouped(self.refused));
            text.push_str(&format!("repaired: {mended} of {refused} that would be refused\n"));
        }
        text
    }
}

/// What each target that the request leaves open would say, where the verdict depends.
fn sides(screen: &Screen, judged: &Judged) -> String {
    let sides = judged.judgement.by_target.iter();
    let lines: String =
        sides.map(|(target, verdict)| screen.wrapped(&format!("{target}: {}", verdict.as_str()), 2)).collect();
    if lines.is_empty() { lines } else { format!("{lines}\n") }
}

/// Which request it is, the verdict on it, and whose language it is in.
fn heading(screen: &Screen, judged: &Judged) -> String {
    let verdict = judged.judgement.verdict;
    let ink = match verdict {
        Verdict::Reject => Ink::Bad,
        Verdict::Depends | Verdict::Unverifiable => Ink::Unsure,
        Verdict::Accept => Ink::Plain,
    };
    let model = judged.model.map(|model| format!(", {}", fit(model, 40))).unwrap_or_default();
    let server = judged.judgement.profile.map(|id| format!(", at {id}")).unwrap_or_default();
    let place = fit(&judged.place.to_string(), LONGEST_PLACE);
    format!(
        "{}: {} ({}{model}{server})\n",
        screen.paint(Ink::Strong, &place),
        screen.paint(ink, verdict.as_str()),
        judged.judgement.api
    )
}

/// The findings at one place, with the messages around it.
fn drawn(screen: &Screen, judged: &Judged, findings: &[&Finding]) -> String {
    let api = judged.judgement.api;
    let mut text = String::new();
    for finding in findings {
        let ink = if finding.severity == Severity::Error { Ink::Bad } else { Ink::Unsure };
        let severity = screen.paint(ink, finding.severity.as_str());
        let rule = screen.paint(Ink::Strong, finding.rule);
        text.push_str(&format!("  {severity} {rule} at {}\n", path(api, finding)));
        text.push_str(&screen.wrapped(&finding.say, 4));
    }
    if let Some((message, block)) = findings.first().and_then(|first| Some((first.message?, first.block))) {
        let fault = Fault { message: message as usize, block: block.map(|block| block as usize) };
        text.push_str(&format!("\n{}", around(screen, api, judged.messages, fault)));
    }
    text
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;
    use crate::dialects;
    use crate::judge::{COUNTER, Judgement};
    use crate::model::Place;
    use crate::rules::Target;
    use crate::transcript::Transcript;

    /// What the table says of that many requests with one body, by the rules of lost calls and results.
    fn table(width: usize, all: bool, body: serde_json::Value, times: u32) -> String {
        let mut table = Table::new(Screen { width, coloured: false }, all);
        let mut summary = Summary::default();
        let request = (dialects::detect(&body).unwrap().parse)(body).unwrap();
        let transcript = Transcript::of_request(&request, COUNTER);
        let target = Target::new(request.api, request.model.as_deref());
        let wants = |finding: &Finding| ["orphan_tool_result", "unanswered_tool_call"].contains(&finding.rule);
        let judgement = Judgement::of(&transcript, request.messages.len() as u32, &target, wants);
        let mut text = String::new();
        for line in 1..=times {
            let place = Place { source: "calls.jsonl".into(), line };
            let model = request.model.as_deref();
            summary.add(request.api, &judgement);
            let messages = &request.messages;
            let judgement = &judgement;
            text += &table.tell(&Judged { place: &place, model, messages, judgement, reply: None, mended: None });
        }
        text + &table.end(&summary)
    }

    fn orphan() -> serde_json::Value {
        json!({"model": "claude-opus-4-7", "max_tokens": 100, "messages": [
            {"role": "user", "content": "Fire the kiln.\n\nSlowly, please: last time the glaze crawled and the \u{1b}[31mshelf cracked."},
            {"role": "assistant", "content": [
                {"type": "text", "text": "So."},
                {"type": "tool_use", "id": "kiln_1", "name": "kiln", "input": {"to": 1100}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "kiln_1", "content": "1100 degrees"},
                {"type": "tool_result", "tool_use_id": "kiln_0", "content": [{"type": "text", "text": "窯は冷たい"}]}]},
            {"role": "assistant", "content": "Hot."},
            {"role": "user", "content": "Good."},
            {"role": "assistant", "content": "Indeed."},
            {"role": "user", "content": "And now?"}]})
    }

    #[test]
    fn a_fault_is_drawn_among_its_neighbours() {
        assert_snapshot!(table(80, false, orphan(), 1), @r#"
        calls.jsonl:1: reject (anthropic.messages, claude-opus-4-7)
          error orphan_tool_result at messages.2.content.1
            tool result `kiln_0` answers no call of the message before it, as its
            neighbours do: drop the result, or keep the message with its call

              0  user       "Fire the kiln. Slowly, please: last time the glaze crawled…
              1  assistant  "So."
                            tool use kiln_1 kiln({"to":1100})
              2  user       tool result kiln_1 "1100 degrees"
            >               tool result kiln_0 "窯は冷たい"
              3  assistant  "Hot."
              4  user       "Good."
              …             2 messages behind

            provider: "unexpected `tool_use_id` found in `tool_result` blocks: ID. Each
            `tool_result` block must have a corresponding `tool_use` block in the
            previous message"
            remedy: Cut before the assistant message that calls, never between it and
            its results; or drop the result as well.

        1 request: 1 would be refused
          orphan_tool_result (error): 1 in 1 request
        "#);
    }

    #[test]
    fn a_fault_of_every_request_is_drawn_a_few_times_and_counted() {
        let text = table(60, false, orphan(), 315);
        assert_eq!(text.matches("error orphan_tool_result at").count(), DRAWN as usize);
        assert!(text.contains("orphan_tool_result: … and 312 more; --all shows every one\n"), "{text}");
        assert!(text.contains("315 requests: 315 would be refused\n"), "{text}");
        assert!(text.lines().all(|line| super::super::screen::columns(line) <= 60), "{text}");
        let all = table(60, true, orphan(), 315);
        assert_eq!(all.matches("error orphan_tool_result at").count(), 315);
    }

    #[test]
    fn a_chat_request_is_answered_in_the_words_of_its_own_provider() {
        let body = json!({"model": "gpt-4.1", "messages": [
            {"role": "user", "content": "tide?"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{\"at\": \"noon\"}"}}]},
            {"role": "user", "content": "well?"}]});
        assert_snapshot!(table(60, false, body, 1), @r#"
        calls.jsonl:1: reject (openai.chat, gpt-4.1)
          error unanswered_tool_call at messages.[1]
            tool call `c1` has no result: answer it right behind
            this message, or drop the call

              0  user       "tide?"
            > 1  assistant  tool use c1 tide({"at": "noon"})
              2  user       "well?"

            provider: "An assistant message with 'tool_calls' must
            be followed by tool messages responding to each
            'tool_call_id'. The following tool_call_ids did not have
            response messages: ID"
            remedy: Answer each open call with a result that says it
            failed or was cancelled, before anything else is said;
            or drop the call.

        1 request: 1 would be refused
          unanswered_tool_call (error): 1 in 1 request
        "#);
    }
}
