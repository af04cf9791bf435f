//! Shares of the window: exact decimals, never floats.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A text is no share.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{text}` is no share of the window; write it like `70%` or `0.7`")]
pub struct NoShare {
    text: String,
}

/// A share of the window: an exact decimal that remembers how it was typed.
#[derive(Clone, Debug)]
pub struct Share {
    /// The share times [`Share::SCALE`].
    scaled: u64,
    text: String,
}

impl Share {
    const SCALE: u64 = 1_000_000_000;

    /// So many billionths.
    pub fn billionths(scaled: u64) -> Share {
        Share { scaled, text: Share { scaled, text: String::new() }.to_string() }
    }

    /// `floor(share * window)`: a size lies above the share exactly if it is greater than this.
    pub fn of(&self, window: u64) -> u64 {
        let floor = u128::from(self.scaled) * u128::from(window) / u128::from(Share::SCALE);
        u64::try_from(floor).expect("a share of at most 1 of a u64")
    }

    /// The share as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is above nothing and at most everything.
    pub fn in_range(&self) -> bool {
        (1..=Share::SCALE).contains(&self.scaled)
    }
}

impl std::hash::Hash for Share {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.scaled.hash(state);
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        self.scaled == other.scaled
    }
}

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Share) -> Option<std::cmp::Ordering> {
        Some(self.scaled.cmp(&other.scaled))
    }
}

/// The shortest decimal: `0.7`, `1`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.scaled / Share::SCALE, self.scaled % Share::SCALE);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{rest:09}").trim_end_matches('0'))
    }
}

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Share, NoShare> {
        let (number, digits) = match text.strip_suffix('%') {
            Some(percent) => (percent.trim_end(), 7),
            None => (text, 9),
        };
        let scaled = decimal(number, digits).ok_or_else(|| NoShare { text: text.to_owned() })?;
        Ok(Share { scaled, text: text.to_owned() })
    }
}

/// A decimal number times ten to the power of `digits`; `None` if it is none, or has more decimals than that.
fn decimal(text: &str, digits: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) || fraction.len() > digits {
        return None;
    }
    format!("{whole}{fraction:0<digits$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_lies_above_a_share_by_exact_arithmetic() {
        // 0.7 * 10 is 7.000000000000001 in floating point.
        assert_eq!("70%".parse::<Share>().unwrap().of(10), 7);
        assert_eq!("0.29".parse::<Share>().unwrap().of(100), 29);
        assert_eq!("33.3333333%".parse::<Share>().unwrap().of(3), 0);
        assert_eq!("100%".parse::<Share>().unwrap().of(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_share_is_the_same_however_it_is_typed() {
        let (percent, decimal): (Share, Share) = ("70%".parse().unwrap(), "0.70".parse().unwrap());
        assert_eq!(percent, decimal);
        assert_eq!(percent.to_string(), "0.7");
        assert_eq!(percent.text(), "70%");
    }
}
