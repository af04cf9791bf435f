//! Any bytes as a log: what `cutpoint check` does to them must end, without a panic, and a body must come out of its
//! dialect as it went in.

#![no_main]

use cutpoint::dialects::DIALECTS;
use cutpoint::formats::{self, FORMATS};
use cutpoint::frame::Frames;
use cutpoint::judge;
use cutpoint::model::{Call, Record};
use cutpoint::profiles::PROFILES;
use cutpoint::rules::Target;
use cutpoint::session::Joiner;
use cutpoint::transcript::{History, Transcript};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Larger than any frame that a fuzzer makes, and small enough that a limit can be met.
const LIMIT: usize = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    log(bytes);
    if let Ok(body) = serde_json::from_slice::<Value>(bytes) {
        round_trip(&body);
    }
});

/// Reads the bytes in the format they show, and in the one that their first byte picks.
fn log(bytes: &[u8]) {
    let Ok(mut frames) = Frames::with_limit("fuzz", bytes, LIMIT) else { return };
    let shown = frames.head().ok().and_then(|head| formats::detect(&head));
    let picked = bytes.first().map(|byte| &FORMATS[usize::from(*byte) % FORMATS.len()]);
    for format in shown.into_iter().chain(picked) {
        let Ok(mut frames) = Frames::with_limit("fuzz", bytes, LIMIT) else { return };
        let mut records = Vec::new();
        let _ = (format.read)(&mut frames, &mut |record| records.push(record));
        judged(records);
    }
}

/// Judges every call for its first party and for every profile, and joins the records to sessions.
fn judged(records: Vec<Record>) {
    let mut history = History::new();
    let mut joiner = Joiner::new();
    for record in records {
        if let Record::Call(call) = &record {
            judged_call(call, &mut history);
        }
        joiner.push(record, &mut |_| {});
    }
    joiner.finish(&mut |_| {});
}

fn judged_call(call: &Call, history: &mut History) {
    let api = call.request.api;
    let mut transcript = Transcript::of_request(&call.request, judge::COUNTER);
    history.follow(call, std::slice::from_mut(&mut transcript));
    for profile in std::iter::once(None).chain(PROFILES.iter().map(Some)) {
        let target = Target::of(api, profile, call.request.model.as_deref());
        let upto = transcript.messages.len() as u32;
        let judgement = judge::Judgement::of(&transcript, upto, &target, |_| true);
        let _ = judgement.to_json_at(&call.place);
    }
}

/// What a dialect reads, it writes as it was.
fn round_trip(body: &Value) {
    for dialect in DIALECTS {
        if let Ok(request) = (dialect.parse)(body.clone()) {
            assert_eq!((dialect.render)(&request), *body, "{}", dialect.id);
        }
        let _ = (dialect.answer)(body);
    }
}
