//! Targets that speak another's language with rules of their own, one row each; a rule reads facts, never names.
//!
//! Facts come from public error reports and the vendors' own references, as the rules that read them cite.

use crate::model::Api;

/// A server that speaks the language of an API and adds rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    pub id: &'static str,
    /// One sentence: what it is.
    pub about: &'static str,
    pub api: Api,
    /// Each tool turn must be complete and first in its message: no text before a result.
    pub strict_results: bool,
    /// Roles must alternate.
    pub alternates: bool,
    /// The first message must be the user's.
    pub user_first: bool,
    /// System messages must stand first.
    pub system_first: bool,
    /// An assistant message with calls must carry its `reasoning_content`.
    pub wants_reasoning: bool,
}

/// A profile without facts of its own: the API's rules as they are.
const fn plain(id: &'static str, about: &'static str, api: Api) -> Profile {
    Profile {
        id,
        about,
        api,
        strict_results: false,
        alternates: false,
        user_first: false,
        system_first: false,
        wants_reasoning: false,
    }
}

const CHAT: Api = Api::OpenaiChat;
const ANTHROPIC: Api = Api::AnthropicMessages;

/// Every profile.
pub const PROFILES: &[Profile] = &[
    plain("azure", "Azure OpenAI", CHAT),
    plain("vertex", "Anthropic models on Vertex", ANTHROPIC),
    plain("bedrock-invoke", "Anthropic models on Bedrock InvokeModel", ANTHROPIC),
    Profile { wants_reasoning: true, ..plain("deepseek", "DeepSeek, V4 and later", CHAT) },
    Profile { wants_reasoning: true, ..plain("moonshot", "Moonshot's thinking models", CHAT) },
    plain("qwen", "Qwen on Alibaba Cloud", CHAT),
    plain("groq", "Groq", CHAT),
    plain("xai", "xAI", CHAT),
    plain("cohere", "Cohere v2", CHAT),
    plain("glm", "GLM", CHAT),
    plain("mistral", "Mistral's own API in the words of Chat", CHAT),
    Profile {
        alternates: true,
        user_first: true,
        system_first: true,
        ..plain("vllm", "vLLM with a strict chat template", CHAT)
    },
    Profile {
        strict_results: true,
        user_first: true,
        ..plain("strict-gateway", "gateways that check Anthropic bodies by the letter", ANTHROPIC)
    },
];

/// The profile of that name.
pub fn profile(id: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.id == id)
}

impl Profile {
    /// Whether it speaks the language of a request.
    pub fn speaks(&self, api: Api) -> bool {
        self.api == api
    }
}
