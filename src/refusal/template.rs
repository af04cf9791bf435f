//! Provider texts with holes, found in what a log says.
//!
//! A template is a fragment in which `N` and `K` stand for a number, `LIMIT` and `ASKED` for numbers that are wanted, and
//! `ID` for any value. Logs change quotes, white space, case and the way indexes are written (`messages[2]`,
//! `messages.[2]`), so both sides are made plain first.

/// The longest value that `ID` stands for, in bytes.
const LONGEST_VALUE: usize = 300;

/// A fragment of a provider's text.
pub struct Template {
    pieces: Vec<Piece>,
}

enum Piece {
    Literal(String),
    Number(Meaning),
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Any,
    Limit,
    Asked,
}

/// The numbers that a template has names for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    pub limit: Option<u64>,
    /// The sum, where the text states several.
    pub asked: Option<u64>,
}

impl Template {
    /// The template of a fragment, which begins with a literal.
    pub fn new(fragment: &str) -> Template {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        for letter in plain(&marked(fragment)).chars() {
            match hole(letter) {
                Some(hole) => pieces.extend([Piece::Literal(std::mem::take(&mut literal)), hole]),
                None => literal.push(letter),
            }
        }
        pieces.push(Piece::Literal(literal));
        pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
        Template { pieces }
    }

    /// How many bytes of it are literal: of two templates that are found, the longer one says more.
    pub fn weight(&self) -> usize {
        self.pieces.iter().map(|piece| if let Piece::Literal(text) = piece { text.len() } else { 0 }).sum()
    }

    /// How many literal bytes of the template end a plain text that was cut off inside it; 0 where it does not end so.
    pub fn begun(&self, text: &str) -> usize {
        let Some((Piece::Literal(first), others)) = self.pieces.split_first() else { return 0 };
        let further = text.match_indices(first.as_str()).filter_map(|(at, _)| {
            let behind = &text[at + first.len()..];
            Some(first.len() + begun(others, behind)?)
        });
        further.max().unwrap_or(0).max(overlap(text, first))
    }

    /// The numbers in the first place of a plain text where the template stands.
    pub fn find(&self, text: &str) -> Option<Numbers> {
        let Some((Piece::Literal(first), others)) = self.pieces.split_first() else { return None };
        let mut places = text.match_indices(first.as_str());
        places.find_map(|(at, _)| {
            let begins = !first.starts_with(is_word) || !text[..at].ends_with(is_word);
            let end = at + first.len();
            let ends = !others.is_empty() || is_end(first, &text[end..]);
            if begins && ends { follow(others, &text[end..], Numbers::default()) } else { None }
        })
    }
}

/// The words of a fragment that are holes, each with the character that stands for it in a plain text.
const HOLES: &[(&str, char)] =
    &[("N", '\u{1}'), ("K", '\u{1}'), ("LIMIT", '\u{2}'), ("ASKED", '\u{3}'), ("ID", '\u{4}')];

/// A fragment with one character for each hole.
fn marked(fragment: &str) -> String {
    let words = fragment.split_inclusive(|letter: char| !is_word(letter));
    let marked = words.map(|word| {
        let bare = word.trim_end_matches(|letter: char| !is_word(letter));
        match HOLES.iter().find(|(name, _)| *name == bare) {
            Some((name, hole)) => format!("{hole}{}", &word[name.len()..]),
            None => word.to_owned(),
        }
    });
    marked.collect()
}

fn hole(letter: char) -> Option<Piece> {
    match letter {
        '\u{1}' => Some(Piece::Number(Meaning::Any)),
        '\u{2}' => Some(Piece::Number(Meaning::Limit)),
        '\u{3}' => Some(Piece::Number(Meaning::Asked)),
        '\u{4}' => Some(Piece::Value),
        _ => None,
    }
}

/// The numbers of the pieces, where they follow one another from here on.
fn follow(pieces: &[Piece], text: &str, mut numbers: Numbers) -> Option<Numbers> {
    let Some((piece, others)) = pieces.split_first() else { return Some(numbers) };
    match piece {
        Piece::Literal(literal) => {
            let behind = text.strip_prefix(literal.as_str())?;
            let ends = !others.is_empty() || is_end(literal, behind);
            if ends { follow(others, behind, numbers) } else { None }
        }
        Piece::Number(meaning) => {
            let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != ',').unwrap_or(text.len());
            let digits = text[..end].trim_end_matches(',');
            let number = digits.replace(',', "").parse::<u64>().ok();
            number.or((*meaning == Meaning::Any && !digits.is_empty()).then_some(0))?;
            match meaning {
                Meaning::Limit => numbers.limit = number,
                Meaning::Asked => numbers.asked = Some(numbers.asked.unwrap_or(0).saturating_add(number?)),
                Meaning::Any => {}
            }
            follow(others, &text[digits.len()..], numbers)
        }
        Piece::Value => {
            let reach = (0..=text.len().min(LONGEST_VALUE)).rev().find(|end| text.is_char_boundary(*end))?;
            let Some((Piece::Literal(next), _)) = others.split_first() else {
                return (reach > 0).then_some(numbers);
            };
            let skipped = text[..reach].find(next.as_str()).filter(|skipped| *skipped > 0)?;
            follow(others, &text[skipped..], numbers)
        }
    }
}

/// How many literal bytes of the pieces stand here, where the text ends before they do.
fn begun(pieces: &[Piece], text: &str) -> Option<usize> {
    let (piece, others) = pieces.split_first()?;
    match piece {
        Piece::Literal(literal) => match text.strip_prefix(literal.as_str()) {
            Some(behind) => Some(literal.len() + begun(others, behind)?),
            None => literal.starts_with(text).then_some(text.len()),
        },
        Piece::Number(_) => {
            let behind = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ',');
            if behind.len() < text.len() { begun(others, behind) } else { None }
        }
        Piece::Value => {
            let Some((Piece::Literal(next), _)) = others.split_first() else { return None };
            match text.find(next.as_str()) {
                Some(skipped) => begun(others, &text[skipped..]),
                None if text.len() <= LONGEST_VALUE => Some(overlap(text, next)).filter(|length| *length > 0),
                None => None,
            }
        }
    }
}

/// How many bytes of the beginning of a literal end a text.
fn overlap(text: &str, literal: &str) -> usize {
    let ends = (1..=literal.len()).rev().filter(|end| literal.is_char_boundary(*end));
    ends.into_iter().find(|end| text.ends_with(&literal[..*end])).unwrap_or(0)
}

/// Whether a literal that ends a template ends with a whole word.
fn is_end(literal: &str, behind: &str) -> bool {
    !literal.ends_with(is_word) || !behind.starts_with(is_word)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a character is of an index, or the hole of one.
fn is_index(letter: char) -> bool {
    letter.is_ascii_digit() || letter == '\u{1}'
}

/// A text without what logs change: quotes and backslashes are left out, white space is one space, letters are small, and
/// an index is written `.2`.
pub fn plain(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' | '`' | '\\' | '‘' | '’' | '“' | '”' => {}
            '[' if letters.peek().is_some_and(|next| is_index(*next)) => {
                if !made.ends_with('.') {
                    made.push('.');
                }
                while let Some(digit) = letters.next_if(|next| is_index(*next)) {
                    made.push(digit);
                }
                letters.next_if_eq(&']');
            }
            _ if letter.is_whitespace() => {
                if !made.ends_with(' ') {
                    made.push(' ');
                }
            }
            _ => made.extend(letter.to_lowercase()),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, text: &str, expected: Option<(Option<u64>, Option<u64>)>) {
        let found = Template::new(template).find(&plain(text));
        assert_eq!(found.map(|numbers| (numbers.limit, numbers.asked)), expected, "{template}: {text}");
    }

    const FOUND: Option<(Option<u64>, Option<u64>)> = Some((None, None));

    #[test]
    fn a_template_is_found_however_the_log_writes_it() {
        check("`tool_use` ids must be unique", r"messages: \`Tool_use\`  ids must be unique.", FOUND);
        check("Invalid 'messages[N].name': string", "Invalid 'messages.[12].name': string does", FOUND);
        check("Invalid 'messages[N].name': string", "Invalid 'messages[x].name': string does", None);
        check("[] is too short - 'messages.N.tool_calls'", "[] is too short - 'messages[3].tool_calls'", FOUND);
        check("with id ID was found", "tool use with id srvtoolu_1 was found", FOUND);
        check("with id ID was found", "tool use with id was found", None);
        check("maximum length 40", "maximum length 4096", None);
        check("is blank", "this blank", None);
    }

    #[test]
    fn named_numbers_are_told() {
        check(
            "long: ASKED tokens > LIMIT max",
            "too long: 210,000 tokens > 200000 max",
            Some((Some(200_000), Some(210_000))),
        );
        check(
            "limit: ASKED + ASKED > LIMIT",
            "limit: 190000 + 20000 > 200000, so",
            Some((Some(200_000), Some(210_000))),
        );
        check("of N in LIMIT", "of 99999999999999999999999 in 3", Some((Some(3), None)));
        check("of LIMIT", "of 99999999999999999999999", None);
    }

    #[test]
    fn an_odd_text_is_searched_in_no_time_and_without_panic() {
        let odd = "with id é".repeat(50_000);
        check("with id ID was found", &odd, None);
        check("N", &odd, None);
        check("", &odd, FOUND.filter(|_| false));
    }
}
