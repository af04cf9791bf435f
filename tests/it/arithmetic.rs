//! The arithmetic that people do on the back of an envelope comes out of the formulas, on populations with its shares.

use cutpoint::metrics::{Estimate, metric};
use cutpoint::outcome::Tally;
use cutpoint::outcome::{Cut, Outcome};

/// A population in which `compacting` of 10,000 sessions compact once, and `bad` of 100 cuts are bad.
fn population(compacting: u64, bad: u64) -> Tally {
    let mut tally = Tally::default();
    for session in 0..10_000 {
        let compacts = session < compacting;
        let is_bad = compacts && session % 100 < bad;
        let compactions = u64::from(compacts);
        let bad_cuts = u64::from(is_bad);
        let outcome = Outcome { calls: 10, compactions, bad_cuts, calls_400: bad_cuts, ..Outcome::default() };
        tally.add(&outcome);
    }
    tally
}

fn estimate(tally: &Tally, id: &str) -> Estimate {
    (metric(id).unwrap().estimate)(tally)
}

#[track_caller]
fn close(got: Option<f64>, want: f64) {
    let got = got.expect("a figure");
    assert!((got - want).abs() < 0.005, "got {got}, want {want}");
}

#[test]
fn twelve_percent_compacting_and_27_percent_bad_cuts_are_one_in_31() {
    let tally = population(1_200, 27);
    close(estimate(&tally, "rate_compacted").value, 0.12);
    close(estimate(&tally, "bad_cut_share").value, 0.27);
    close(estimate(&tally, "product_rule_one_in").value, 30.86);
    close(estimate(&tally, "one_in").value, 30.86);
    let rate = estimate(&tally, "rate_400");
    assert!((rate.low.unwrap() - 0.029105).abs() < 5e-7 && (rate.high.unwrap() - 0.036054).abs() < 5e-7);
}

#[test]
fn four_percent_compacting_is_one_in_93_and_a_third_of_twelve() {
    let (twelve, four) = (population(1_200, 27), population(400, 27));
    close(estimate(&four, "product_rule_one_in").value, 92.59);
    let share = |tally: &Tally| estimate(tally, "rate_compacted").value.unwrap();
    close(Some(share(&twelve) / share(&four)), 3.0);
}

#[test]
fn freeing_2400_tokens_for_a_deficit_of_400_is_sixfold() {
    let mut tally = Tally::default();
    let cut = Cut {
        call: 3,
        before: 8_400,
        deficit: 400,
        freed: 2_400,
        evicted_messages: 6,
        evicted_exchanges: 1,
        kept_from: 7,
        reached: true,
        broken: None,
    };
    tally.cut(&cut);
    tally.add(&Outcome { compactions: 1, freed_reached: 2_400, deficit_reached: 400, ..Outcome::default() });
    close(estimate(&tally, "overshoot_ratio").value, 6.0);
    close(estimate(&tally, "overshoot_median").value.map(|median| median / 6.0), 1.0);
    close(estimate(&tally, "excess_per_cut").value, 2_000.0);
}
