//! Calls x cells per second of the replay, on one core: sessions of 60 calls under a grid of 20 cells.
//!
//! `grid` plays prepared sessions (and `grid and bootstrap` draws the replicates of their intervals), `prepare` makes them ready (arrays, baseline verdicts, columns), `rules` asks the
//! policy and judges every prompt by the full rules: what the fast path saves.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::cell::{Cell, Grid};
use cutpoint::metrics::Resample;
use cutpoint::model::{Api, Arguments, Body, Fields, Form, Message, Part, Place, Preface, Role, Session, SessionCall};
use cutpoint::model::{ToolResult, ToolUse, ToolUseKind};
use cutpoint::outcome::Tally;
use cutpoint::replay::{Player, Subject};
use cutpoint::stats::bucket_of;
use cutpoint::transcript::Transcript;
use cutpoint::transcript::size::Counter;

/// Sessions of one round of the benchmark.
const SESSIONS: u64 = 1_000;
const CALLS: u32 = 60;

/// Texts of the benchmark state their own size.
const STATED: Counter = Counter {
    id: "stated",
    about: "the number that the text is",
    units: |text| text.parse().unwrap_or(0),
    per_token: 1,
};

/// A small generator of pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

fn message(role: Role, form: Form, body: Body) -> Message {
    Message { role, form, parts: vec![Part { body, extra: Fields::new() }], extra: Fields::new() }
}

fn text(role: Role, tokens: u64) -> Message {
    message(role, Form::Text, Body::Text(tokens.to_string()))
}

fn session(seed: u64) -> Session {
    let mut random = Random(seed);
    let mut messages = vec![text(Role::System, 1_500), text(Role::User, 200)];
    let mut calls = Vec::new();
    for number in 0..CALLS {
        calls.push(SessionCall { upto: messages.len() as u32, ..SessionCall::default() });
        if random.below(4) == 0 {
            messages.push(text(Role::Assistant, 100 + random.below(400)));
            messages.push(text(Role::User, 20 + random.below(300)));
            continue;
        }
        let id = Some(format!("call_{number}"));
        let arguments = Arguments::Text("40".to_owned());
        let call = ToolUse { kind: ToolUseKind::Client, id: id.clone(), name: "search".to_owned(), arguments };
        messages.push(message(Role::Assistant, Form::Null, Body::ToolUse(call)));
        let size = (50 + random.below(400)) << random.below(4);
        let content = vec![Part { body: Body::Text(size.to_string()), extra: Fields::new() }];
        let result = ToolResult { id, form: Form::Text, content, is_error: false };
        messages.push(message(Role::Tool, Form::Text, Body::ToolResult(result)));
    }
    Session {
        id: format!("s{seed}"),
        parent: None,
        place: Place { source: "bench".into(), line: 0 },
        api: Api::OpenaiChat,
        model: None,
        prefaces: vec![(Preface::default(), None)],
        envelopes: Vec::new(),
        messages,
        calls,
        compactions: Vec::new(),
    }
}

/// Five policies, two triggers, two targets, one window, one mode.
fn cells() -> Vec<Cell> {
    let parse = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("a policy of the table")).collect();
    let grid = Grid {
        windows: vec!["32000".parse().expect("a window")],
        triggers: ["70%", "90%"].iter().map(|text| text.parse().expect("a share")).collect(),
        targets: ["trigger", "50%"].iter().map(|text| text.parse().expect("a target")).collect(),
        policies: parse(&[
            "none",
            "drop-oldest-message",
            "drop-oldest-round",
            "drop-oldest-exchange",
            "truncate-results",
        ]),
        modes: vec!["sticky".parse().expect("a mode")],
    };
    grid.cells().expect("settings that go together")
}

fn replay(criterion: &mut Criterion) {
    let players: Vec<Player> = cells().into_iter().map(Player::new).collect();
    let mut caps: Vec<_> = players.iter().map(Player::cap).collect();
    caps.sort_unstable();
    caps.dedup();
    let sessions: Vec<Session> = (0..SESSIONS).map(session).collect();
    let transcripts: Vec<Transcript> = sessions.iter().map(|s| Transcript::of_session(s, &STATED)).collect();
    let subjects: Vec<Subject> = transcripts.iter().map(|t| Subject::new(t.clone(), &caps)).collect();

    let mut group = criterion.benchmark_group("replay");
    group.throughput(Throughput::Elements(SESSIONS * u64::from(CALLS) * players.len() as u64));
    group.bench_function("grid", |bencher| {
        bencher.iter(|| {
            let mut tallies = vec![Tally::default(); players.len()];
            for subject in &subjects {
                for (player, tally) in players.iter().zip(&mut tallies) {
                    let outcome = player.play(subject, tally).expect("the window is known");
                    tally.add(&outcome);
                }
            }
            black_box(tallies)
        });
    });
    group.bench_function("grid and bootstrap", |bencher| {
        bencher.iter(|| {
            let mut cells = vec![(Tally::default(), Resample::default()); players.len()];
            for subject in &subjects {
                let bucket = bucket_of(&subject.transcript.session);
                for (player, (tally, resample)) in players.iter().zip(&mut cells) {
                    let outcome = player.play(subject, tally).expect("the window is known");
                    tally.add(&outcome);
                    resample.add(bucket, &outcome);
                }
            }
            black_box(cells)
        });
    });
    let few = SESSIONS / 100;
    group.throughput(Throughput::Elements(few * u64::from(CALLS) * players.len() as u64));
    group.sample_size(10);
    group.bench_function("rules", |bencher| {
        bencher.iter(|| {
            for subject in &subjects[..few as usize] {
                for player in &players {
                    black_box(player.play_by_rules(subject, &mut Tally::default()));
                }
            }
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("prepare");
    group.throughput(Throughput::Elements(SESSIONS * u64::from(CALLS)));
    group.bench_function("subject", |bencher| {
        bencher.iter(|| {
            for transcript in &transcripts {
                black_box(Subject::new(transcript.clone(), &caps));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, replay);
criterion_main!(benches);
