//! Figures as people read them: one way for terminal, Markdown and pages.
//!
//! An unknown is `n/a`; a rate of zero shows its upper bound, because nothing seen is not nothing there.

use crate::metrics::{Estimate, Unit};
use crate::model::Time;

/// What stands for a figure that is not known.
pub const UNKNOWN: &str = "n/a";

/// A whole number with a narrow space between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A point in time to the minute, in UTC.
pub fn when(time: &Time) -> String {
    let utc = time.to_utc();
    let (year, month, day) = (utc.year(), u8::from(utc.month()), utc.day());
    format!("{year}-{month:02}-{day:02} {:02}:{:02}", utc.hour(), utc.minute())
}

/// A point in time for programs: RFC 3339, in UTC, to the second.
pub fn timestamp(time: &Time) -> String {
    format!("{}:{:02}Z", when(time).replace(' ', "T"), time.second())
}

/// A share in percent: `5.5 %`, `0.031 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0))
}

/// The value of an estimate in its unit.
pub fn value(estimate: &Estimate, unit: Unit) -> String {
    match estimate.value {
        Some(0.0) if unit == Unit::Share => match estimate.high {
            Some(high) => format!("0 (< {})", percent(high)),
            None => "0 %".to_owned(),
        },
        Some(value) => plain(value, unit),
        None => UNKNOWN.to_owned(),
    }
}

/// The value of an estimate with its interval, where it has one: `5.5 % (3.1 – 9.6)`.
pub fn with_interval(estimate: &Estimate, unit: Unit) -> String {
    let (Some(at), low, Some(high)) = (estimate.value, estimate.low, estimate.high) else {
        return match (estimate.value, unit, estimate.low) {
            (Some(at), Unit::OneIn, Some(low)) => format!("{} ({} – ∞)", plain(at, unit), plain(low, unit)),
            (None, Unit::OneIn, Some(low)) => format!("rarer than {}", plain(low, unit)),
            _ => value(estimate, unit),
        };
    };
    match (unit, low) {
        (Unit::Share, _) if at == 0.0 => value(estimate, unit),
        (Unit::Share, Some(low)) => {
            format!("{} ({} – {})", percent(at), significant(low * 100.0), significant(high * 100.0))
        }
        (_, Some(low)) => format!("{} ({} – {})", plain(at, unit), plain(low, unit), plain(high, unit)),
        _ => value(estimate, unit),
    }
}

fn plain(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => percent(value),
        Unit::OneIn | Unit::Tokens if value >= 10.0 => grouped(value.round() as u64),
        Unit::OneIn | Unit::Tokens => significant(value),
        Unit::Ratio => format!("{}×", significant(value)),
    }
}

/// A number with three significant digits, and no more than its whole part where that is longer.
fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_easily() {
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(12), "12");
        assert_eq!(percent(0.055), "5.5 %");
        assert_eq!(percent(0.000_312_4), "0.0312 %");
        assert_eq!(significant(1234.6), "1235");
    }

    #[test]
    fn an_unknown_is_not_a_zero() {
        assert_eq!(value(&Estimate::default(), Unit::Share), "n/a");
        let nothing_seen = Estimate { value: Some(0.0), low: Some(0.0), high: Some(0.0182), n: 200 };
        assert_eq!(with_interval(&nothing_seen, Unit::Share), "0 (< 1.82 %)");
    }

    #[test]
    fn one_in_tells_an_open_end() {
        let open = Estimate { value: None, low: Some(54.7), high: None, n: 200 };
        assert_eq!(with_interval(&open, Unit::OneIn), "rarer than 55");
    }
}
