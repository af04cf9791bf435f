//! Why an input, or a part of it, could not be read.

use std::io;

use crate::formats::FORMATS;
use crate::model::Defect;

/// The width to which lists of formats are laid out.
const WIDTH: usize = 78;

/// Why nothing could be read: the user's mistake, with its remedy.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no input: name a log file, a folder, or `-` for standard input")]
    NoPath,
    #[error("`{0}` does not exist: check the path")]
    Missing(String),
    #[error("`{0}` matches no file: check the pattern")]
    NoMatch(String),
    #[error("`{0}` holds no file: check the path; names that begin with a dot are passed over")]
    NoFile(String),
    // The reason is told here, and not as a source, which would be told once more.
    #[error("`{path}` could not be read: {why}")]
    Unreadable { path: String, why: io::Error },
    #[error("`{0}` is empty: nothing was logged, or the wrong file was named")]
    Empty(String),
    #[error("`{path}` is in no known format: {why}; formats for --format:\n{}", formats())]
    Unrecognised { path: String, why: String },
    #[error("`{}` cannot be read in any log format: {}", .0.place, .0.reason)]
    Broken(Defect),
    #[error("none of the {} files could be opened; the first: {first}", .unreadable)]
    NoneOpened { unreadable: u64, first: String },
    #[error("none of the {} files is in a known format; the first: {first}; formats for --format:\n{}", .skipped, formats())]
    NoneRecognised { skipped: u64, first: String },
    #[error(
        "nothing could be read: {unreadable} files could not be opened, {skipped} are in no known format; the first: \
         {first}; formats for --format:\n{}",
        formats()
    )]
    NoneRead { unreadable: u64, skipped: u64, first: String },
    #[error("there is no format `{0}`; formats:\n{formats}", formats = formats())]
    NoSuchFormat(String),
}

impl Error {
    /// The same in one line, for one of several files.
    pub fn in_short(&self) -> String {
        match self {
            Error::Unrecognised { path, why } => format!("`{path}` is in no known format: {why}"),
            error => error.to_string(),
        }
    }

    /// Why nothing was read, where so many files could not be opened or recognised.
    pub(super) fn of_all(first: Error, unreadable: u64, skipped: u64) -> Error {
        let shown = first.in_short();
        match (unreadable, skipped) {
            (0, 1) | (1, 0) | (0, 0) => first,
            (unreadable, 0) => Error::NoneOpened { unreadable, first: shown },
            (0, skipped) => Error::NoneRecognised { skipped, first: shown },
            (unreadable, skipped) => Error::NoneRead { unreadable, skipped, first: shown },
        }
    }
}

/// The ids of all formats, in columns.
fn formats() -> String {
    columns(&FORMATS.iter().map(|format| format.id).collect::<Vec<_>>())
}

/// Words in columns of equal width, read downwards, two blanks before each.
fn columns(words: &[&str]) -> String {
    let width = words.iter().map(|word| word.len() + 2).max().unwrap_or(WIDTH).min(WIDTH);
    let rows = words.len().div_ceil(WIDTH / width);
    let row = |row: usize| {
        let line: String = words.iter().skip(row).step_by(rows).map(|word| format!("  {word:0$}", width - 2)).collect();
        line.trim_end().to_owned()
    };
    (0..rows).map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_formats_are_narrow_and_whole() {
        let told = formats();
        assert!(told.lines().all(|line| line.len() <= WIDTH) && told.lines().count() > 1, "{told}");
        assert_eq!(told.split_whitespace().count(), FORMATS.len());
        assert_eq!(columns(&["a"]), "  a");
        assert_eq!(columns(&[]), "");
    }
}
