//! Why a request failed that is neither its messages nor their size.

use super::template::plain;
use super::unwrap::Said;

/// What failed beside the messages of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// No key, or one that the provider does not know.
    Authentication,
    /// The key may not do this.
    Permission,
    /// No credit left.
    Billing,
    /// Too many requests, or too many tokens in too short a time.
    RateLimit,
    /// The provider has no room.
    Overloaded,
    /// The model, or another thing that the request names, does not exist.
    NotFound,
    /// What is said is not allowed.
    ContentPolicy,
    /// It took too long.
    Timeout,
    /// The body has too many bytes.
    RequestTooLarge,
    /// A picture, sound or file that the provider cannot fetch, read or take.
    Media,
    /// A setting beside the messages.
    Parameter,
    /// The server refused what its own model wrote.
    ModelOutput,
    /// The provider failed.
    Server,
}

impl Cause {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::Authentication => "authentication",
            Cause::Permission => "permission",
            Cause::Billing => "billing",
            Cause::RateLimit => "rate_limit",
            Cause::Overloaded => "overloaded",
            Cause::NotFound => "not_found",
            Cause::ContentPolicy => "content_policy",
            Cause::Timeout => "timeout",
            Cause::RequestTooLarge => "request_too_large",
            Cause::Media => "media",
            Cause::Parameter => "parameter",
            Cause::ModelOutput => "model_output",
            Cause::Server => "server",
        }
    }

    /// One sentence for people.
    pub fn about(self) -> &'static str {
        match self {
            Cause::Authentication => "the provider does not know the key",
            Cause::Permission => "the key may not do this",
            Cause::Billing => "there is no credit left",
            Cause::RateLimit => "too many requests or tokens in too short a time",
            Cause::Overloaded => "the provider has no room at the moment",
            Cause::NotFound => "the model, or another thing that the request names, does not exist",
            Cause::ContentPolicy => "what is said is not allowed",
            Cause::Timeout => "it took too long",
            Cause::RequestTooLarge => "the body has too many bytes",
            Cause::Media => "a picture, sound or file cannot be fetched, read or taken",
            Cause::Parameter => "a setting beside the messages is wrong",
            Cause::ModelOutput => "the server refused what its own model wrote",
            Cause::Server => "the provider failed",
        }
    }
}

/// A cause with the names that providers give it and fragments of their texts.
struct Signs {
    cause: Cause,
    names: &'static [&'static str],
    texts: &'static [&'static str],
}

/// Looked through in this order.
const SIGNS: &[Signs] = &[
    Signs {
        cause: Cause::Billing,
        names: &["insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_balance"],
        texts: &["credit balance is too low", "exceeded your current quota", "insufficient balance"],
    },
    Signs {
        cause: Cause::Authentication,
        names: &["authentication_error", "invalid_api_key", "unauthenticated", "unauthorized"],
        texts: &["incorrect api key", "invalid x-api-key", "api key not valid", "invalid authentication"],
    },
    Signs {
        cause: Cause::Permission,
        names: &["permission_error", "permission_denied", "accessdeniedexception"],
        texts: &[],
    },
    Signs {
        cause: Cause::RateLimit,
        names: &["rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "throttlingexception"],
        texts: &[
            "rate limit reached",
            "rate limit exceeded",
            "rate-limited",
            "too many requests",
            "too many tokens, please wait",
            "tokens per minute",
        ],
    },
    Signs {
        cause: Cause::Overloaded,
        names: &["overloaded_error", "unavailable", "serviceunavailableexception", "engine_overloaded_error"],
        texts: &["overloaded"],
    },
    Signs {
        cause: Cause::ContentPolicy,
        names: &["content_policy_violation", "content_filter", "responsibleaipolicyviolation"],
        texts: &["content management policy", "content filtering policy"],
    },
    Signs {
        cause: Cause::NotFound,
        names: &["model_not_found", "not_found_error", "not_found", "resourcenotfoundexception"],
        texts: &[
            "model identifier is invalid",
            "does not exist or you do not have access",
            "is not found for api version",
        ],
    },
    Signs {
        cause: Cause::RequestTooLarge,
        names: &["request_too_large"],
        texts: &["request exceeds the maximum size", "request payload size exceeds"],
    },
    Signs {
        cause: Cause::Media,
        names: &["unsupported_file", "invalid_image_format", "invalid_image_url", "image_parse_error"],
        texts: &[
            "could not process image",
            "image exceeds",
            "cannot fetch content from the provided url",
            "the file type you uploaded is not supported",
            "unable to download the file",
            "error while downloading",
            "image dimensions exceed",
            "provided media type",
            "pdf pages may be provided",
        ],
    },
    Signs {
        cause: Cause::Parameter,
        names: &["unsupported_parameter", "unsupported_value"],
        texts: &[
            "maximum allowed number of output tokens",
            "supports at most",
            "the maximum output for this model",
            "argument not supported",
            "does not support parameter",
            "must contain the word json",
            "does not support tools",
            "does not support function calling",
        ],
    },
    Signs {
        cause: Cause::ModelOutput,
        names: &["tool_use_failed", "json_validate_failed"],
        texts: &["error parsing tool call"],
    },
    Signs {
        cause: Cause::Timeout,
        names: &["timeout_error", "deadline_exceeded", "modeltimeoutexception"],
        texts: &["request timed out"],
    },
    Signs {
        cause: Cause::Server,
        names: &["api_error", "server_error", "internal", "internal_server_error", "internalserverexception"],
        texts: &[],
    },
];

/// The cause that an error states by name, by its words, by the parameter at fault or by its HTTP status.
pub fn cause(said: &Said, words: &str, status: Option<u16>) -> Option<Cause> {
    let is_named = |names: &[&str]| said.names.iter().any(|name| names.contains(&plain(name).as_str()));
    let is_told = |texts: &[&str]| texts.iter().any(|text| words.contains(text));
    let signs = SIGNS.iter().find(|signs| is_named(signs.names) || is_told(signs.texts));
    signs.map(|signs| signs.cause).or_else(|| of_parameter(said)).or_else(|| of_status(status?))
}

/// Classes of exceptions that clients and gateways raise by the status, or by what they believe to have read.
const CLASSES: &[(&str, Cause)] = &[
    ("AuthenticationError", Cause::Authentication),
    ("PermissionDeniedError", Cause::Permission),
    ("RateLimitError", Cause::RateLimit),
    ("NotFoundError", Cause::NotFound),
    ("ContentPolicyViolationError", Cause::ContentPolicy),
    ("APITimeoutError", Cause::Timeout),
    ("ServiceUnavailableError", Cause::Overloaded),
    ("InternalServerError", Cause::Server),
];

/// The cause that a class stands for, where the provider's own words tell none.
pub fn of_class(said: &Said) -> Option<Cause> {
    said.names.iter().find_map(|name| {
        let class = name.rsplit('.').next();
        CLASSES.iter().find(|(known, _)| Some(*known) == class).map(|(_, cause)| *cause)
    })
}

/// A parameter at the top of the body that holds no messages.
fn of_parameter(said: &Said) -> Option<Cause> {
    let param = said.param.as_deref().filter(|param| !param.is_empty())?;
    let holds_messages = ["messages", "input", "contents", "system", "tools"].contains(&param);
    (!holds_messages && !param.contains(['.', '['])).then_some(Cause::Parameter)
}

fn of_status(status: u16) -> Option<Cause> {
    match status {
        401 => Some(Cause::Authentication),
        402 => Some(Cause::Billing),
        403 => Some(Cause::Permission),
        404 => Some(Cause::NotFound),
        408 | 504 => Some(Cause::Timeout),
        413 => Some(Cause::RequestTooLarge),
        429 => Some(Cause::RateLimit),
        503 | 529 => Some(Cause::Overloaded),
        500..=599 => Some(Cause::Server),
        _ => None,
    }
}
