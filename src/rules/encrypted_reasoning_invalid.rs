//! # `encrypted_reasoning_invalid`
//!
//! The server cannot read encrypted reasoning that was sent back.
//!
//! ## Finds
//! Nothing: what is encrypted says nothing about who can read it, so a request is never refused by this rule. It names
//! the refusal where a log holds one. What leads to it: another account, organisation, endpoint or provider than the
//! one that wrote the item, or an item that was cut or edited.
//!
//! ## Provider answers
//! "The encrypted content ID could not be verified." (code `invalid_encrypted_content`), with "Encrypted content could
//! not be decrypted or parsed" or "Encrypted content organization_id did not match the target organization" as the
//! reason. xAI: "Could not decrypt the provided encrypted_content".
//!
//! ## Applies to
//! OpenAI Responses and servers that speak it; only observed, never predicted. Many public reports.
//!
//! ## Example
//! ```json
//! {
//!   "store": false,
//!   "input": [
//!     {"role": "user", "content": "How hot is the kiln?"},
//!     {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "written under another account"},
//!     {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "1100 degrees."}]},
//!     {"role": "user", "content": "And now?"}
//!   ]
//! }
//! ```
//!
//! ## Remedy
//! Keep a session on the account and endpoint that began it. Where that is too late, drop the reasoning items with
//! their encrypted content, and the ids of the items that they led to.
//!
//! ## Sources
//! openai/codex#8145; openai/codex#8119; QuantumNous/new-api#4662; smallmain/vscode-unify-chat-provider#178;
//! NousResearch/hermes-agent#30310

use super::{Rule, Scope};

pub(super) const RULE: Rule = Rule {
    id: "encrypted_reasoning_invalid",
    about: "the server cannot read encrypted reasoning that was sent back",
    docs: include_str!("encrypted_reasoning_invalid.rs"),
    texts: &[
        "invalid_encrypted_content",
        "The encrypted content ID could not be verified",
        "The encrypted content for item",
        "Encrypted content could not be decrypted",
        "Encrypted content organization_id did not match",
        "Encrypted content item_id did not match",
        "Could not decrypt the provided encrypted_content",
    ],
    hides: false,
    scope: Scope::Neighbours,
    sides: &[],
    severity: |_| None,
    check: |_, _| {},
};
