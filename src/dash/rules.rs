//! `/rules`: what providers refuse, from the table of rules.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;

use super::Error;
use super::page::{self, Frame};
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

/// A piece of a rule's documentation, as Markdown marks it.
enum Paragraph {
    Heading(String),
    Text(String),
    Code(String),
    Items(Vec<String>),
}

/// The list of rules.
pub async fn list() -> Result<Response, Error> {
    page::html(&RulesPage { frame: Frame::new("Rules", "/rules"), rules: RULES })
}

/// One rule with its documentation.
pub async fn show(Path(id): Path<String>) -> Result<Response, Error> {
    let missing = || Error::NotFound("There is no rule of that name.".to_owned());
    let rule = rule(&id).ok_or_else(missing)?;
    page::html(&RulePage { frame: Frame::new(rule.id, "/rules"), rule, paragraphs: paragraphs(rule.docs) })
}

/// Headings, code, lists and paragraphs of a documentation; anything else is a paragraph.
fn paragraphs(docs: &str) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    let mut fences = docs.split("```");
    while let Some(prose) = fences.next() {
        paragraphs.extend(prose.split("\n\n").map(str::trim).filter(|piece| !piece.is_empty()).flat_map(piece_of));
        if let Some(code) = fences.next() {
            let code = code.split_once('\n').map_or(code, |(_, code)| code);
            paragraphs.push(Paragraph::Code(code.trim_end().to_owned()));
        }
    }
    paragraphs
}

fn piece_of(piece: &str) -> Vec<Paragraph> {
    if piece.starts_with('#') {
        let (heading, rest) = piece.split_once('\n').unwrap_or((piece, ""));
        let mut pieces = vec![Paragraph::Heading(heading.trim_start_matches('#').trim().to_owned())];
        pieces.extend(Some(rest.trim()).filter(|rest| !rest.is_empty()).map(piece_of).unwrap_or_default());
        return pieces;
    }
    if piece.starts_with("- ") || piece.starts_with("* ") {
        let mut items: Vec<String> = Vec::new();
        for line in piece.lines() {
            match (line.strip_prefix("- ").or(line.strip_prefix("* ")), items.last_mut()) {
                (Some(item), _) => items.push(item.to_owned()),
                (None, Some(item)) => *item = format!("{item} {}", line.trim()),
                (None, None) => items.push(line.trim().to_owned()),
            }
        }
        return vec![Paragraph::Items(items)];
    }
    vec![Paragraph::Text(piece.lines().map(str::trim).collect::<Vec<_>>().join(" "))]
}
