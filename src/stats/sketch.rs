//! A sketch of positive values for quantiles: counts in buckets whose widths grow with the value (DDSketch).
//!
//! Its state is integers only, so sketches merge by addition, in any order, to the same bytes. A quantile is within
//! [`ACCURACY`] of the value of that rank, relatively.

/// The relative error of a quantile.
pub const ACCURACY: f64 = 0.001;

/// The logarithm of γ = (1 + accuracy) / (1 - accuracy), the ratio of the ends of a bucket.
const LN_GAMMA: f64 = 0.002_000_000_666_667_066_7;

/// Counts of values by bucket; bucket `i` holds the values in `(γ^(i-1), γ^i]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// The bucket of the first count; the first and the last count are above 0.
    first: i32,
    counts: Vec<u64>,
    n: u64,
}

impl Sketch {
    /// Adds the ratio of two whole numbers, both above 0.
    pub fn add_ratio(&mut self, numerator: u64, denominator: u64) {
        let value = numerator as f64 / denominator as f64;
        self.add((value.ln() / LN_GAMMA).ceil() as i32, 1);
    }

    fn add(&mut self, bucket: i32, count: u64) {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            let missing = (self.first - bucket) as usize;
            self.counts.splice(..0, std::iter::repeat_n(0, missing));
            self.first = bucket;
        }
        let at = (bucket - self.first) as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += count;
        self.n += count;
    }

    /// Adds all that another sketch holds.
    pub fn merge(&mut self, other: &Sketch) {
        for (bucket, count) in other.buckets() {
            self.add(bucket, count);
        }
    }

    /// How many values it holds.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The value that `percent` of the values do not exceed: of all values in order the one behind that share of them,
    /// the upper one where two stand in the middle. `None` if the sketch holds none.
    pub fn percentile(&self, percent: u64) -> Option<f64> {
        self.of_rank((percent * self.n / 100 + 1).min(self.n))
    }

    /// The value of a rank, counted from 1.
    fn of_rank(&self, rank: u64) -> Option<f64> {
        let mut seen = 0;
        self.buckets().find_map(|(bucket, count)| {
            seen += count;
            (seen >= rank).then(|| middle(bucket))
        })
    }

    /// Its buckets that hold values, with their counts, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (i32, u64)> + '_ {
        (self.first..).zip(&self.counts).filter(|(_, count)| **count > 0).map(|(bucket, count)| (bucket, *count))
    }

    /// The sketch with these buckets.
    pub fn from_buckets(buckets: impl IntoIterator<Item = (i32, u64)>) -> Sketch {
        let mut sketch = Sketch::default();
        buckets.into_iter().filter(|(_, count)| *count > 0).for_each(|(bucket, count)| sketch.add(bucket, count));
        sketch
    }
}

/// The value that stands for a bucket: the one whose relative distance to both its ends is the same.
pub fn middle(bucket: i32) -> f64 {
    (f64::from(bucket) * LN_GAMMA).exp() * (1.0 - ACCURACY)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sketch_of(values: &[(u64, u64)]) -> Sketch {
        let mut sketch = Sketch::default();
        for (numerator, denominator) in values {
            sketch.add_ratio(*numerator, *denominator);
        }
        sketch
    }

    #[test]
    fn buckets_are_as_wide_as_the_accuracy_says() {
        assert!((((1.0 + ACCURACY) / (1.0 - ACCURACY)).ln() - LN_GAMMA).abs() < 1e-15);
    }

    #[test]
    fn nothing_has_no_median() {
        assert_eq!(Sketch::default().percentile(50), None);
    }

    proptest! {
        #[test]
        fn a_percentile_is_within_the_accuracy(
            values in proptest::collection::vec((1u64..1_000_000, 1u64..1_000), 1..200),
            percent in 0u64..=100,
        ) {
            let sketch = sketch_of(&values);
            let mut exact: Vec<f64> = values.iter().map(|(n, d)| *n as f64 / *d as f64).collect();
            exact.sort_by(f64::total_cmp);
            let (got, want) = (sketch.percentile(percent).unwrap(), exact[(percent as usize * exact.len() / 100).min(exact.len() - 1)]);
            prop_assert!((got / want - 1.0).abs() <= ACCURACY * 1.000_001, "{got} for {want}");
        }

        #[test]
        fn halves_merge_to_the_whole_in_any_order(
            values in proptest::collection::vec((1u64..1_000_000, 1u64..1_000), 0..100),
            split in 0usize..100,
        ) {
            let split = split.min(values.len());
            let (mut left, mut right) = (sketch_of(&values[..split]), sketch_of(&values[split..]));
            let first = right.clone();
            right.merge(&left);
            left.merge(&first);
            prop_assert_eq!(&left, &right);
            prop_assert_eq!(&left, &sketch_of(&values));
            prop_assert_eq!(&Sketch::from_buckets(left.buckets()), &left);
        }
    }
}
