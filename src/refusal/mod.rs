//! Errors as data: what a logged refusal says, whatever it was wrapped in.
//!
//! A text is unwrapped to what the provider said, and that is held against the texts of the rules, those of a full
//! context window, and the signs of what has nothing to do with messages. A text that fits none of them is never guessed
//! at: it has a fingerprint, which all texts of its kind share. Nothing here fails, and the time is linear in the text.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::rules::RULES;

mod cause;
mod fingerprint;
mod lenient;
mod overflow;
mod place;
mod prose;
mod template;
mod unwrap;

pub use cause::Cause;
pub use template::Numbers;
use template::{Template, plain};
use unwrap::Said;

/// A logged error with what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What the provider said, without wrappers.
    pub said: String,
    pub recognised: Recognised,
}

/// What an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// Rules are broken.
    Broken(Broken),
    /// The request does not fit into the model's context window.
    Overflow(Numbers),
    /// It is not the messages.
    NotStructural(Cause),
    /// No text that is known; the name of all texts of its kind.
    Unclassified(String),
}

/// Rules that a provider says are broken, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Broken {
    /// The rules that state the text, the likeliest first; the text does not tell them apart.
    pub rules: Vec<&'static str>,
    /// The position that the provider points at, in its own list.
    pub message: Option<u32>,
    pub block: Option<u32>,
    pub ids: Vec<String>,
}

/// Recognises an error by its text: a body, a message, or either in whatever a client or a log made of it.
///
/// ```
/// use cutpoint::refusal::{Recognised, recognise};
///
/// let text = "Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'messages.4: \
///             `tool_use` ids were found without `tool_result` blocks immediately after: toolu_7.'}}";
/// let Recognised::Broken(broken) = recognise(text, None).recognised else { panic!("a rule is broken") };
/// assert_eq!(broken.rules[0], "unanswered_tool_call");
/// assert_eq!((broken.message, broken.ids[0].as_str()), (Some(4), "toolu_7"));
/// ```
pub fn recognise(text: &str, status: Option<u16>) -> Refusal {
    let said = unwrap::said(text);
    let words = plain(&placed(&said));
    let status = status.or(said.status);
    let broken_by = |rules| {
        let place = said.param.as_deref().and_then(place::place).or_else(|| place::place(&said.message));
        let (message, block) = (place.map(|(message, _)| message), place.and_then(|(_, block)| block));
        Recognised::Broken(Broken { rules, message, block, ids: place::ids(&said.message) })
    };
    let recognised = if let Some(rules) = broken(&words).or_else(|| broken_by_name(&said.names)) {
        broken_by(rules)
    } else if let Some(numbers) = overflow::overflow(&said, &words) {
        Recognised::Overflow(numbers)
    } else if let Some(cause) = cause::cause(&said, &words, status) {
        Recognised::NotStructural(cause)
    } else if let Some(begun) = cut_off(&words) {
        begun.map_or(Recognised::Overflow(Numbers::default()), broken_by)
    } else if overflow::is_classed(&said, &words) {
        Recognised::Overflow(Numbers::default())
    } else if let Some(cause) = cause::of_class(&said) {
        Recognised::NotStructural(cause)
    } else {
        Recognised::Unclassified(fingerprint::fingerprint(&said.message))
    };
    Refusal { said: said.message, recognised }
}

/// A text with the rules that state it.
type Known = (Template, Vec<&'static str>);

/// The texts of all rules, the longest first.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut texts: Vec<&'static str> = RULES.iter().flat_map(|rule| rule.texts).copied().collect();
    texts.sort_unstable();
    texts.dedup();
    let of = |text: &str| RULES.iter().filter(|rule| rule.texts.contains(&text)).map(|rule| rule.id).collect();
    let mut known: Vec<Known> = texts.into_iter().map(|text| (Template::new(text), of(text))).collect();
    known.sort_by_key(|(template, _)| std::cmp::Reverse(template.weight()));
    known
});

/// The rules of the longest text that stands in plain words.
fn broken(words: &str) -> Option<Vec<&'static str>> {
    let found = KNOWN.iter().find(|(template, _)| template.find(words).is_some());
    found.map(|(_, rules)| rules.clone())
}

/// The rules that one of the names of an error stands for.
fn broken_by_name(names: &[String]) -> Option<Vec<&'static str>> {
    names.iter().find_map(|name| broken(&plain(name)))
}

/// What is said, behind the path at fault where that is stated beside it: validators give both apart.
fn placed(said: &Said) -> String {
    match said.param.as_deref().filter(|param| place::place(param).is_some() && !said.message.contains(param)) {
        Some(param) => format!("{param}: {}", said.message),
        None => said.message.clone(),
    }
}

/// How much of a text must be there before it is taken for one that was cut off, in bytes.
const LEAST_BEGUN: usize = 20;

/// The rules of the texts of which most stands at the end of plain words that a log cut off; `Some(None)` where that is
/// a text of a full window.
fn cut_off(words: &str) -> Option<Option<Vec<&'static str>>> {
    let words = words.trim_end_matches(['.', '…', ' ']);
    let begun: Vec<(usize, &Known)> = KNOWN.iter().map(|known| (known.0.begun(words), known)).collect();
    let most = begun.iter().map(|(length, _)| *length).max().unwrap_or(0);
    let overflows = overflow::begun(words);
    if most.max(overflows) < LEAST_BEGUN {
        return None;
    }
    if overflows > most {
        return Some(None);
    }
    let told: Vec<_> = begun.iter().filter(|(length, _)| *length == most).flat_map(|(_, (_, rules))| rules).collect();
    Some(Some(RULES.iter().map(|rule| rule.id).filter(|id| told.contains(&id)).collect()))
}

impl Recognised {
    /// The word used in JSON and as the head of a column.
    pub fn as_str(&self) -> &'static str {
        match self {
            Recognised::Broken(_) => "refused",
            Recognised::Overflow(_) => "overflow",
            Recognised::NotStructural(_) => "not_structural",
            Recognised::Unclassified(_) => "unclassified",
        }
    }
}

impl Refusal {
    /// As the command line writes it.
    pub fn to_json(&self) -> Value {
        let mut fields = json!({ "kind": self.recognised.as_str(), "said": self.said });
        let told = match &self.recognised {
            Recognised::Broken(broken) => json!({
                "rules": broken.rules,
                "message_index": broken.message,
                "block_index": broken.block,
                "ids": broken.ids,
            }),
            Recognised::Overflow(numbers) => json!({ "limit": numbers.limit, "requested": numbers.asked }),
            Recognised::NotStructural(cause) => json!({ "cause": cause.as_str() }),
            Recognised::Unclassified(fingerprint) => json!({ "fingerprint": fingerprint }),
        };
        if let (Value::Object(fields), Value::Object(told)) = (&mut fields, told) {
            fields.extend(told);
        }
        fields
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wordings;
