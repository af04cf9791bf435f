//! Parameters out of an address: each is read here, and a malformed one says what to write.

use std::fmt::Display;
use std::str::FromStr;

use super::Error;

/// The form in which a page is asked for, by the ending of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    Html,
    Csv,
    Json,
}

/// The number and the form in the last part of a path: `12`, `12.csv`.
pub fn numbered(segment: &str, noun: &str) -> Result<(i64, Twin), Error> {
    let (number, twin) = match segment.split_once('.') {
        None => (segment, Twin::Html),
        Some((number, "csv")) => (number, Twin::Csv),
        Some((number, "json")) => (number, Twin::Json),
        Some((_, other)) => return Err(no_form(noun, other)),
    };
    Ok((number_of(number, noun)?, twin))
}

/// Nothing is shown in that form.
pub fn no_form(noun: &str, form: &str) -> Error {
    Error::NotFound(format!("A {noun} cannot be had as `.{}`.", clipped(form)))
}

/// The number of something in a path.
pub fn number_of(text: &str, noun: &str) -> Result<i64, Error> {
    let number = text.parse().ok().filter(|number| *number >= 0);
    number.ok_or_else(|| Error::BadRequest(format!("A {noun} is named by its number; `{}` is none.", clipped(text))))
}

/// An optional value of a query; empty counts as absent, as forms send it.
pub fn query<T: FromStr>(value: Option<&str>, name: &str, example: impl Display) -> Result<Option<T>, Error> {
    match value.filter(|value| !value.is_empty()) {
        None => Ok(None),
        Some(text) => match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => {
                let say = format!("`{name}` is `{}`, which cannot be read; write it like `{example}`.", clipped(text));
                Err(Error::BadRequest(say))
            }
        },
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(80).collect()
}
