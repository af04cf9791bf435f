//! # `reasoning_item_missing`
//!
//! An item is sent by its id, and the reasoning that the server made before it is gone.
//!
//! ## Finds
//! A `function_call` or `message` with the id that the server gave, without the reasoning item that came right before it
//! in an earlier call of the session. It needs the session's history; a lone request never shows it.
//!
//! ## Provider answers
//! "Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item: 'rs_…'."
//!
//! ## Applies to
//! OpenAI Responses, reasoning models with stored items; seen in public reports. One saw a model of September 2026 take
//! a call alone with `store: false` (jin-bo/agentao#321).
//!
//! ## Example
//! ```json
//! [
//!   {
//!     "session": "s",
//!     "request": {"input": [{"role": "user", "content": "How hot?"}]},
//!     "response": {
//!       "output": [
//!         {"type": "reasoning", "id": "rs_1", "summary": []},
//!         {"type": "function_call", "id": "fc_1", "call_id": "k", "name": "fire", "arguments": "{}"}
//!       ]
//!     }
//!   },
//!   {
//!     "session": "s",
//!     "request": {
//!       "input": [
//!         {"role": "user", "content": "How hot?"},
//!         {"type": "function_call", "id": "fc_1", "call_id": "k", "name": "fire", "arguments": "{}"},
//!         {"type": "function_call_output", "call_id": "k", "output": "hot"}
//!       ]
//!     }
//!   }
//! ]
//! ```
//!
//! ## Remedy
//! Keep the reasoning item, or drop the id of the item as well.
//!
//! ## Sources
//! vercel/ai#11036; NousResearch/hermes-agent#102282

use super::{Findings, Place, Rule, Scope, error_for};
use crate::model::Api;
use crate::transcript::{Marks, Prompt};

pub(super) const RULE: Rule = Rule {
    id: "reasoning_item_missing",
    about: "an item is sent by its id, and the reasoning before it is gone",
    docs: include_str!("reasoning_item_missing.rs"),
    texts: &["was provided without its required 'reasoning' item"],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |target| error_for(&[Api::OpenaiResponses], target),
    check,
};

fn check(prompt: &Prompt, findings: &mut Findings) {
    for (position, message) in prompt.marked_messages(Marks::LOST_REASONING) {
        let say = format!(
            "item {position} lost the reasoning that the server made before it: keep that, or drop the item's id"
        );
        findings.report(Place::message(position), vec![message.item], say);
    }
}
