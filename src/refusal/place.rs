//! Where a provider's text points: the entry of the message list, its block, and the ids it names.

/// Lists that a path may begin with.
const LISTS: &[&str] = &["messages", "message", "input", "contents"];

/// Lists of blocks inside a message.
const BLOCKS: &[&str] = &["content", "parts"];

/// The position of a message, and that of a block inside it, by the first path of a text: `messages.2.content.0`,
/// `messages.[3].role`, `input[3].id`, `#/messages/2/content/0`, `message at index 4`.
pub fn place(text: &str) -> Option<(u32, Option<u32>)> {
    let starts = LISTS.iter().flat_map(|list| text.match_indices(list).map(|(at, list)| (at, at + list.len())));
    let mut starts: Vec<(usize, usize)> = starts.filter(|(at, _)| !text[..*at].ends_with(is_letter)).collect();
    starts.sort_unstable();
    starts.iter().find_map(|(_, end)| {
        let rest = &text[*end..];
        let (message, behind) = index(rest).or_else(|| index_in_words(rest)).map(from_zero)?;
        let block = BLOCKS.iter().find_map(|name| {
            let (_, inner) = behind.split_once(name).filter(|(between, _)| between.chars().all(is_separator))?;
            index(inner).map(from_zero)
        });
        Some((message, block.map(|(block, _)| block)))
    })
}

/// A number behind separators, and what follows it.
fn index(text: &str) -> Option<(u32, &str)> {
    let digits = text.trim_start_matches(is_separator);
    if digits.len() == text.len() {
        return None;
    }
    number(digits)
}

/// An index counted from 0: AWS counts from 1 where it writes `messages.1.member`.
fn from_zero((index, behind): (u32, &str)) -> (u32, &str) {
    match behind.strip_prefix(".member") {
        Some(behind) => (index.saturating_sub(1), behind),
        None => (index, behind),
    }
}

/// A number behind `at index` or `at position`.
fn index_in_words(text: &str) -> Option<(u32, &str)> {
    number(["at index ", "at position ", "index "].iter().find_map(|words| text.trim_start().strip_prefix(words))?)
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '.' | '[' | ']' | '/')
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// How the ids of tool calls and items begin.
const PREFIXES: &[&str] = &[
    "toolu_",
    "srvtoolu_",
    "mcptoolu_",
    "tooluse_",
    "call_",
    "chatcmpl-tool-",
    "fc_",
    "rs_",
    "msg_",
    "ctc_",
    "functions.",
];

/// What stands in front of ids in the texts of providers.
const PHRASES: &[&str] = &[
    "blocks: ",
    "blocks with id: ",
    "immediately after: ",
    "response messages: ",
    "following Ids: ",
    "duplicate Ids: ",
    "with call_id ",
    "with id ",
    "function call ",
    "tool call ",
    "shell call ",
    "computer call ",
    "Tool call id was ",
    "tool id(",
    "tool_call_id: ",
    "tool_call_id of ",
    "tool_call with ID ",
];

/// The most ids that are taken from a text.
const MOST_IDS: usize = 100;

/// The ids that a text names, each once, in order.
pub fn ids(text: &str) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for phrase in PHRASES {
        for (at, phrase) in text.match_indices(phrase) {
            found.extend(listed(text, at + phrase.len()));
        }
    }
    let mut at = 0;
    for word in text.split(|letter: char| !is_id_letter(letter)) {
        let is_made = word.contains(|letter: char| letter.is_ascii_digit());
        if is_made && PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
            found.push((at, trimmed(word)));
        }
        // What splits is one character, of whatever size.
        at += word.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    found.sort_unstable();
    found.dedup();
    let mut ids: Vec<String> = Vec::new();
    for (_, id) in found {
        if ids.len() < MOST_IDS && !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    ids
}

/// The ids that begin here, with commas between them.
fn listed(text: &str, mut at: usize) -> Vec<(usize, &str)> {
    let mut ids = Vec::new();
    while ids.len() < MOST_IDS {
        at += text[at..].len() - text[at..].trim_start_matches(['\'', '"', '`', ' ']).len();
        let end = text[at..].find(|letter: char| !is_id_letter(letter)).map_or(text.len(), |end| at + end);
        let word = trimmed(&text[at..end]);
        if !is_id(word) {
            break;
        }
        ids.push((at, word));
        let rest = text[end..].trim_start_matches(['\'', '"', '`']);
        let Some(behind) = rest.strip_prefix(',') else { break };
        at = text.len() - behind.len();
    }
    ids
}

/// Whether a word behind a phrase is an id and no word of the sentence.
fn is_id(word: &str) -> bool {
    word.len() > 1 && word.contains(|letter: char| letter.is_ascii_digit() || "_-:".contains(letter))
}

fn is_id_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.:".contains(letter)
}

/// A word without the punctuation of the sentence.
fn trimmed(word: &str) -> &str {
    word.trim_end_matches(['.', ':', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn at(text: &str, expected: Option<(u32, Option<u32>)>) {
        assert_eq!(place(text), expected, "{text}");
    }

    #[test]
    fn paths_of_every_provider_are_read() {
        at("messages.2.content.0: unexpected", Some((2, Some(0))));
        at("messages.12: `tool_use` ids", Some((12, None)));
        at("messages.[3].role", Some((3, None)));
        at("Invalid 'input[3].id': 'x'", Some((3, None)));
        at("Invalid 'messages[2].content[1].text'", Some((2, Some(1))));
        at("#/messages/2/content/0: extraneous key", Some((2, Some(0))));
        at("* GenerateContentRequest.contents[2].parts[4].function_response.name", Some((2, Some(4))));
        at("in the assistant message at message index 4", Some((4, None)));
        at("the message at position 7 with role", Some((7, None)));
        at("Value at 'messages.3.member.content.1.member.toolUse.name' failed", Some((2, Some(0))));
        at("messages: at least one message is required", None);
        at("put 3 input files", None);
        at("messages.99999999999999", None);
    }

    #[track_caller]
    fn named(text: &str, expected: &[&str]) {
        assert_eq!(ids(text), expected, "{text}");
    }

    #[test]
    fn ids_are_found_by_their_look_and_by_the_words_before_them() {
        named("found in `tool_result` blocks: toolu_01AB. Each `tool_result` block must", &["toolu_01AB"]);
        named("blocks immediately after: k-1, toolu_2. Each", &["k-1", "toolu_2"]);
        named("did not have response messages: call_a, call_b, x9", &["call_a", "call_b", "x9"]);
        named("Item 'fc_1' of type 'function_call' without 'reasoning' item: 'rs_2'.", &["fc_1", "rs_2"]);
        named("No tool call found for function call output with call_id k7.", &["k7"]);
        named("Tool call id was functions.kiln:0 but must be", &["functions.kiln:0"]);
        named("No tool output found for tool call call-a.", &["call-a"]);
        named("nothing é here", &[]);
    }
}
