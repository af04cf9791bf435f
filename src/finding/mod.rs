//! What rules say, of whom, and how bad that is: a finding has a place, ids and a sentence.

use crate::model::Api;
use crate::transcript::pairs::Pairs;
use crate::transcript::{IdNo, Prompt, Site};

mod load;
mod open_calls;
mod target;
mod verdict;

pub use crate::model::Verdict;
pub use load::Load;
pub use target::Target;
pub use verdict::Severity;

pub(crate) use open_calls::{Missing, report_open};
pub(crate) use target::{anthropic_error, error, error_for, identified_error, paired_error};

/// A rule broken at one place of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub severity: Severity,
    /// Position in the API's own list; `None` where the request as a whole is meant.
    pub message: Option<u32>,
    /// Position of the block inside that message.
    pub block: Option<u32>,
    /// The ids it is about.
    pub ids: Vec<IdNo>,
    /// What is wrong here and what to do, in one sentence.
    pub say: String,
    /// How call and result lost each other, where that is what is wrong.
    pub shape: Option<Shape>,
}

/// How a call and its result lost each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// What stood before the result was cut off, its call with it.
    Head,
    /// The list ends with the call.
    Tail,
    /// The call, or its result, is gone from between messages that stayed.
    Middle,
    /// Results of several messages stand in one run, and only some of their calls before it.
    MixedParents,
    /// Something was put between the two.
    Split,
}

impl Shape {
    /// The word used in JSON and on pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Shape::Head => "head",
            Shape::Tail => "tail",
            Shape::Middle => "middle",
            Shape::MixedParents => "mixed_parents",
            Shape::Split => "split",
        }
    }
}

/// Where a finding points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    pub message: Option<u32>,
    pub block: Option<u32>,
}

impl Place {
    /// The request as a whole.
    pub const REQUEST: Place = Place { message: None, block: None };

    /// A message as a whole.
    pub fn message(position: usize) -> Place {
        Place { message: Some(position as u32), block: None }
    }

    /// A block of a message.
    pub fn block(position: usize, block: u32) -> Place {
        Place { message: Some(position as u32), block: Some(block) }
    }
}

impl From<Site> for Place {
    fn from(site: Site) -> Place {
        Place { message: Some(site.message), block: Some(site.block) }
    }
}

/// Collects what the rules find on one prompt, and lends them what they share.
pub struct Findings<'a> {
    pub found: Vec<Finding>,
    /// The calls and results of the prompt, paired once for all rules.
    pub pairs: &'a Pairs,
    target: Target<'a>,
    rule: &'static str,
    severity: Severity,
}

impl<'a> Findings<'a> {
    /// Nothing yet, for a target.
    pub fn new(pairs: &'a Pairs, target: &Target<'a>) -> Findings<'a> {
        Findings { found: Vec::new(), pairs, target: *target, rule: "", severity: Severity::Info }
    }

    /// Goes on with the rule of that name, which is that bad for the target.
    pub fn begin(&mut self, rule: &'static str, severity: Severity) {
        (self.rule, self.severity) = (rule, severity);
    }

    /// How bad the rule at work is for the target.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Whom the request is judged for.
    pub fn target(&self) -> &Target<'_> {
        &self.target
    }

    /// The tokens of a lone request with its output reserve, and the window that they have to fit, as far as these are
    /// known.
    pub fn load(&self, prompt: &Prompt) -> Option<Load> {
        Load::of(prompt, &self.target)
    }

    /// Reports the rule as broken, as badly as it states for the target.
    pub fn report(&mut self, place: Place, ids: Vec<IdNo>, say: String) {
        self.report_as(self.severity, place, ids, say);
    }

    /// Reports the rule as broken, where one rule has faults of several severities.
    pub fn report_as(&mut self, severity: Severity, place: Place, mut ids: Vec<IdNo>, say: String) {
        ids.retain(|id| *id != IdNo::NONE);
        // Calls and results of Chat are no blocks of its content; those of Responses are items.
        let is_block = !matches!(self.target.api, Api::OpenaiChat | Api::MistralChat | Api::OpenaiResponses);
        let block = place.block.filter(|_| is_block);
        self.found.push(Finding { rule: self.rule, severity, message: place.message, block, ids, say, shape: None });
    }

    /// Reports the rule as broken because a call and its result lost each other.
    pub fn report_lost(&mut self, shape: Shape, place: Place, ids: Vec<IdNo>, say: String) {
        self.report(place, ids, say);
        self.found.last_mut().into_iter().for_each(|finding| finding.shape = Some(shape));
    }
}

/// Ids as a sentence names them: each in backticks, at most three.
pub(crate) fn names(prompt: &Prompt, ids: &[IdNo]) -> String {
    let name = |id: &IdNo| prompt.id(*id).map_or_else(|| "without an id".to_owned(), |id| format!("`{id}`"));
    let mut text = ids.iter().take(3).map(name).collect::<Vec<_>>().join(", ");
    if ids.len() > 3 {
        text += &format!(" and {} more", ids.len() - 3);
    }
    text
}
