//! The session-cluster bootstrap of a ratio of sums: how far it would move with other sessions of the same kind.
//!
//! Calls of one session are not independent, so whole sessions are drawn. Sessions fall into [`BUCKETS`] buckets by their
//! hash and only the sums of each bucket are kept: adding a session costs a few additions, and buckets of shards add up,
//! in any order, to the same integers. In each of [`REPLICATES`] replicates a bucket counts as often as a Poisson number
//! of mean 1 says, which grows from the number of the bucket; the same in every cell, so that differences of two cells
//! over the same sessions have their interval too. The interval is that of the percentiles 2.5 and 97.5.

use std::sync::LazyLock;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Interval;

/// How many buckets there are: enough that few of 100 sessions share one, and that many sessions vary as their buckets.
pub const BUCKETS: usize = 256;

/// How many replicates are drawn.
pub const REPLICATES: usize = 2_000;

/// Replicates on either side that the interval leaves out.
const LEFT_OUT: usize = REPLICATES / 40;

/// A draw of 32 bits is a Poisson number of mean 1 greater than `k` if it lies at or above `STEPS[k]`: the distribution's
/// steps times 2^32.
const STEPS: [u32; 10] = [
    1_580_030_169,
    3_160_060_337,
    3_950_075_422,
    4_213_413_783,
    4_279_248_374,
    4_292_415_292,
    4_294_609_778,
    4_294_923_276,
    4_294_962_463,
    4_294_966_817,
];

/// How often each bucket counts in each replicate, replicate by replicate.
static WEIGHTS: LazyLock<Vec<[u8; BUCKETS]>> = LazyLock::new(|| {
    let mut weights = vec![[0; BUCKETS]; REPLICATES];
    for bucket in 0..BUCKETS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(bucket as u64);
        weights.iter_mut().for_each(|replicate| replicate[bucket] = poisson(random.next_u32()));
    }
    weights
});

fn poisson(draw: u32) -> u8 {
    STEPS.iter().map(|step| u8::from(draw >= *step)).sum()
}

/// The bucket of a session by whatever names it: the same name falls into the same bucket everywhere.
pub fn bucket_of(name: &str) -> usize {
    usize::from(blake3::hash(name.as_bytes()).as_bytes()[0])
}

/// Sums of `N` counts by bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets<const N: usize>(Vec<[u64; N]>);

impl<const N: usize> Default for Buckets<N> {
    fn default() -> Buckets<N> {
        Buckets(vec![[0; N]; BUCKETS])
    }
}

impl<const N: usize> Buckets<N> {
    /// Adds what one session of a bucket contributes.
    pub fn add(&mut self, bucket: usize, counts: [u64; N]) {
        self.0[bucket].iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// Adds all that others hold.
    pub fn merge(&mut self, other: &Buckets<N>) {
        for (sums, more) in self.0.iter_mut().zip(&other.0) {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    /// The sums by bucket.
    pub fn sums(&self) -> &[[u64; N]] {
        &self.0
    }

    /// The 95 % interval of a ratio of two sums, each read off the counts of a bucket; `None` where a replicate in twenty
    /// or more has nothing to divide by, or nothing was counted in any.
    pub fn ratio_interval(
        &self,
        numerator: impl Fn(&[u64; N]) -> u64,
        denominator: impl Fn(&[u64; N]) -> u64,
    ) -> Option<Interval> {
        let columns = |read: &dyn Fn(&[u64; N]) -> u64| self.0.iter().map(read).collect::<Vec<u64>>();
        interval(&columns(&numerator), &columns(&denominator))
    }
}

fn interval(numerators: &[u64], denominators: &[u64]) -> Option<Interval> {
    // Most buckets of few sessions are empty in both.
    let used: Vec<usize> = (0..BUCKETS).filter(|bucket| numerators[*bucket] > 0 || denominators[*bucket] > 0).collect();
    let sum = |weights: &[u8; BUCKETS], values: &[u64]| -> u64 {
        used.iter().map(|bucket| u64::from(weights[*bucket]) * values[*bucket]).sum()
    };
    let ratio = |weights: &[u8; BUCKETS]| {
        let denominator = sum(weights, denominators);
        (denominator > 0).then(|| sum(weights, numerators) as f64 / denominator as f64)
    };
    let mut ratios: Vec<f64> = WEIGHTS.iter().filter_map(ratio).collect();
    if ratios.len() * 20 < REPLICATES * 19 {
        return None;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let left_out = LEFT_OUT * ratios.len() / REPLICATES;
    let (low, high) = (ratios[left_out], ratios[ratios.len() - 1 - left_out]);
    (high > 0.0).then_some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_the_poisson_distribution() {
        let (mut term, mut below) = ((-1.0f64).exp(), 0.0);
        for (k, step) in STEPS.iter().enumerate() {
            below += term;
            term /= (k + 1) as f64;
            let error = (f64::from(*step) - below * 2f64.powi(32)).abs();
            assert!(error <= 1.0, "step {k} is not {}", below * 2f64.powi(32));
        }
    }

    #[test]
    fn weights_have_mean_and_variance_one() {
        let all: Vec<f64> = WEIGHTS.iter().flatten().map(|weight| f64::from(*weight)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / all.len() as f64;
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.02, "mean {mean}, variance {variance}");
    }

    /// Sums over sessions that contribute a numerator of 10 each.
    fn buckets(numerators: &[u64], first: u64) -> Buckets<2> {
        let mut buckets = Buckets::default();
        for (number, numerator) in (first..).zip(numerators) {
            buckets.add(bucket_of(&format!("session {number}")), [*numerator, 10]);
        }
        buckets
    }

    fn of(buckets: &Buckets<2>) -> Option<Interval> {
        buckets.ratio_interval(|counts| counts[0], |counts| counts[1])
    }

    #[test]
    fn names_spread_evenly() {
        let mut n = [0; BUCKETS];
        (0..25_600).for_each(|number| n[bucket_of(&format!("s-{number}"))] += 1);
        assert!(n.iter().all(|n| (50..=150).contains(n)), "{n:?}");
    }

    #[test]
    fn the_interval_is_as_wide_as_sampling_theory_says() {
        // 10,000 sessions, each 2 or 4 of 10: a ratio of 0.3 with standard error 0.1 / sqrt(10,000).
        let numerators: Vec<u64> = (0..10_000).map(|number| if number % 2 == 0 { 2 } else { 4 }).collect();
        let interval = of(&buckets(&numerators, 0)).unwrap();
        let width = interval.high - interval.low;
        // The width itself is known from 256 buckets: within 2 / sqrt(512) of it.
        assert!((width / (2.0 * 1.96 * 0.001) - 1.0).abs() < 0.13, "{interval:?}");
    }

    /// The share of 1,000 populations whose 95 % interval covers the truth. A session contributes 0 or 10 of 10 with a
    /// chance of `percent`: the hardest clustering there is.
    fn coverage(sessions: u64, percent: u64) -> f64 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(sessions * 100 + percent);
        let truth = percent as f64 / 100.0;
        let covered = (0..1_000).filter(|population| {
            let hit = |_| if u64::from(random.next_u32()) % 100 < percent { 10 } else { 0 };
            let numerators: Vec<u64> = (0..sessions).map(hit).collect();
            of(&buckets(&numerators, population * 100_000)).is_some_and(|i| i.low <= truth && truth <= i.high)
        });
        covered.count() as f64 / 1_000.0
    }

    #[test]
    fn nominal_95_percent_covers_the_truth_in_93_to_97_percent_of_the_populations() {
        for (sessions, percent) in [(200, 30), (500, 20), (2_000, 10), (5_000, 30)] {
            let share = coverage(sessions, percent);
            assert!((0.93..=0.97).contains(&share), "{sessions} sessions, {percent} %: {share}");
        }
    }

    #[test]
    fn halves_merge_to_the_whole() {
        let numerators: Vec<u64> = (0..60).map(|number| number % 7).collect();
        let (mut left, right) = (buckets(&numerators[..25], 0), buckets(&numerators[25..], 25));
        left.merge(&right);
        assert_eq!(left, buckets(&numerators, 0));
    }

    #[test]
    fn nothing_counted_has_no_interval() {
        assert_eq!(of(&buckets(&[0, 0, 0, 0], 0)), None);
        assert_eq!(of(&Buckets::default()), None);
    }
}
