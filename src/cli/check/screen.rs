//! The terminal that a table is drawn on: its width, its colours, and text that cannot act on it.

use std::io::IsTerminal;

use unicode_width::UnicodeWidthChar;

use crate::cli::output::stated_width;

/// The columns drawn on where there is no terminal.
const WIDTH: usize = 100;

/// The most columns drawn on unless `COLUMNS` states more: longer lines are hard to read.
const WIDEST: usize = 120;

/// The fewest columns drawn on, whatever the terminal's.
const NARROWEST: usize = 40;

/// How a piece of text is to stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Strong,
    Quiet,
    Bad,
    Good,
    Unsure,
}

/// What is drawn on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    pub width: usize,
    pub coloured: bool,
}

impl Screen {
    /// Stdout: as wide as `COLUMNS` states or the terminal is, coloured on a terminal unless `NO_COLOR` is set.
    pub fn of_stdout() -> Screen {
        let stated = stated_width().map(usize::from);
        let terminal = crate::report::terminal_width().filter(|width| *width > 0);
        let terminal = terminal.map(|width| usize::from(width).min(WIDEST));
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Screen {
            width: stated.or(terminal).unwrap_or(WIDTH).max(NARROWEST),
            coloured: std::io::stdout().is_terminal() && !set("NO_COLOR") && !is_dumb,
        }
    }

    /// The text in an ink.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Plain => return text.to_owned(),
            Ink::Strong => "1",
            Ink::Quiet => "2",
            Ink::Bad => "31",
            Ink::Good => "32",
            Ink::Unsure => "33",
        };
        if self.coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// A text as lines that fit, each behind an indent; words that are too long are cut into pieces.
    pub fn wrapped(&self, text: &str, indent: usize) -> String {
        let room = self.width.saturating_sub(indent).max(1);
        let mut lines: Vec<String> = vec![String::new()];
        let mut taken = 0;
        for word in text.split_whitespace().flat_map(|word| pieces(word, room)) {
            let wide = columns(&word);
            if taken > 0 && taken + 1 + wide > room {
                lines.push(String::new());
                taken = 0;
            }
            let line = lines.last_mut().expect("there is a first line");
            if taken > 0 {
                line.push(' ');
                taken += 1;
            }
            line.push_str(&word);
            taken += wide;
        }
        lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
    }
}

/// A word in pieces of so many columns at most, made harmless.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut taken = 0;
    for character in word.chars().map(harmless) {
        let wide = character.width().unwrap_or(0);
        if taken + wide > room && taken > 0 {
            pieces.push(String::new());
            taken = 0;
        }
        pieces.last_mut().expect("there is a first piece").push(character);
        taken += wide;
    }
    pieces
}

/// One line of a text in so many columns: white space shrinks, what does not fit becomes `…`.
pub(super) fn fit(text: &str, room: usize) -> String {
    let mut line = String::new();
    let (mut taken, mut n_taken, mut in_space) = (0, 0, false);
    // Characters that take no column could go on for ever.
    let most = 4 * room;
    for character in text.chars() {
        if character.is_whitespace() {
            if in_space {
                continue;
            }
            in_space = true;
        } else {
            in_space = false;
        }
        let shown = if in_space { ' ' } else { harmless(character) };
        let wide = shown.width().unwrap_or(0);
        if taken + wide > room || n_taken == most {
            while taken + 1 > room
                && let Some(last) = line.pop()
            {
                taken -= last.width().unwrap_or(0);
            }
            line.push('…');
            break;
        }
        line.push(shown);
        taken += wide;
        n_taken += 1;
    }
    line
}

/// The columns that a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// A character that neither commands a terminal nor turns the direction of text.
fn harmless(character: char) -> char {
    match character {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
            '\u{fffd}'
        }
        control if control.is_control() => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_its_columns() {
        assert_eq!(fit("fire  the\n\tkiln", 13), "fire the kiln");
        assert_eq!(fit("fire the kiln", 8), "fire th…");
        assert_eq!(fit("窯を焚く", 5), "窯を…");
        assert_eq!(fit("窯を焚く", 4), "窯…");
        assert_eq!(fit("a\u{1b}[31mb\u{202e}", 20), "a\u{fffd}[31mb\u{fffd}");
        assert_eq!(fit("kiln", 0), "…");
        assert!(fit(&"\u{301}".repeat(1000), 5).chars().count() <= 21);
    }

    #[test]
    fn sentences_wrap_and_long_words_are_cut() {
        let screen = Screen { width: 10, coloured: false };
        assert_eq!(screen.wrapped("fire the kiln again", 2), "  fire the\n  kiln\n  again\n");
        assert_eq!(screen.wrapped("abcdefghijkl m", 2), "  abcdefgh\n  ijkl m\n");
        assert_eq!(screen.wrapped("", 2), "  \n");
    }

    #[test]
    fn colour_is_only_where_it_is_wanted() {
        let screen = |coloured| Screen { width: 80, coloured };
        assert_eq!(screen(false).paint(Ink::Bad, "x"), "x");
        assert_eq!(screen(true).paint(Ink::Bad, "x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
