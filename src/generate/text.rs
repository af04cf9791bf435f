//! The words of synthetic traffic: a port authority that plans berths, tugs and cranes.

use super::random::Random;

const SUBJECTS: &[&str] = &[
    "the pilot",
    "berth nine",
    "the north crane",
    "a tug crew",
    "the harbour office",
    "the tide table",
    "the bulk carrier",
    "the customs desk",
    "our night shift",
    "the fuel barge",
    "the ferry",
    "a coaster from Brume",
    "the lock keeper",
    "the weather desk",
    "the yard planner",
    "the container stack",
    "the dredger",
    "the quay team",
];
const VERBS: &[&str] = &[
    "reports",
    "waits for",
    "clears",
    "moves towards",
    "blocks",
    "asks about",
    "signs off",
    "delays",
    "confirms",
    "inspects",
    "releases",
    "schedules",
    "checks",
    "logs",
    "returns to",
    "books",
];
const OBJECTS: &[&str] = &[
    "the mooring lines",
    "a draught of eleven metres",
    "the morning slot",
    "two reefer units",
    "the gate list",
    "a swell warning",
    "the ballast figures",
    "the manifest",
    "an empty pontoon",
    "the eastern basin",
    "the crane window",
    "a permit",
    "the noon tide",
    "the safety round",
    "forty pallets",
    "the radio check",
];
const ENDS: &[&str] = &[
    "before dawn",
    "at slack water",
    "without delay",
    "after the inspection",
    "until further notice",
    "by hand",
    "for the second time",
    "as planned",
    "on the old route",
    "with one tug",
    "in light fog",
    "at half speed",
];

/// The tools of the agent.
pub const TOOLS: &[&str] =
    &["berth_plan", "tide_table", "crane_queue", "manifest_search", "tug_roster", "weather_desk"];

/// A sentence.
pub fn sentence(random: &mut Random, into: &mut String) {
    let from = into.len();
    for (index, words) in [SUBJECTS, VERBS, OBJECTS, ENDS].into_iter().enumerate() {
        if index > 0 {
            into.push(' ');
        }
        into.push_str(random.pick(words));
    }
    if let Some(first) = into.get_mut(from..from + 1) {
        first.make_ascii_uppercase();
    }
    into.push('.');
}

/// Sentences of about `tokens` tokens.
pub fn prose(random: &mut Random, tokens: u32) -> String {
    let mut text = String::new();
    let mut n = 0;
    while n == 0 || n < tokens {
        if !text.is_empty() {
            text.push(' ');
        }
        sentence(random, &mut text);
        n += 12;
    }
    text
}

/// The answer of a tool, of about `tokens` tokens: rows of a table.
pub fn rows(random: &mut Random, tokens: u32) -> String {
    let mut text = String::new();
    let mut n = 0;
    while n == 0 || n < tokens {
        let (number, metres) = (random.below(90) + 10, random.below(140));
        let (hour, minute, who) = (random.below(24), random.below(60), random.pick(SUBJECTS));
        let (whole, tenth) = (metres / 10, metres % 10);
        text.push_str(&format!("{number} | {whole}.{tenth} m | {hour:02}:{minute:02} | {who}\n"));
        n += 20;
    }
    text
}
