//! The session-cluster bootstrap of a ratio of sums: how far it would move with other sessions of the same kind.
//!
//! Calls of one session are not independent, so whole sessions are drawn. In each of [`REPLICATES`] replicates a session
//! counts as often as a Poisson number of mean 1 says; that number grows from the session's own seed, so sums over shards
//! add up, in any order, to the same integers. The interval is that of the percentiles 2.5 and 97.5 of the replicates.

use std::sync::LazyLock;

use super::Interval;

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

/// The weight of a draw by its first [`TABLE_BITS`] bits, [`UNDECIDED`] where a step lies among the draws that begin so.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let rest = 32 - TABLE_BITS;
    let ends = |first: u32| (compare(first << rest), compare(first << rest | ((1 << rest) - 1)));
    let decided = |(low, high): (u8, u8)| if low == high { low } else { UNDECIDED };
    (0..1 << TABLE_BITS).map(|first| decided(ends(first))).collect()
});

const TABLE_BITS: u32 = 12;
const UNDECIDED: u8 = u8::MAX;

/// How often one session counts in each replicate.
pub struct Weights(Vec<u8>);

impl Weights {
    /// The weights of the session with that seed.
    pub fn of(seed: u64) -> Weights {
        let table = TABLE.as_slice();
        let mut state = seed;
        let mut weights = Vec::with_capacity(REPLICATES);
        while weights.len() < REPLICATES {
            let draw = next(&mut state);
            weights.extend([weight(table, draw as u32), weight(table, (draw >> 32) as u32)]);
        }
        Weights(weights)
    }
}

fn weight(table: &[u8], draw: u32) -> u8 {
    match table[(draw >> (32 - TABLE_BITS)) as usize] {
        UNDECIDED => compare(draw),
        weight => weight,
    }
}

fn compare(draw: u32) -> u8 {
    STEPS.iter().map(|step| u8::from(draw >= *step)).sum()
}

/// The next number of a splitmix64 sequence.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A seed from a text: the same text has the same seed everywhere (FNV-1a).
pub fn seed(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A sum in each replicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums(Vec<u64>);

impl Default for Sums {
    fn default() -> Sums {
        Sums(vec![0; REPLICATES])
    }
}

impl Sums {
    /// Adds what one session contributes.
    pub fn add(&mut self, weights: &Weights, value: u64) {
        let pairs = self.0.iter_mut().zip(&weights.0);
        match u32::try_from(value) {
            Ok(0) => {}
            // Two factors of 32 bits are multiplied several at a time.
            Ok(value) => pairs.for_each(|(sum, weight)| *sum += u64::from(u32::from(*weight)) * u64::from(value)),
            Err(_) => pairs.for_each(|(sum, weight)| *sum += u64::from(*weight) * value),
        }
    }

    /// The differences of these sums and others that are nowhere greater.
    pub fn less(&self, other: &Sums) -> Sums {
        Sums(self.0.iter().zip(&other.0).map(|(sum, less)| sum - less).collect())
    }

    /// Adds all that other sums hold.
    pub fn merge(&mut self, other: &Sums) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| *sum += more);
    }
}

/// The 95 % interval of a ratio of sums; `None` where a replicate in twenty or more has nothing to divide by, or nothing
/// was counted in any.
pub fn ratio_interval(numerator: &Sums, denominator: &Sums) -> Option<Interval> {
    let pairs = numerator.0.iter().zip(&denominator.0).filter(|(_, denominator)| **denominator > 0);
    let mut ratios: Vec<f64> = pairs.map(|(numerator, denominator)| *numerator as f64 / *denominator as f64).collect();
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
            assert!(
                (f64::from(*step) - below * 2f64.powi(32)).abs() <= 1.0,
                "step {k} is not {}",
                below * 2f64.powi(32)
            );
        }
    }

    #[test]
    fn the_table_gives_what_comparing_gives() {
        let near = STEPS.iter().flat_map(|step| [step.saturating_sub(1), *step, step.saturating_add(1)]);
        for draw in near.chain((0..1_000).map(|n| n * 4_294_967)).chain([0, u32::MAX]) {
            assert_eq!(weight(&TABLE, draw), compare(draw));
        }
    }

    #[test]
    fn weights_have_mean_and_variance_one() {
        let all: Vec<f64> = (0..50).flat_map(|seed| Weights::of(seed).0).map(f64::from).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / all.len() as f64;
        assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.03, "mean {mean}, variance {variance}");
    }

    /// Sums over sessions that contribute `numerator` of 10 each.
    fn sums(numerators: &[u64], first_seed: u64) -> (Sums, Sums) {
        let (mut top, mut bottom) = (Sums::default(), Sums::default());
        for (number, numerator) in (first_seed..).zip(numerators) {
            let weights = Weights::of(seed(&number.to_string()));
            top.add(&weights, *numerator);
            bottom.add(&weights, 10);
        }
        (top, bottom)
    }

    #[test]
    fn the_interval_is_as_wide_as_sampling_theory_says() {
        // 400 sessions, each 2 or 4 of 10: a ratio of 0.3 with standard error 0.1 / sqrt(400).
        let numerators: Vec<u64> = (0..400).map(|number| if number % 2 == 0 { 2 } else { 4 }).collect();
        let (top, bottom) = sums(&numerators, 0);
        let interval = ratio_interval(&top, &bottom).unwrap();
        assert!((interval.low - (0.3 - 1.96 * 0.005)).abs() < 0.001, "{interval:?}");
        assert!((interval.high - (0.3 + 1.96 * 0.005)).abs() < 0.001, "{interval:?}");
    }

    #[test]
    fn nominal_95_percent_covers_the_truth_about_that_often() {
        // Sessions that contribute 0 or 10 of 10 with a chance of 30 %: the hardest clustering there is.
        let mut state = 7;
        let covered = (0..300).filter(|population| {
            let numerators: Vec<u64> = (0..150).map(|_| if next(&mut state) % 10 < 3 { 10 } else { 0 }).collect();
            let (top, bottom) = sums(&numerators, population * 1_000);
            ratio_interval(&top, &bottom).is_some_and(|interval| interval.low <= 0.3 && 0.3 <= interval.high)
        });
        let share = covered.count() as f64 / 300.0;
        assert!((0.92..=0.98).contains(&share), "{share}");
    }

    #[test]
    fn halves_merge_to_the_whole() {
        let numerators: Vec<u64> = (0..60).map(|number| number % 7).collect();
        let ((mut left, _), (right, _)) = (sums(&numerators[..25], 0), sums(&numerators[25..], 25));
        left.merge(&right);
        assert_eq!(left, sums(&numerators, 0).0);
    }

    #[test]
    fn nothing_counted_has_no_interval() {
        let (top, bottom) = sums(&[0, 0, 0, 0], 0);
        assert_eq!(ratio_interval(&top, &bottom), None);
        assert_eq!(ratio_interval(&Sums::default(), &Sums::default()), None);
    }
}
