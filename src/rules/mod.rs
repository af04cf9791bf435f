//! What providers refuse: one file a rule, each a constant in [`RULES`].
//!
//! A rule looks at one prompt and reports findings. It knows neither the log a prompt came from nor the policy that
//! made it, and it never looks at another call: whatever needs history is a fact of the transcript.

use crate::transcript::{Pairs, Prompt};

pub use crate::finding::{Finding, Findings, Load, Place, Severity, Shape, Target, Verdict};

use crate::finding::{Missing, anthropic_error, error, error_for, identified_error, names, paired_error, report_open};

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
mod encrypted_reasoning_invalid;
mod reasoning_content_missing;
mod no_user_message;
mod invalid_message_member;
mod length_limit_exceeded;
mod invalid_json_body;
mod context_window_exceeded;
mod truncated_payload;
mod ids_masked;
mod missing_parent;
mod compaction_range_tie;

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
    /// How bad it is for a target; `None` where the rule does not apply, and everywhere for one that no request shows:
    /// it can only be observed, in what a provider answered.
    pub severity: fn(&Target) -> Option<Severity>,
    pub check: fn(&Prompt, &mut Findings),
}

/// What one of the targets that a warning leaves open would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    pub target: &'static str,
    pub verdict: Verdict,
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
    encrypted_reasoning_invalid::RULE,
    reasoning_content_missing::RULE,
    no_user_message::RULE,
    invalid_message_member::RULE,
    length_limit_exceeded::RULE,
    invalid_json_body::RULE,
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
    "Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks",
    UNANSWERED_CONVERSE,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    "insufficient tool messages following tool_calls message",
    "No tool output found for function call",
    "No tool output found for tool call",
    "No tool output found for custom tool call",
    "No tool output found for local shell call",
    "No tool output found for computer call",
    "tool call and result not match",
    "due to tool use concurrency issues",
    "Found AIMessages with tool_calls that do not have a corresponding ToolMessage",
    "Tool result is missing for tool call",
    "tool call result does not follow tool call",
    "No tool output found for apply_patch call",
    "No tool output found for apply patch call",
    "No tool output found for shell call",
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
    let mut findings = Findings::new(&pairs, target);
    for rule in RULES {
        if let Some(severity) = (rule.severity)(target) {
            findings.begin(rule.id, severity);
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
