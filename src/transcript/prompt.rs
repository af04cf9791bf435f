//! A prompt: a transcript seen through what is still resident.
//!
//! A logged request, a request after a simulated eviction and a request typed into `check` are all prompts, so one set
//! of rules judges all three. Positions count in the API's own list of the request that would be sent.

use crate::model::{Api, Tokens};

use super::{EnvelopeFacts, IdNo, Marks, MessageFacts, PartFacts, Speaker, Terms, Transcript, Unit};

/// The messages of a transcript that one request would send, in order.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    transcript: &'a Transcript,
    resident: &'a [u32],
    /// The call that sends it, as an index of the transcript's.
    call: usize,
}

/// A part's place in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub message: u32,
    pub block: u32,
}

/// One message of a prompt.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub message: &'a MessageFacts,
    pub parts: &'a [PartFacts],
}

impl<'a> Prompt<'a> {
    /// The prompt of the last call that sends the messages `resident` (indexes of the transcript, ascending).
    pub fn new(transcript: &'a Transcript, resident: &'a [u32]) -> Prompt<'a> {
        Prompt::of_call(transcript, transcript.calls.len().saturating_sub(1), resident)
    }

    /// The prompt of that call.
    pub fn of_call(transcript: &'a Transcript, call: usize, resident: &'a [u32]) -> Prompt<'a> {
        Prompt { transcript, resident, call }
    }

    /// The language of the request.
    pub fn api(&self) -> Api {
        self.transcript.api
    }

    /// Whom the request is for, and what it says beside its list; a transcript without calls says nothing.
    fn terms(&self) -> Option<&'a Terms> {
        let call = self.transcript.calls.get(self.call)?;
        self.transcript.terms.get(call.terms as usize)
    }

    /// The model that the request names.
    pub fn model(&self) -> Option<&'a str> {
        self.terms().and_then(|terms| terms.model.as_deref())
    }

    /// What the request says beside its list.
    pub fn envelope(&self) -> EnvelopeFacts {
        self.terms().map_or_else(EnvelopeFacts::default, |terms| terms.envelope)
    }

    /// Whether its list is that of one request, and not put together from many: marks that a client moves from request
    /// to request stand where they were sent.
    pub fn is_one_request(&self) -> bool {
        self.transcript.calls.len() <= 1
    }

    /// How many messages it sends.
    pub fn len(&self) -> usize {
        self.resident.len()
    }

    /// Whether it sends no message.
    pub fn is_empty(&self) -> bool {
        self.resident.is_empty()
    }

    /// The message at a position.
    pub fn entry(&self, position: usize) -> Entry<'a> {
        let index = self.resident[position] as usize;
        Entry { message: &self.transcript.messages[index], parts: self.transcript.parts_of(index) }
    }

    /// All messages in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'a>> + DoubleEndedIterator + use<'a> {
        let prompt = *self;
        (0..self.len()).map(move |position| prompt.entry(position))
    }

    /// Whether a message or part of the whole transcript has any of these marks: rules about them need not look if not.
    pub fn may_have(&self, marks: Marks) -> bool {
        self.transcript.has_any(marks)
    }

    /// The parts that have any of these marks, in order.
    pub fn marked(&self, marks: Marks) -> impl Iterator<Item = (Site, &'a PartFacts)> + use<'a> {
        let in_entry = move |(message, entry): (u32, Entry<'a>)| {
            let parts = (0..).zip(entry.parts).filter(move |(_, part)| part.marks.any(marks));
            parts.map(move |(block, part)| (Site { message, block }, part))
        };
        (0..).zip(self.looked_at_for(marks)).flat_map(in_entry)
    }

    /// The messages that have any of these marks themselves, with their positions.
    pub fn marked_messages(&self, marks: Marks) -> impl Iterator<Item = (usize, &'a MessageFacts)> + use<'a> {
        let messages = self.looked_at_for(marks).map(|entry| entry.message);
        messages.enumerate().filter(move |(_, message)| message.marks.any(marks))
    }

    /// All messages, or none if none can have these marks.
    fn looked_at_for(&self, marks: Marks) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let prompt = *self;
        let n = if self.may_have(marks) { self.len() } else { 0 };
        (0..n).map(move |position| prompt.entry(position))
    }

    /// The first message of the latest assistant turn: from its last message back over results to where a user began.
    pub fn latest_turn(&self) -> usize {
        let is_assistant = |at: &usize| self.entry(*at).message.speaker == Speaker::Assistant;
        let Some(last) = (0..self.len()).rev().find(is_assistant) else { return self.len() };
        let turn = (0..=last).rev().take_while(|at| is_assistant(at) || self.entry(*at).message.has_results);
        turn.last().unwrap_or(last)
    }

    /// The messages of the transcript that are gone while one of their calls is answered only behind this prompt.
    pub fn evicted_while_pending(&self) -> impl Iterator<Item = u32> + use<'a> {
        let (transcript, resident) = (self.transcript, self.resident);
        let last = resident.last().copied().unwrap_or(0);
        let mut kept = resident.iter().peekable();
        (0..last).filter(move |index| {
            let is_kept = kept.next_if_eq(&index).is_some();
            let message = &transcript.messages[*index as usize];
            !is_kept && message.has_calls && message.answered_at > last
        })
    }

    /// Tokens of a lone request with what it reserves for output.
    pub fn lone_size(&self) -> Option<u64> {
        let call = self.transcript.calls.get(self.call).filter(|_| self.envelope().is_lone)?;
        Some(u64::from(call.fixed) + u64::from(self.tokens()) + u64::from(call.reserve))
    }

    /// The index in the full transcript of the message at a position.
    pub fn index(&self, position: usize) -> u32 {
        self.resident[position]
    }

    /// The id behind a number; `None` for [`IdNo::NONE`].
    pub fn id(&self, id: IdNo) -> Option<&'a str> {
        self.transcript.id(id)
    }

    /// How many distinct ids the transcript has; every [`IdNo`] but `NONE` is below.
    pub fn n_ids(&self) -> usize {
        self.transcript.n_ids()
    }

    /// Tokens of the messages, without what stands outside the list.
    pub fn tokens(&self) -> Tokens {
        self.entries().map(|entry| entry.message.tokens).sum()
    }

    /// The unit that the message at a position belongs to, as a number that grows along the prompt.
    pub fn unit(&self, position: usize, unit: Unit) -> u32 {
        let message = self.entry(position).message;
        match unit {
            Unit::Message => self.resident[position],
            Unit::Round => message.round,
            Unit::Exchange => message.exchange,
        }
    }
}
