//! `/rules`: what providers refuse, from the table of rules, API by API.

use askama::Template;
use axum::response::Response;

use super::Error;
use super::extract::Path;
use super::page::{self, Frame};
use super::prose::{Paragraph, paragraphs};
use crate::dialects::DIALECTS;
use crate::model::Api;
use crate::profiles::PROFILES;
use crate::rules::{RULES, Rule, Severity, Target, rule};

#[derive(Template)]
#[template(path = "rules.html")]
struct RulesPage {
    frame: Frame,
    groups: Vec<Group>,
    /// Rules that no first party has.
    others: Vec<&'static Rule>,
}

/// The rules that an API's first party has.
struct Group {
    api: Api,
    about: &'static str,
    rules: Vec<(&'static Rule, Severity)>,
}

#[derive(Template)]
#[template(path = "rule.html")]
struct RulePage {
    frame: Frame,
    rule: &'static Rule,
    /// The APIs whose first party has the rule.
    applies: Vec<(Api, Severity)>,
    /// The servers that take it otherwise than the first party of their API; `None` where one does not have the rule.
    differs: Vec<(&'static str, Api, Option<Severity>)>,
    paragraphs: Vec<Paragraph>,
}

/// The list of rules.
pub async fn list() -> Result<Response, Error> {
    let group = |api: Api, about| {
        let rules = RULES.iter().filter_map(|rule| Some((rule, first_party(rule, api)?)));
        Group { api, about, rules: rules.collect() }
    };
    let groups = DIALECTS.iter().map(|dialect| group(dialect.api, dialect.about)).collect();
    let others = RULES.iter().filter(|rule| applies(rule).is_empty()).collect();
    page::html(&RulesPage { frame: Frame::new("Rules", "/rules"), groups, others })
}

/// One rule with its documentation.
pub async fn show(Path(id): Path<String>) -> Result<Response, Error> {
    let missing = || Error::NotFound("There is no rule of that name.".to_owned());
    let rule = rule(&id).ok_or_else(missing)?;
    page::html(&RulePage {
        frame: Frame::new(rule.id, "/rules"),
        rule,
        applies: applies(rule),
        differs: differs(rule),
        paragraphs: paragraphs(&rule.documentation()),
    })
}

/// How bad a rule is for the first party of an API, where no model is known.
fn first_party(rule: &Rule, api: Api) -> Option<Severity> {
    (rule.severity)(&Target::new(api, None))
}

fn applies(rule: &Rule) -> Vec<(Api, Severity)> {
    Api::ALL.iter().filter_map(|api| Some((*api, first_party(rule, *api)?))).collect()
}

fn differs(rule: &Rule) -> Vec<(&'static str, Api, Option<Severity>)> {
    let mut differs = Vec::new();
    for profile in PROFILES {
        for api in Api::ALL.iter().filter(|api| profile.speaks(**api)) {
            let severity = (rule.severity)(&Target::of(*api, Some(profile), None));
            if severity != first_party(rule, *api) {
                differs.push((profile.id, *api, severity));
            }
        }
    }
    differs
}
