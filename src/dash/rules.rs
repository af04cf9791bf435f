//! `/rules`: what providers refuse, from the table of rules.

use askama::Template;
use axum::response::Response;

use super::Error;
use super::extract::Path;
use super::page::{self, Frame};
use super::prose::{Paragraph, paragraphs};
use crate::rules::{RULES, Rule, rule};

#[derive(Template)]
#[template(path = "rules.html")]
struct RulesPage {
    frame: Frame,
    rules: &'static [Rule],
}

#[derive(Template)]
#[template(path = "rule.html")]
struct RulePage {
    frame: Frame,
    rule: &'static Rule,
    paragraphs: Vec<Paragraph>,
}

/// The list of rules.
pub async fn list() -> Result<Response, Error> {
    page::html(&RulesPage { frame: Frame::new("Rules", "/rules"), rules: RULES })
}

/// One rule with its documentation.
pub async fn show(Path(id): Path<String>) -> Result<Response, Error> {
    let missing = || Error::NotFound("There is no rule of that name.".to_owned());
    let rule = rule(&id).ok_or_else(missing)?;
    let (frame, paragraphs) = (Frame::new(rule.id, "/rules"), paragraphs(&rule.documentation()));
    page::html(&RulePage { frame, rule, paragraphs })
}
