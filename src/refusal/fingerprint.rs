//! What stays the same of an error text from one request to the next.

use super::template::plain;

/// How many characters of a text count: texts may go on with what a user wrote, or be cut off.
const COUNTED: usize = 160;

/// A short name for all texts that differ only in ids, numbers, quotes and white space.
pub fn fingerprint(text: &str) -> String {
    let plain = plain(text);
    let mut shape = String::new();
    for word in plain.trim().trim_end_matches('.').split_inclusive(|letter: char| !is_word(letter)).take(COUNTED) {
        let bare = word.trim_end_matches(|letter: char| !is_word(letter));
        match bare.contains(|letter: char| letter.is_ascii_digit()) {
            true => shape.push('#'),
            false => shape.push_str(bare),
        }
        shape.push_str(&word[bare.len()..]);
    }
    let counted: String = shape.chars().take(COUNTED).collect();
    blake3::hash(counted.as_bytes()).to_hex()[..8].to_owned()
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(one: &str, other: &str, expected: bool) {
        assert_eq!(fingerprint(one) == fingerprint(other), expected, "{one} / {other}");
    }

    #[test]
    fn ids_numbers_quotes_and_space_do_not_count() {
        same("messages.2: id `toolu_01` is  odd", "messages.17: id 'toolu_9z' is odd", true);
        same("messages[2]: bad", "messages.[31]: bad", true);
        same("a kiln is hot", "a kiln is cold", false);
        assert_eq!(fingerprint("").len(), 8);
    }
}
