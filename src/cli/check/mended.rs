//! A repair for people: the edits as sentences, then the list with what went, came and changed.

use crate::model::{Message, Part};
use crate::repair::Step;
use crate::rules;

use super::Mended;
use super::drawing::{Frame, hollow, role, said};
use super::screen::{Ink, Screen};

/// Messages shown around one that changes.
const AROUND: usize = 1;

/// Edits told one by one.
const TOLD: usize = 20;

/// The edits, what no edit is known for, and the drawing of the list.
pub(super) fn drawn(screen: &Screen, mended: Mended) -> String {
    let repair = mended.repair;
    let mut text = match repair.edits.len() {
        0 => "  repair: none\n".to_owned(),
        1 => format!("  repair: {} after 1 edit\n", repair.verdict.as_str()),
        n => format!("  repair: {} after {n} edits\n", repair.verdict.as_str()),
    };
    for edit in repair.edits.iter().take(TOLD) {
        text.push_str(&screen.wrapped(&format!("{} at {}: {}", edit.rule, edit.path, edit.why), 4));
    }
    if repair.edits.len() > TOLD {
        text.push_str(&format!("    … and {} more\n", repair.edits.len() - TOLD));
    }
    for rule in &repair.unrepaired {
        let remedy = rules::rule(rule).and_then(|rule| rule.section("Remedy")).unwrap_or_default();
        text.push_str(&screen.wrapped(&format!("no repair is known for {rule}: {remedy}"), 4));
    }
    if !repair.edits.is_empty() {
        text.push_str(&format!("\n{}", list(screen, mended)));
    }
    format!("{text}\n")
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
    let lines: Vec<String> = message.parts.iter().map(said).collect();
    let lines = if lines.is_empty() { vec![hollow(&message.form)] } else { lines };
    let mut text = String::new();
    for (at, words) in lines.iter().enumerate() {
        let (number, speaker) =
            if at == 0 { (index.to_string(), role(frame.api, &message.role)) } else { Default::default() };
        text.push_str(&frame.line(mark, &number, speaker, words, ink(mark)));
    }
    text
}

/// A message that stays: with blocks that went and came, or with the same ones under another head.
fn changed(frame: &Frame, index: usize, old: &Message, new: &Message) -> String {
    let gone: Vec<&Part> = old.parts.iter().filter(|part| !new.parts.contains(part)).collect();
    let is_new = |part: &Part| !old.parts.contains(part);
    if gone.is_empty() && !new.parts.iter().any(is_new) {
        return whole(frame, '~', index, new);
    }
    let head = frame.line('~', &index.to_string(), role(frame.api, &new.role), "", ink('~'));
    let went = gone.into_iter().map(|part| ('-', part));
    let lines = went.chain(new.parts.iter().map(|part| (if is_new(part) { '+' } else { ' ' }, part)));
    let lines = lines.map(|(mark, part)| frame.line(mark, "", "", &said(part), ink(mark)));
    head + &lines.collect::<String>()
}
