//! Calls x cells per second of the replay, on one core, for sessions of 50, 500 and 5,000 calls.
//!
//! `front` plays the drop-oldest family from prefix sums, `plans` every other policy that does not look at texts; both with
//! a target of 50 % of the window, on prepared sessions, whose cuts other cells have judged before. `cold` is `front` with
//! the preparing (arrays, verdicts on each call's uncompacted prompt, sums) and the first judgement of every cut, for a
//! grid of 20 cells. `prepare` is the preparing alone, by API. `rules` judges every prompt by the full rules.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::cell::Grid;
use cutpoint::generate::Random;
use cutpoint::metrics::Resample;
use cutpoint::model::{Api, Arguments, Body, Fields, Form, Message, Part, Place, Preface, Role, Session, SessionCall};
use cutpoint::model::{ToolResult, ToolUse, ToolUseKind};
use cutpoint::outcome::Tally;
use cutpoint::replay::{Player, Subject};
use cutpoint::stats::bucket_of;
use cutpoint::transcript::Transcript;
use cutpoint::transcript::size::Counter;

/// Calls of all sessions of one round of the benchmark.
const CALLS: u32 = 50_000;

/// Calls of one session.
const LENGTHS: &[u32] = &[50, 500, 5_000];

/// Texts of the benchmark state their own size.
const STATED: Counter = Counter {
    id: "stated",
    about: "the number that the text is",
    units: |text| text.parse().unwrap_or(0),
    per_token: 1,
};

fn message(role: Role, form: Form, body: Body) -> Message {
    Message { role, form, parts: vec![Part { body, extra: Fields::new() }], extra: Fields::new() }
}

fn text(role: Role, tokens: u64) -> Message {
    message(role, Form::Text, Body::Text(tokens.to_string()))
}

/// A session of that many calls.
fn session(seed: u64, calls: u32) -> Session {
    let mut random = Random::new(seed, 0);
    let mut messages = vec![text(Role::System, 1_500), text(Role::User, 200)];
    let mut sent = Vec::new();
    for number in 0..calls {
        sent.push(SessionCall { upto: messages.len() as u32, ..SessionCall::default() });
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
        calls: sent,
        compactions: Vec::new(),
    }
}

/// The players of some policies, at two triggers and a target of 50 %.
fn players(policies: &[&str], targets: &[&str]) -> Vec<Player> {
    let grid = Grid {
        windows: vec!["32000".parse().expect("a window")],
        triggers: ["70%", "90%"].iter().map(|text| text.parse().expect("a share")).collect(),
        targets: targets.iter().map(|text| text.parse().expect("a target")).collect(),
        policies: policies.iter().map(|text| text.parse().expect("a policy of the table")).collect(),
        modes: vec!["sticky".parse().expect("a mode")],
    };
    grid.cells().expect("settings that go together").into_iter().map(Player::new).collect()
}

const FRONT: &[&str] = &["drop-oldest-message", "drop-oldest-round", "drop-oldest-exchange"];
const PLANS: &[&str] = &["stub-results", "keep-ends", "summarise-middle"];

fn transcripts(length: u32) -> Vec<Transcript> {
    let sessions = (0..u64::from(CALLS / length)).map(|seed| session(seed, length));
    sessions.map(|session| Transcript::of_session(&session, &STATED)).collect()
}

fn prepared(transcripts: &[Transcript]) -> Vec<Subject> {
    transcripts.iter().map(|transcript| Subject::new(transcript.clone(), &[None])).collect()
}

fn play(players: &[Player], subjects: &[Subject]) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); players.len()];
    for subject in subjects {
        for (player, tally) in players.iter().zip(&mut tallies) {
            let outcome = player.play(subject, tally).expect("the window is known");
            tally.add(&outcome);
        }
    }
    tallies
}

fn cells(calls: u32, players: &[Player]) -> Throughput {
    Throughput::Elements(u64::from(calls) * players.len() as u64)
}

fn replay(criterion: &mut Criterion) {
    for (name, policies) in [("front", FRONT), ("plans", PLANS)] {
        let mut group = criterion.benchmark_group(name);
        let players = players(policies, &["50%"]);
        for length in LENGTHS {
            let subjects = prepared(&transcripts(*length));
            group.throughput(cells(CALLS, &players));
            group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
                bencher.iter(|| black_box(play(&players, &subjects)));
            });
        }
    }
    for policy in PLANS {
        let mut group = criterion.benchmark_group("plan");
        let (players, subjects) = (players(&[policy], &["50%"]), prepared(&transcripts(500)));
        group.throughput(cells(CALLS, &players));
        group.bench_function(*policy, |bencher| bencher.iter(|| black_box(play(&players, &subjects))));
    }
}

fn cold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cold");
    let players = players(&["none", FRONT[0], FRONT[1], FRONT[2], "drop-oldest-round:keep=3"], &["trigger", "50%"]);
    for length in LENGTHS {
        let transcripts = transcripts(*length);
        group.throughput(cells(CALLS, &players));
        group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
            bencher.iter(|| {
                let mut resamples = vec![Resample::default(); players.len()];
                for subject in prepared(&transcripts) {
                    let bucket = bucket_of(&subject.transcript.session);
                    for (player, resample) in players.iter().zip(&mut resamples) {
                        let outcome = player.play(&subject, &mut Tally::default()).expect("the window is known");
                        resample.add(bucket, &outcome);
                    }
                }
                black_box(resamples)
            });
        });
    }
}

fn rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rules");
    let (players, subjects) = (players(FRONT, &["50%"]), prepared(&transcripts(50)[..20]));
    group.throughput(cells(20 * 50, &players));
    group.sample_size(10);
    group.bench_function("50", |bencher| {
        bencher.iter(|| {
            for subject in &subjects {
                for player in &players {
                    black_box(player.play_by_rules(subject, &mut Tally::default()));
                }
            }
        });
    });
}

fn prepare(criterion: &mut Criterion) {
    for api in Api::ALL {
        let mut group = criterion.benchmark_group(format!("prepare {api}"));
        group.throughput(Throughput::Elements(u64::from(CALLS)));
        group.sample_size(10);
        for length in LENGTHS {
            let of_api = |mut transcript: Transcript| {
                transcript.api = *api;
                transcript
            };
            let transcripts: Vec<Transcript> = transcripts(*length).into_iter().map(of_api).collect();
            group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
                bencher.iter(|| black_box(prepared(&transcripts)));
            });
        }
    }
}

criterion_group!(benches, replay, cold, rules, prepare);
criterion_main!(benches);
