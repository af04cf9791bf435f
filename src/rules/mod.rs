//! What providers refuse: one file a rule, each a constant in [`RULES`].
//!
//! A rule looks at one prompt and reports findings. It knows neither the log a prompt came from nor the policy that
//! made it, and it never looks at another call: whatever needs history is a fact of the transcript.

use crate::catalog::{self, Abilities};
use crate::model::Api;
use crate::profiles::Profile;
use crate::transcript::pairs::{Ask, Fate, Group, Site};
use crate::transcript::{IdNo, Pairs, Prompt};

pub use context_window_exceeded::Load;

/// The rule about requests that do not fit their window: it is about size, the others are about structure.
pub const OVERFLOW: &str = context_window_exceeded::RULE.id;

mod block_wrong_role;
mod duplicate_tool_call_id;
mod duplicate_tool_result;
mod empty_content;
mod empty_messages;
mod missing_tool_call_id;
mod orphan_tool_result;
mod partial_parallel_results;
mod text_before_tool_result;
mod system_role_not_supported;
mod tool_result_not_adjacent;
mod trailing_tool_call;
mod unanswered_tool_call;
mod unknown_role;
mod tool_call_id_too_long;
mod thinking_block_final;
mod thinking_block_not_first;
mod text_after_tool_use;
mod invalid_tool_arguments;
mod error_result_not_text;
mod whitespace_only_text;
mod cache_control_not_allowed;
mod image_not_allowed_for_role;
mod invalid_function_name;
mod trailing_assistant_prefill;
mod cache_ttl_order;
mod too_many_cache_breakpoints;
mod thinking_block_missing;
mod container_missing;
mod reasoning_item_dangling;
mod duplicate_item_id;
mod invalid_item_id;
mod missing_required_field;
mod item_not_persisted;
mod exclusive_history_sources;
mod server_side_history;
mod gemini_function_count_mismatch;
mod gemini_function_turn_order;
mod gemini_thought_signature_missing;
mod missing_function_name;
mod tools_undefined_with_tool_blocks;
mod blank_text;
mod invalid_document_name;
mod duplicate_document_name;
mod too_many_documents;
mod document_without_text;
mod mixed_tool_and_text_turn;
mod user_after_tool;
mod tool_result_count_mismatch;
mod split_parallel_results;
mod invalid_tool_call_id;
mod empty_text_block;
mod trailing_whitespace;
mod first_message_not_user;
mod consecutive_same_role;
mod thinking_block_prefix_changed;
mod bound_thinking_kept;
mod pending_call_evicted;
mod thinking_block_modified;
mod thinking_signature_invalid;
mod orphan_server_tool_result;
mod unanswered_server_tool_call;
mod empty_tool_calls;
mod system_message_position;
mod invalid_message_name;
mod reasoning_item_missing;
mod gemini_thought_signature_invalid;
mod reasoning_content_missing;
mod no_user_message;
mod context_window_exceeded;
mod truncated_payload;
mod ids_masked;
mod missing_parent;
mod compaction_range_tie;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the request is taken.
    Info,
    /// The target, the model or the day decides, and the request does not settle which.
    Warning,
    /// The provider answers 400.
    Error,
}

impl Severity {
    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl Severity {
    /// The verdict on a request whose worst finding is this bad.
    pub fn verdict(self) -> Verdict {
        match self {
            Severity::Info => Verdict::Accept,
            Severity::Warning => Verdict::Depends,
            Severity::Error => Verdict::Reject,
        }
    }
}

/// Something that a provider refuses.
pub struct Rule {
    /// Its stable name, as in findings, URLs and `cutpoint explain`.
    pub id: &'static str,
    /// One sentence: what it finds.
    pub about: &'static str,
    /// The rule's documentation, which `cutpoint explain` prints: what it finds, why, example, remedy, sources.
    pub docs: &'static str,
    /// What providers answer, to recognise a logged error by: fragments in which `N` and `K` stand for a number and
    /// `ID` for any value. Where several rules state one text, it does not tell them apart.
    pub texts: &'static [&'static str],
    /// What it finds hides part of the request, so that nobody can judge the whole.
    pub hides: bool,
    pub scope: Scope,
    /// Who takes and who refuses what a warning of it is about.
    pub sides: &'static [Side],
    /// How bad it is for a target; `None` where the rule does not apply.
    pub severity: fn(&Target) -> Option<Severity>,
    pub check: fn(&Prompt, &mut Findings),
}

/// What one of the targets that a warning leaves open would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    pub target: &'static str,
    pub verdict: Verdict,
}

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

/// Collects what the rules find on one prompt, and lends them what they share.
pub struct Findings<'a> {
    pub found: Vec<Finding>,
    /// The calls and results of the prompt, paired once for all rules.
    pub pairs: &'a Pairs,
    target: Target<'a>,
    rule: &'static str,
    severity: Severity,
}

impl Findings<'_> {
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

/// How far a rule looks to tell whether a message is at fault. (Which of the pairing rules names the fault may still
/// change: a result that comes too late turns `unanswered_tool_call` into `tool_result_not_adjacent`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The message and its neighbours up to the end of the next turn: a later message may heal or reveal the fault.
    Neighbours,
    /// The list from its head up to the message: what follows never changes the finding.
    List,
}

/// Whom a request is judged for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub api: Api,
    /// The server that adds rules, if not the first party.
    pub profile: Option<&'static Profile>,
    pub model: Option<&'a str>,
    /// What is known of the model: every rule may ask, so it is looked up once.
    abilities: Abilities,
}

impl<'a> Target<'a> {
    /// The first party of an API.
    pub fn new(api: Api, model: Option<&'a str>) -> Target<'a> {
        Target::of(api, None, model)
    }

    /// The server of a profile, or the first party.
    pub fn of(api: Api, profile: Option<&'static Profile>, model: Option<&'a str>) -> Target<'a> {
        Target { api, profile, model, abilities: model.map(catalog::abilities).unwrap_or_default() }
    }

    /// Whether a fact of the profile holds; `false` for a first party.
    pub fn has(&self, fact: fn(&Profile) -> bool) -> bool {
        self.profile.is_some_and(fact)
    }

    /// How bad it is to break what the chat template of the model asks for; `None` where no template renders the list,
    /// or the model's does not ask.
    pub fn template(&self, asks: fn(&Abilities) -> Option<bool>) -> Option<Severity> {
        if !self.has(|profile| profile.has_template) {
            return None;
        }
        match asks(&self.abilities()) {
            Some(true) => Some(Severity::Error),
            Some(false) => None,
            None => Some(Severity::Warning),
        }
    }

    /// The window of the model in tokens, if the catalogue knows it.
    pub fn window(&self) -> Option<u64> {
        self.model.and_then(catalog::window)
    }

    /// What is known of the model.
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }
}

/// What a provider would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Accept,
    Depends,
    /// Part of the request is not at hand: cut or masked by the log, or kept by the server.
    Unverifiable,
    Reject,
}

impl Verdict {
    /// Every verdict, from taken to refused.
    pub const ALL: &[Verdict] = &[Verdict::Accept, Verdict::Depends, Verdict::Unverifiable, Verdict::Reject];

    /// The word used in JSON, on pages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Accept => "accept",
            Verdict::Depends => "depends",
            Verdict::Unverifiable => "unverifiable",
            Verdict::Reject => "reject",
        }
    }

    /// Whether a policy may be charged for what it makes of a request with this verdict.
    pub fn is_chargeable(self) -> bool {
        matches!(self, Verdict::Accept | Verdict::Depends)
    }
}

/// Every rule, in the order in which help and pages list them.
pub const RULES: &[Rule] = &[
    empty_messages::RULE,
    unknown_role::RULE,
    system_role_not_supported::RULE,
    block_wrong_role::RULE,
    empty_content::RULE,
    missing_tool_call_id::RULE,
    orphan_tool_result::RULE,
    unanswered_tool_call::RULE,
    partial_parallel_results::RULE,
    trailing_tool_call::RULE,
    tool_result_not_adjacent::RULE,
    duplicate_tool_result::RULE,
    duplicate_tool_call_id::RULE,
    text_before_tool_result::RULE,
    tool_call_id_too_long::RULE,
    thinking_block_final::RULE,
    thinking_block_not_first::RULE,
    text_after_tool_use::RULE,
    invalid_tool_arguments::RULE,
    error_result_not_text::RULE,
    whitespace_only_text::RULE,
    cache_control_not_allowed::RULE,
    image_not_allowed_for_role::RULE,
    invalid_function_name::RULE,
    trailing_assistant_prefill::RULE,
    cache_ttl_order::RULE,
    too_many_cache_breakpoints::RULE,
    thinking_block_missing::RULE,
    container_missing::RULE,
    reasoning_item_dangling::RULE,
    duplicate_item_id::RULE,
    invalid_item_id::RULE,
    missing_required_field::RULE,
    item_not_persisted::RULE,
    exclusive_history_sources::RULE,
    server_side_history::RULE,
    gemini_function_count_mismatch::RULE,
    gemini_function_turn_order::RULE,
    gemini_thought_signature_missing::RULE,
    missing_function_name::RULE,
    tools_undefined_with_tool_blocks::RULE,
    blank_text::RULE,
    invalid_document_name::RULE,
    duplicate_document_name::RULE,
    too_many_documents::RULE,
    document_without_text::RULE,
    mixed_tool_and_text_turn::RULE,
    user_after_tool::RULE,
    tool_result_count_mismatch::RULE,
    split_parallel_results::RULE,
    invalid_tool_call_id::RULE,
    empty_text_block::RULE,
    trailing_whitespace::RULE,
    first_message_not_user::RULE,
    consecutive_same_role::RULE,
    thinking_block_prefix_changed::RULE,
    bound_thinking_kept::RULE,
    pending_call_evicted::RULE,
    thinking_block_modified::RULE,
    thinking_signature_invalid::RULE,
    orphan_server_tool_result::RULE,
    unanswered_server_tool_call::RULE,
    empty_tool_calls::RULE,
    system_message_position::RULE,
    invalid_message_name::RULE,
    reasoning_item_missing::RULE,
    gemini_thought_signature_invalid::RULE,
    reasoning_content_missing::RULE,
    no_user_message::RULE,
    context_window_exceeded::RULE,
    truncated_payload::RULE,
    ids_masked::RULE,
    missing_parent::RULE,
    compaction_range_tie::RULE,
];

/// What Anthropic answers where it looks for a result in vain, whichever rule says why it is not there.
const UNANSWERED: &str = "ids were found without `tool_result` blocks immediately after";

/// The same of Converse.
const UNANSWERED_CONVERSE: &str = "Expected toolResult blocks at messages.N.content for the following Ids";

/// What providers answer to a call that has no result where they look for it; the text does not tell whether it is
/// missing, missing beside others, still to come or in the wrong place.
const LOST_RESULT: &[&str] = &[
    UNANSWERED,
    UNANSWERED_CONVERSE,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    "insufficient tool messages following tool_calls message",
    "No tool output found for function call",
    "No tool output found for tool call",
    "No tool output found for custom tool call",
    "No tool output found for local shell call",
    "No tool output found for computer call",
];

/// The rule of that name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// The findings of every rule on one prompt, in the order of the list.
///
/// A prompt may be any part of a transcript; a lone request is judged by [`judge`](crate::judge::judge).
///
/// ```
/// use cutpoint::rules::{self, Target};
/// use cutpoint::transcript::{Prompt, Transcript, size};
///
/// let body = serde_json::json!({
///     "tools": [{"name": "kiln", "input_schema": {"type": "object"}}],
///     "messages": [
///         {"role": "user", "content": "How hot is the kiln?"},
///         {"role": "assistant", "content": [{"type": "tool_use", "id": "k1", "name": "kiln", "input": {}}]},
///         {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k1", "content": "1100 degrees"}]}]
/// });
/// let dialect = cutpoint::dialects::detect(&body).ok_or("no request of a known API")?;
/// let request = (dialect.parse)(body)?;
/// let transcript = Transcript::of_request(&request, &size::COUNTERS[0]);
/// let target = Target::new(request.api, None);
/// // As it is, the request is taken; with its first two messages cut away, it is not.
/// assert!(rules::check(&Prompt::new(&transcript, &[0, 1, 2]), &target).is_empty());
/// let findings = rules::check(&Prompt::new(&transcript, &[2]), &target);
/// assert_eq!(findings[0].rule, "orphan_tool_result");
/// # Ok::<(), String>(())
/// ```
pub fn check(prompt: &Prompt, target: &Target) -> Vec<Finding> {
    let pairs = Pairs::of(prompt);
    let mut findings =
        Findings { found: Vec::new(), pairs: &pairs, target: *target, rule: "", severity: Severity::Info };
    for rule in RULES {
        if let Some(severity) = (rule.severity)(target) {
            (findings.rule, findings.severity) = (rule.id, severity);
            (rule.check)(prompt, &mut findings);
        }
    }
    // Stable, so that rules keep their order where they point at the same place.
    findings.found.sort_by_key(|finding| (finding.message, finding.block));
    findings.found
}

/// What the provider would answer to a request with these findings.
pub fn verdict<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Verdict {
    let mut worst = Verdict::Accept;
    for finding in findings {
        if rule(finding.rule).is_some_and(|rule| rule.hides) {
            return Verdict::Unverifiable;
        }
        worst = worst.max(finding.severity.verdict());
    }
    worst
}

impl Rule {
    /// Its documentation as Markdown: what it finds, why providers refuse, an example, the remedy, the sources.
    pub fn documentation(&self) -> String {
        let lines = self.docs.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }

    /// A section of its documentation as one paragraph, if it has one of that title.
    pub fn section(&self, title: &str) -> Option<String> {
        let documentation = self.documentation();
        let mut lines = documentation.lines();
        lines.find(|line| line.strip_prefix("## ") == Some(title))?;
        let body: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).filter(|line| !line.is_empty()).collect();
        (!body.is_empty()).then(|| body.join(" "))
    }
}

/// An error in the two APIs that everybody speaks.
fn error(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat], target)
}

/// An error where results follow their calls turn by turn and pair by id.
fn paired_error(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat, Api::BedrockConverse], target)
}

/// An error where results pair with their calls by id.
fn identified_error(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat, Api::OpenaiResponses, Api::BedrockConverse], target)
}

/// An error for these APIs; the rule does not apply to others.
fn error_for(apis: &[Api], target: &Target) -> Option<Severity> {
    apis.contains(&target.api).then_some(Severity::Error)
}

fn anthropic_error(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}

/// Ids as a sentence names them: each in backticks, at most three.
fn names(prompt: &Prompt, ids: &[IdNo]) -> String {
    let name = |id: &IdNo| prompt.id(*id).map_or_else(|| "without an id".to_owned(), |id| format!("`{id}`"));
    let mut text = ids.iter().take(3).map(name).collect::<Vec<_>>().join(", ");
    if ids.len() > 3 {
        text += &format!(" and {} more", ids.len() - 3);
    }
    text
}

/// The asks of a group without any result, by assistant message: the place of the first and the ids of all.
fn open_asks(asks: &[Ask]) -> Vec<(Site, Vec<IdNo>)> {
    let mut open: Vec<(Site, Vec<IdNo>)> = Vec::new();
    for ask in asks.iter().filter(|ask| ask.fate == Fate::Open) {
        match open.last_mut() {
            Some((site, ids)) if site.message == ask.site.message => ids.push(ask.id),
            _ => open.push((ask.site, vec![ask.id])),
        }
    }
    open
}

/// How the calls of a group that have no result at all are named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    All,
    Some,
    Tail,
}

fn missing(pairs: &Pairs, group: &Group) -> Missing {
    match pairs.asks_of(group) {
        _ if group.trailing => Missing::Tail,
        asks if asks.iter().any(|ask| ask.fate == Fate::Answered) => Missing::Some,
        _ => Missing::All,
    }
}

/// Reports the calls without a result of every group that is missing them in that way.
fn report_open(prompt: &Prompt, findings: &mut Findings, wanted: Missing, say: impl Fn(String) -> String) {
    let pairs = findings.pairs;
    for group in &pairs.groups {
        let asks = pairs.asks_of(group);
        if asks.iter().all(|ask| ask.fate != Fate::Open) || missing(pairs, group) != wanted {
            continue;
        }
        let shape = if wanted == Missing::Tail { Shape::Tail } else { Shape::Middle };
        for (site, ids) in open_asks(asks) {
            let text = say(names(prompt, &ids));
            findings.report_lost(shape, site.into(), ids, text);
        }
    }
}
