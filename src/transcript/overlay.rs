//! Messages that a replay made: shortened ones, and those that it put in. Their numbers follow those of the transcript.

use super::{ContentForm, IdNo, Marks, MessageFacts, PartFacts, PartKind, Speaker, Transcript};
use crate::model::Tokens;

/// Messages beside those of a transcript.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    made: Vec<Made>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Made {
    pub facts: MessageFacts,
    pub parts: Vec<PartFacts>,
    /// The message that it stands for; none where it was put in.
    pub of: Option<u32>,
}

/// An overlay without a message.
pub static NOTHING: Overlay = Overlay { made: Vec::new() };

impl Overlay {
    /// Forgets all messages.
    pub fn clear(&mut self) {
        self.made.clear();
    }

    /// The message of that number behind those of the transcript.
    pub fn get(&self, at: usize) -> &Made {
        &self.made[at]
    }

    /// Takes a message in; gives its number behind the `n` of the transcript.
    pub fn add(&mut self, n: usize, made: Made) -> u32 {
        self.made.push(made);
        (n + self.made.len() - 1) as u32
    }
}

impl Made {
    /// A message of `tokens` that says something else than the one it is made of: calls, results and their ids stay.
    pub fn shortened(of: u32, facts: &MessageFacts, parts: &[PartFacts], tokens: Tokens) -> Made {
        let shorten = |part: &PartFacts| PartFacts { tokens: part.tokens.min(tokens), ..*part };
        Made { facts: MessageFacts { tokens, ..*facts }, parts: parts.iter().map(shorten).collect(), of: Some(of) }
    }

    /// A message of one text that nobody sent.
    pub fn inserted(speaker: Speaker, tokens: Tokens) -> Made {
        let text = PartFacts {
            kind: PartKind::Text,
            id: IdNo::NONE,
            tokens,
            empty: false,
            legacy: false,
            marks: Marks::default(),
        };
        let facts = MessageFacts {
            speaker,
            form: ContentForm::Text,
            tokens,
            parts_from: 0,
            has_calls: false,
            has_results: false,
            has_substitute: false,
            item: IdNo::NONE,
            marks: Marks::default(),
            pinned: false,
        };
        Made { facts, parts: vec![text], of: None }
    }
}

impl Transcript {
    /// The facts and parts of a message by its number, whether it is one of the transcript's or was made.
    pub fn message<'a>(&'a self, overlay: &'a Overlay, number: u32) -> (&'a MessageFacts, &'a [PartFacts]) {
        match (number as usize).checked_sub(self.messages.len()) {
            None => (&self.messages[number as usize], self.parts_of(number as usize)),
            Some(at) => (&overlay.get(at).facts, &overlay.get(at).parts),
        }
    }

    /// The transcript's message that a number stands for; none where it was put in.
    pub fn origin(&self, overlay: &Overlay, number: u32) -> Option<u32> {
        match (number as usize).checked_sub(self.messages.len()) {
            None => Some(number),
            Some(at) => overlay.get(at).of,
        }
    }
}
