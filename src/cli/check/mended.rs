//! A repair for people: the edits as sentences, then the list with what went, came and changed.

use crate::model::{Message, Part};
use crate::repair::Step;
use crate::rules;

use super::Mended;
use super::drawing::{Frame, hollow, role, said};
use super::screen::{Ink, Screen};
use super::wording::section;

/// Messages shown around one that changes.
const AROUND: usize = 1;

/// Edits told one by one.
const TOLD: usize = 20;

/// The edits, what no edit is known for, and the drawing of the list.
pub(super) fn drawn(screen: &Screen, mended: Mended) -> String {
    let repair = mended.repair;
    let mut text = format!("  repair: {} after {}\n", repair.verdict.as_str(), edits(repair.edits.len()));
    for edit in repair.edits.iter().take(TOLD) {
        text.push_str(&screen.wrapped(&format!("{} at {}: {}", edit.rule, edit.path, edit.why), 4));
    }
    if repair.edits.len() > TOLD {
        text.push_str(&format!("    … and {} more\n", repair.edits.len() - TOLD));
    }
    for rule in &repair.unrepaired {
        let remedy = rules::rule(rule).and_then(|rule| section(&rule.documentation(), "Remedy")).unwrap_or_default();
        text.push_str(&screen.wrapped(&format!("no repair is known for {rule}: {remedy}"), 4));
    }
    if !repair.edits.is_empty() {
        text.push_str(&format!("\n{}", list(screen, mended)));
    }
    format!("{text}\n")
}

fn edits(n: usize) -> String {
    format!("{n} {}", if n == 1 { "edit" } else { "edits" })
}

/// Both lists at once: `-` went, `+` came, `~` changed.
fn list(screen: &Screen, mended: Mended) -> String {
    let (old, new) = (&mended.request.messages, &mended.repair.request.messages);
    let steps = mended.repair.steps(mended.request);
    let digits = old.len().max(new.len()).saturating_sub(1).to_string().len();
    let frame = Frame { screen, api: mended.request.api, digits };
    let is_same = |step: &Step| matches!(step, Step::Stays { old: from, new: to } if old[*from] == new[*to]);
    let same: Vec<bool> = steps.iter().map(is_same).collect();
    let is_near = |at: usize| same[at.saturating_sub(AROUND)..(at + AROUND + 1).min(same.len())].contains(&false);
    let (mut text, mut hidden) = (String::new(), 0);
    for (at, step) in steps.iter().enumerate() {
        if !is_near(at) {
            hidden += 1;
            continue;
        }
        text.push_str(&frame.left_out(std::mem::take(&mut hidden), "as before"));
        text.push_str(&match *step {
            Step::Stays { new: to, .. } if same[at] => whole(&frame, ' ', to, &new[to]),
            Step::Stays { old: from, new: to } => changed(&frame, to, &old[from], &new[to]),
            Step::Leaves { old: from } => whole(&frame, '-', from, &old[from]),
            Step::Comes { new: to } => whole(&frame, '+', to, &new[to]),
        });
    }
    text + &frame.left_out(hidden, "as before")
}

fn ink(mark: char) -> Ink {
    match mark {
        '-' => Ink::Bad,
        '+' => Ink::Good,
        '~' => Ink::Unsure,
        _ => Ink::Quiet,
    }
}

/// A message of which every line has one mark.
fn whole(frame: &Frame, mark: char, index: usize, message: &Message) -> String {
    let lines = message.parts.iter().map(|part| (mark, said(part))).collect();
    lines_of(frame, mark, index, message, lines)
}

/// A message that stays with other blocks, or with the same under another head.
fn changed(frame: &Frame, index: usize, old: &Message, new: &Message) -> String {
    let gone = |part: &&Part| !new.parts.contains(part);
    let mut lines: Vec<(char, String)> = old.parts.iter().filter(gone).map(|part| ('-', said(part))).collect();
    let mark = |part: &Part| if old.parts.contains(part) { ' ' } else { '+' };
    lines.extend(new.parts.iter().map(|part| (mark(part), said(part))));
    if lines.iter().all(|(mark, _)| *mark == ' ') {
        lines.iter_mut().for_each(|(mark, _)| *mark = '~');
    }
    lines_of(frame, '~', index, new, lines)
}

fn lines_of(frame: &Frame, mark: char, index: usize, message: &Message, lines: Vec<(char, String)>) -> String {
    let (mut number, mut speaker) = (index.to_string(), role(frame.api, &message.role));
    if lines.is_empty() {
        return frame.line(mark, &number, speaker, &hollow(&message.form), ink(mark));
    }
    let mut text = String::new();
    for (mark, words) in lines {
        text.push_str(&frame.line(mark, &number, speaker, &words, ink(mark)));
        (number, speaker) = (String::new(), "");
    }
    text
}
