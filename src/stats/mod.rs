//! Intervals, sketches and resampling; knows numbers only.
//!
//! Wilson's score interval is the default for a rate; Clopper and Pearson's exact one serves where nothing or everything
//! was hit, because Wilson's bounds are too kind there. Both are two-sided at 95 %. Nothing here reads a log.

mod bootstrap;
mod sketch;

use statrs::distribution::{Beta, ContinuousCDF};

pub use bootstrap::{Buckets, bucket_of};
pub use sketch::{Sketch, middle};

/// The standard normal quantile of a two-sided 95 % interval.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// A lower and an upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Wilson's 95 % score interval for `hits` of `n`; `None` where `n` is 0.
pub fn wilson(hits: u64, n: u64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (k, n) = (hits as f64, n as f64);
    let p = k / n;
    let z2 = Z_95 * Z_95;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z_95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let low = if hits == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if k == n { 1.0 } else { (centre + half).min(1.0) };
    Some(Interval { low, high })
}

/// Clopper and Pearson's exact 95 % interval for `hits` of `n`; `None` where `n` is 0.
pub fn clopper_pearson(hits: u64, n: u64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let quantile =
        |a: u64, b: u64, p: f64| Beta::new(a as f64, b as f64).expect("both shapes are at least 1").inverse_cdf(p);
    let low = if hits == 0 { 0.0 } else { quantile(hits, n - hits + 1, 0.025) };
    let high = if hits == n { 1.0 } else { quantile(hits + 1, n - hits, 0.975) };
    Some(Interval { low, high })
}

/// The 95 % interval of a rate: Wilson's, or Clopper and Pearson's where nothing or everything was hit.
pub fn rate_interval(hits: u64, n: u64) -> Option<Interval> {
    if hits == 0 || hits == n { clopper_pearson(hits, n) } else { wilson(hits, n) }
}

/// `numerator / denominator`, or `None` where there is nothing to divide by.
pub fn ratio(numerator: u64, denominator: u64) -> Option<f64> {
    (denominator > 0).then(|| numerator as f64 / denominator as f64)
}

/// "1 in N" for a rate; `None` where the rate is 0 and N would be infinite.
pub fn one_in(rate: f64) -> Option<f64> {
    (rate > 0.0).then(|| 1.0 / rate)
}

/// The interval of "1 in N": both ends of the rate's interval inverted; the upper end is `None` where it is infinite.
pub fn one_in_interval(rate: Interval) -> (Option<f64>, Option<f64>) {
    (one_in(rate.high), one_in(rate.low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(got: f64, want: f64, tolerance: f64) {
        assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
    }

    /// Hits, cases, Wilson's bounds, Clopper and Pearson's bounds, both ends of "1 in N" by Wilson.
    type Vector = (u64, u64, [f64; 2], [f64; 2], [f64; 2]);

    /// Computed independently.
    const VECTORS: &[Vector] = &[
        (0, 93, [0.0, 0.039668], [0.0, 0.038889], [25.2, f64::INFINITY]),
        (1, 93, [0.001901, 0.058419], [0.000272, 0.058458], [17.1, 526.1]),
        (3, 93, [0.011031, 0.090594], [0.006702, 0.091388], [11.0, 90.7]),
        (324, 10_000, [0.029105, 0.036054], [0.029016, 0.036059], [27.7, 34.4]),
        (16, 205, [0.048610, 0.123010], [0.045269, 0.123653], [8.1, 20.6]),
    ];

    #[test]
    fn intervals_equal_independent_vectors() {
        for &(hits, n, wilson_bounds, exact_bounds, one_in_bounds) in VECTORS {
            let score = wilson(hits, n).unwrap();
            close(score.low, wilson_bounds[0], 5e-7);
            close(score.high, wilson_bounds[1], 5e-7);
            let exact = clopper_pearson(hits, n).unwrap();
            close(exact.low, exact_bounds[0], 5e-7);
            close(exact.high, exact_bounds[1], 5e-7);
            let (low, high) = one_in_interval(score);
            close(low.unwrap(), one_in_bounds[0], 0.05);
            match high {
                Some(high) => close(high, one_in_bounds[1], 0.05),
                None => assert!(one_in_bounds[1].is_infinite()),
            }
        }
    }

    #[test]
    fn nothing_to_divide_by_is_not_zero() {
        assert_eq!(wilson(0, 0), None);
        assert_eq!(clopper_pearson(0, 0), None);
        assert_eq!(ratio(3, 0), None);
        assert_eq!(one_in(0.0), None);
    }

    #[test]
    fn zero_hits_show_the_exact_upper_bound() {
        assert_eq!(rate_interval(0, 93), clopper_pearson(0, 93));
        assert_eq!(rate_interval(3, 93), wilson(3, 93));
    }
}
