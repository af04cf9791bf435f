//! Counters, intervals and sketches as they are stored: by name, so that another version reads them too.

use serde_json::{Map, Value};

use crate::metrics;
use crate::outcome::{Declared, Outcome, Tally};
use crate::stats::{Interval, Sketch};

/// The counters of an outcome; those that are 0 are left out.
pub fn of_outcome(outcome: &Outcome) -> Value {
    of_counters(Outcome::COUNTERS, &outcome.counters())
}

/// The counters of a tally; those that are 0 are left out.
pub fn of_tally(tally: &Tally) -> Value {
    of_counters(Tally::COUNTERS, &tally.counters())
}

fn of_counters(declared: &[Declared], counts: &[u64]) -> Value {
    let named = declared.iter().zip(counts).filter(|(_, count)| **count > 0);
    Value::Object(named.map(|(counter, count)| (counter.name.to_owned(), Value::from(*count))).collect())
}

/// The outcome with these counters.
pub fn outcome(counters: &Value) -> Outcome {
    Outcome::of_named(|name| counters.get(name)?.as_u64())
}

/// The tally with these counters.
pub fn tally(counters: &Value) -> Tally {
    Tally::of_named(|name| counters.get(name)?.as_u64())
}

/// The intervals of a tally, both ends by the ids of their metrics.
pub fn of_intervals(tally: &Tally) -> Value {
    let ends = |interval: &Interval| Value::from(vec![interval.low, interval.high]);
    let named = tally.intervals.iter().map(|(metric, interval)| ((*metric).to_owned(), ends(interval)));
    Value::Object(Map::from_iter(named))
}

/// The intervals of metrics that this version knows.
pub fn intervals(stored: &Value) -> Vec<(&'static str, Interval)> {
    let interval = |metric: &metrics::Metric| {
        let ends = stored.get(metric.id)?;
        Some((metric.id, Interval { low: ends.get(0)?.as_f64()?, high: ends.get(1)?.as_f64()? }))
    };
    metrics::METRICS.iter().filter_map(interval).collect()
}

/// A sketch as pairs of bucket (4 bytes) and count (8 bytes), big-endian.
pub fn sketch_bytes(sketch: &Sketch) -> Vec<u8> {
    sketch.buckets().flat_map(|(bucket, count)| [&bucket.to_be_bytes()[..], &count.to_be_bytes()].concat()).collect()
}

/// The sketch of these bytes.
pub fn sketch(bytes: &[u8]) -> Sketch {
    let (pairs, _) = bytes.as_chunks::<12>();
    Sketch::from_buckets(pairs.iter().map(|pair| {
        let bucket = i32::from_be_bytes([pair[0], pair[1], pair[2], pair[3]]);
        let count = u64::from_be_bytes([pair[4], pair[5], pair[6], pair[7], pair[8], pair[9], pair[10], pair[11]]);
        (bucket, count)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_by_name_comes_back() {
        let mut full = Tally { sessions: 3, freed: 600, ..Tally::default() };
        full.intervals = vec![("overshoot_ratio", Interval { low: 0.25, high: 1.5 })];
        let back = Tally { intervals: intervals(&of_intervals(&full)), ..tally(&of_tally(&full)) };
        assert_eq!(back, full);
        let one = Outcome { calls: 7, calls_400: 1, ..Outcome::default() };
        assert_eq!(outcome(&of_outcome(&one)), one);
    }

    #[test]
    fn what_another_version_counted_is_left_alone() {
        let stored = serde_json::json!({"calls": 7, "kilns": 3});
        assert_eq!(outcome(&stored), Outcome { calls: 7, ..Outcome::default() });
        assert_eq!(intervals(&serde_json::json!({"kilns_per_cut": [0.1, 0.2]})), []);
    }

    #[test]
    fn a_sketch_survives_its_bytes() {
        let mut full = Sketch::default();
        full.add_ratio(3, 2);
        full.add_ratio(3, 2);
        full.add_ratio(1, 7);
        assert_eq!(sketch(&sketch_bytes(&full)), full);
    }
}
