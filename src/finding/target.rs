//! Whom a request is judged for.

use crate::catalog::{self, Abilities};
use crate::model::Api;
use crate::profiles::Profile;

use super::Severity;

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

/// An error in the two APIs that everybody speaks.
pub(crate) fn error(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat], target)
}

/// An error where results follow their calls turn by turn and pair by id.
pub(crate) fn paired_error(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat, Api::BedrockConverse], target)
}

/// An error where results pair with their calls by id.
pub(crate) fn identified_error(target: &Target) -> Option<Severity> {
    error_for(&[Api::AnthropicMessages, Api::OpenaiChat, Api::OpenaiResponses, Api::BedrockConverse], target)
}

/// An error for these APIs; the rule does not apply to others.
pub(crate) fn error_for(apis: &[Api], target: &Target) -> Option<Severity> {
    apis.contains(&target.api).then_some(Severity::Error)
}

pub(crate) fn anthropic_error(target: &Target) -> Option<Severity> {
    (target.api == Api::AnthropicMessages).then_some(Severity::Error)
}
