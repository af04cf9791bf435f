//! Which rule is answered how, and what is special about some.

use super::draft::Draft;
use super::{
    Round, answers, beginnings, blocks, documents, functions, ids, images, items, marks, names, order, results, roles,
    thinking,
};

/// Answers a rule everywhere it fires; what it does is noted in the draft.
pub(super) type Fix = fn(&Round, &mut Draft);

/// The rules that are answered, each with how, in the order in which they are: what a message is, then what its blocks
/// are, then how the list begins, which calls and results belong together, where they stand, and how the list ends.
pub(super) const FIXES: &[(&str, Fix)] = &[
    ("thinking_block_modified", thinking::drop_blocks),
    ("thinking_signature_invalid", thinking::drop_blocks),
    ("thinking_block_prefix_changed", thinking::drop_blocks),
    ("reasoning_item_missing", items::forget_ids),
    ("gemini_thought_signature_invalid", thinking::drop_signatures),
    ("unknown_role", roles::name_roles),
    ("system_role_not_supported", roles::move_system),
    ("system_message_position", roles::move_system),
    ("block_wrong_role", roles::move_blocks),
    ("empty_tool_calls", names::leave_out_calls),
    ("empty_content", blocks::drop_empty),
    ("empty_text_block", blocks::drop_empty),
    ("whitespace_only_text", blocks::drop_empty),
    ("blank_text", blocks::drop_empty),
    ("duplicate_item_id", items::send_once),
    ("invalid_item_id", items::forget_ids),
    ("missing_required_field", items::add_summary),
    ("missing_tool_call_id", ids::give),
    ("invalid_tool_call_id", ids::replace),
    ("tool_call_id_too_long", ids::replace),
    ("duplicate_tool_call_id", ids::part),
    ("duplicate_tool_result", results::drop_second),
    ("orphan_tool_result", results::drop_orphans),
    ("first_message_not_user", beginnings::begin_with_user),
    ("orphan_server_tool_result", results::drop_served),
    ("unanswered_server_tool_call", results::drop_served),
    ("tool_result_not_adjacent", results::move_late),
    ("unanswered_tool_call", answers::answer_open),
    ("partial_parallel_results", answers::answer_open),
    ("trailing_tool_call", answers::answer_open),
    ("tool_result_count_mismatch", results::settle_turns),
    ("user_after_tool", results::settle_turns),
    ("gemini_function_count_mismatch", functions::settle_turns),
    ("gemini_function_turn_order", functions::settle_turns),
    ("missing_function_name", functions::name_responses),
    ("gemini_thought_signature_missing", thinking::put_placeholder),
    ("text_before_tool_result", order::put_results_first),
    ("split_parallel_results", order::put_results_first),
    ("text_after_tool_use", order::put_text_first),
    ("thinking_block_not_first", order::put_thinking_first),
    ("thinking_block_final", thinking::drop_final),
    (PARTING, order::part_text_from_results),
    ("invalid_tool_arguments", names::rewrite_arguments),
    ("invalid_function_name", names::rename_functions),
    ("invalid_message_name", names::rename_speakers),
    ("error_result_not_text", blocks::keep_text_of_errors),
    ("image_not_allowed_for_role", images::move_to_user),
    ("cache_control_not_allowed", marks::drop_on_thinking),
    ("cache_ttl_order", marks::shorten_late),
    ("too_many_cache_breakpoints", marks::drop_surplus),
    ("trailing_assistant_prefill", beginnings::drop_prefill),
    ("trailing_whitespace", beginnings::trim_end),
    ("consecutive_same_role", roles::merge),
    ("reasoning_item_dangling", items::drop_dangling),
    ("tools_undefined_with_tool_blocks", names::define_tools),
    ("invalid_document_name", documents::rename),
    ("duplicate_document_name", documents::tell_apart),
    ("too_many_documents", documents::drop_oldest),
];

/// Rules that only the history of a session can break: the first round answers them all, for later ones have none.
pub(super) const OF_HISTORY: &[&str] = &[
    "thinking_block_modified",
    "thinking_signature_invalid",
    BOUND,
    "reasoning_item_missing",
    "gemini_thought_signature_invalid",
];

/// Warns of thinking that models which bind it to its prefix refuse; in a refused request it is dropped for those.
pub(super) const BOUND: &str = "thinking_block_prefix_changed";

/// Rules whose repair loses nothing: a repair that makes their target uncertain answers them as well.
pub(super) const LOSSLESS: &[&str] = &["consecutive_same_role", "text_before_tool_result", "split_parallel_results"];

/// Its answer parts a message in two of one role on purpose, for which [`PARTED`] may warn: those are not merged again.
pub(super) const PARTING: &str = "mixed_tool_and_text_turn";
pub(super) const PARTED: &str = "consecutive_same_role";
