//! The textbook validator: one pass and one set of open ids; a call must be answered in the very next messages.
//!
//! It knows four failures and nothing of duplicates, of order inside a message, or of messages that the provider
//! merges. On prompts without these it finds the same first message at fault as the rules do, and it does so without
//! looking anything up: a stamp for each id says in which turn it was opened.

use crate::model::Api;
use crate::transcript::prompt::{Entry, Prompt};
use crate::transcript::{IdNo, PartKind, Speaker};

/// What the textbook calls wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A result without its call right before it.
    Orphan,
    /// Some calls of a message are answered, others are not.
    PartlyAnswered,
    /// No call of a message is answered.
    Unanswered,
    /// The prompt ends with calls.
    Trailing,
}

/// The first message at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Position in the prompt.
    pub message: u32,
    pub failure: Failure,
}

/// The set of open ids, kept from prompt to prompt so that checking allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Textbook {
    /// By id: the turn in which it is open.
    opened: Vec<u32>,
    turn: u32,
    /// Where the open turn began, how many calls it made, and how many are open.
    asked_at: u32,
    n_asked: u32,
    n_open: u32,
    /// Calls of the open turn that have no id.
    n_nameless: u32,
}

impl Textbook {
    /// The first message of a prompt at fault, if any.
    pub fn first_fault(&mut self, prompt: &Prompt) -> Option<Fault> {
        if self.opened.len() < prompt.n_ids() {
            self.opened.resize(prompt.n_ids(), 0);
        }
        self.forget();
        let mut orphan = None;
        for (position, entry) in prompt.entries().enumerate() {
            if !answers(prompt.api(), entry.message.speaker) {
                if let Some(fault) = self.unanswered(false).or(orphan) {
                    return Some(fault);
                }
                self.ask(position as u32, &entry);
            } else if self.answer(&entry) {
                orphan = orphan.or(Some(Fault { message: position as u32, failure: Failure::Orphan }));
            }
            // Anthropic answers in one message; behind it nothing of the turn is open any more.
            if prompt.api() == Api::AnthropicMessages && entry.message.speaker == Speaker::User {
                if let Some(fault) = self.unanswered(false).or(orphan) {
                    return Some(fault);
                }
                self.forget();
            }
        }
        self.unanswered(true).or(orphan)
    }

    fn forget(&mut self) {
        self.turn = self.turn.checked_add(1).unwrap_or_else(|| {
            self.opened.fill(0);
            1
        });
        (self.n_asked, self.n_open, self.n_nameless) = (0, 0, 0);
    }

    fn ask(&mut self, position: u32, entry: &Entry) {
        self.forget();
        if !entry.message.has_calls || entry.message.speaker != Speaker::Assistant {
            return;
        }
        self.asked_at = position;
        for part in entry.parts.iter().filter(|part| part.kind == PartKind::ToolUse) {
            self.n_asked += 1;
            self.n_open += 1;
            match part.id {
                IdNo::NONE => self.n_nameless += 1,
                id => self.opened[id.0 as usize] = self.turn,
            }
        }
    }

    /// Closes the calls that a message answers; whether one of its results has none.
    fn answer(&mut self, entry: &Entry) -> bool {
        let mut has_orphan = false;
        for part in entry.parts.iter().filter(|part| part.kind == PartKind::ToolResult) {
            let is_open = match part.id {
                IdNo::NONE => self.n_nameless > 0,
                id => self.opened[id.0 as usize] == self.turn,
            };
            if !is_open {
                has_orphan = true;
                continue;
            }
            self.n_open -= 1;
            match part.id {
                IdNo::NONE => self.n_nameless -= 1,
                id => self.opened[id.0 as usize] = 0,
            }
        }
        has_orphan
    }

    fn unanswered(&self, is_end: bool) -> Option<Fault> {
        let failure = match self.n_open {
            0 => return None,
            open if open < self.n_asked => Failure::PartlyAnswered,
            _ if is_end => Failure::Trailing,
            _ => Failure::Unanswered,
        };
        Some(Fault { message: self.asked_at, failure })
    }
}

fn answers(api: Api, speaker: Speaker) -> bool {
    match api {
        Api::AnthropicMessages | Api::BedrockConverse | Api::GeminiGenerateContent => speaker == Speaker::User,
        _ => matches!(speaker, Speaker::Tool | Speaker::Function),
    }
}
