//! Targets that speak another's language with rules of their own, one row each; a rule reads facts, never names.
//!
//! Facts come from public error reports and the vendors' own references, as the rules that read them cite.

use crate::catalog;
use crate::model::{Api, Request};

/// A server that speaks the language of an API and adds rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    pub id: &'static str,
    /// One sentence: what it is.
    pub about: &'static str,
    /// The languages it speaks.
    pub apis: &'static [Api],
    /// How the names of its hosts end.
    pub hosts: &'static [&'static str],
    /// How the names of the models begin that it serves, where no server is named.
    pub families: &'static [&'static str],
    /// Requests in one of its languages are judged by the rules of this API.
    pub judges_as: Option<Api>,
    /// In the message that answers, results come first.
    pub results_first: bool,
    /// Messages of one role are not merged: a turn's results stand in one message, and a user's message comes first.
    pub strict_turns: bool,
    /// A chat template, which the model decides on, renders the list.
    pub has_template: bool,
    /// On models that think, an assistant message with calls carries its `reasoning_content`.
    pub keeps_reasoning: bool,
    /// No assistant message is empty.
    pub refuses_empty_assistant: bool,
    /// Ids of calls in Chat have 40 characters at most.
    pub short_ids: bool,
    /// In Responses, nothing the assistant says stands between calls and their outputs.
    pub adjacent_outputs: bool,
    /// In Responses, ids of items may be any and join nothing: the server keeps no items.
    pub keeps_no_items: bool,
}

/// A profile without facts of its own: the API's rules as they are.
const fn plain(id: &'static str, about: &'static str, apis: &'static [Api]) -> Profile {
    Profile {
        id,
        about,
        apis,
        hosts: &[],
        families: &[],
        judges_as: None,
        results_first: false,
        strict_turns: false,
        has_template: false,
        keeps_reasoning: false,
        refuses_empty_assistant: false,
        short_ids: false,
        adjacent_outputs: false,
        keeps_no_items: false,
    }
}

const CHAT: Api = Api::OpenaiChat;
const RESPONSES: Api = Api::OpenaiResponses;
const ANTHROPIC: Api = Api::AnthropicMessages;

const MISTRAL: &[&str] = &["mistral", "ministral", "magistral", "devstral", "codestral", "pixtral"];

/// Models that anybody may serve.
const OPEN_WEIGHTS: &[&str] = &[
    "deepseek",
    "kimi",
    "qwen",
    "qwq",
    "glm",
    "llama",
    "meta-llama",
    "mistral",
    "ministral",
    "magistral",
    "devstral",
    "codestral",
    "mixtral",
    "gemma",
    "phi-",
    "gpt-oss",
    "minimax",
    "nemotron",
];

/// Every profile.
pub const PROFILES: &[Profile] = &[
    Profile {
        hosts: &["openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"],
        short_ids: true,
        ..plain("azure", "Azure OpenAI", &[CHAT, RESPONSES])
    },
    Profile {
        hosts: &["aiplatform.googleapis.com"],
        ..plain("vertex", "Anthropic's and Google's models on Vertex", &[ANTHROPIC, Api::GeminiGenerateContent])
    },
    Profile {
        hosts: &["amazonaws.com"],
        results_first: true,
        ..plain("bedrock-invoke", "Anthropic's models on Bedrock InvokeModel", &[ANTHROPIC])
    },
    Profile {
        hosts: &["deepseek.com"],
        families: &["deepseek"],
        keeps_reasoning: true,
        adjacent_outputs: true,
        keeps_no_items: true,
        ..plain("deepseek", "DeepSeek", &[CHAT, RESPONSES])
    },
    Profile {
        hosts: &["moonshot.ai", "moonshot.cn"],
        families: &["kimi", "moonshot"],
        keeps_reasoning: true,
        refuses_empty_assistant: true,
        ..plain("moonshot", "Moonshot (Kimi)", &[CHAT])
    },
    Profile { hosts: &["aliyuncs.com"], families: &["qwen", "qwq"], ..plain("qwen", "Qwen on Alibaba Cloud", &[CHAT]) },
    Profile { hosts: &["groq.com"], ..plain("groq", "Groq", &[CHAT]) },
    Profile { hosts: &["api.x.ai"], families: &["grok"], ..plain("xai", "xAI", &[CHAT, RESPONSES]) },
    Profile { hosts: &["cohere.com", "cohere.ai"], families: &["command-"], ..plain("cohere", "Cohere v2", &[CHAT]) },
    Profile { hosts: &["bigmodel.cn", "api.z.ai"], families: &["glm"], ..plain("glm", "GLM", &[CHAT]) },
    Profile {
        hosts: &["mistral.ai"],
        families: MISTRAL,
        judges_as: Some(Api::MistralChat),
        ..plain("mistral", "Mistral's own API, also in bodies as Chat writes them", &[Api::MistralChat, CHAT])
    },
    Profile {
        has_template: true,
        families: OPEN_WEIGHTS,
        ..plain("vllm", "vLLM and other servers of open models with a chat template", &[CHAT])
    },
    Profile {
        results_first: true,
        strict_turns: true,
        ..plain("strict-gateway", "gateways that check Anthropic bodies by the letter", &[ANTHROPIC])
    },
];

/// The profile of the server at a host, for requests in an API's language.
pub fn at_host(host: &str, api: Api) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.speaks(api) && profile.hosts.iter().any(|name| host.ends_with(name)))
}

/// The servers that may stand behind a model in an API's language, where nobody names one: those of its family, or the
/// first party, which is none, where the model is of no family.
pub fn candidates(api: Api, model: Option<&str>) -> Vec<Option<&'static Profile>> {
    let name = model.map(catalog::bare_name).unwrap_or_default().to_ascii_lowercase();
    let serves =
        |profile: &&Profile| profile.speaks(api) && profile.families.iter().any(|family| name.starts_with(family));
    let found: Vec<_> = PROFILES.iter().filter(serves).map(Some).collect();
    if found.is_empty() { vec![None] } else { found }
}

/// The profile of that name.
pub fn profile(id: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.id == id)
}

impl Profile {
    /// Whether it speaks the language of a request.
    pub fn speaks(&self, api: Api) -> bool {
        self.apis.contains(&api)
    }

    /// The language by which it judges what is written in that one.
    pub fn judges(&self, api: Api) -> Api {
        self.judges_as.filter(|_| self.speaks(api)).unwrap_or(api)
    }

    /// Turns a request in one of its languages to the one it is judged by.
    pub fn adopt(&self, request: &mut Request) {
        request.api = self.judges(request.api);
    }
}
