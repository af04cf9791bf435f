//! Mistral Chat: written like OpenAI Chat, judged by rules of its own.
//!
//! A body is told from OpenAI's by the name of its model. Facts: the vendor's API reference.

use serde_json::Value;

use super::{Dialect, openai_chat, signs};
use crate::model::{Api, Request};

pub(super) const DIALECT: Dialect = Dialect {
    id: "mistral.chat",
    about: "Mistral Chat Completions, on La Plateforme",
    api: Api::MistralChat,
    sniff,
    parse,
    render: openai_chat::DIALECT.render,
    parse_message: openai_chat::DIALECT.parse_message,
    render_message: openai_chat::DIALECT.render_message,
    answer: openai_chat::DIALECT.answer,
};

/// Whether a body is of this dialect.
fn sniff(body: &Value) -> bool {
    signs::are_mistral(body)
}

fn parse(body: Value) -> Result<Request, String> {
    Ok(Request { api: Api::MistralChat, ..(openai_chat::DIALECT.parse)(body)? })
}
