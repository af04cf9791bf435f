//! `/sessions`: the stored sessions, newest first, a page at a time.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::extract::Query;
use super::page::{self, Frame};
use super::{Error, params};
use crate::store::{SessionLine, Store};

/// Sessions on one page.
const PAGE: u32 = 100;

/// What a list of sessions is asked for.
#[derive(Deserialize)]
pub struct Asked {
    before: Option<String>,
    /// The exact name of a session.
    name: Option<String>,
}

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    frame: Frame,
    sessions: Vec<SessionLine>,
    name: String,
    is_first: bool,
    next: Option<i64>,
}

/// The page.
pub async fn list(State(store): State<Arc<Store>>, Query(asked): Query<Asked>) -> Result<Response, Error> {
    let before: Option<i64> = params::query(asked.before.as_deref(), "before", 42)?;
    let name = asked.name.unwrap_or_default().trim().to_owned();
    let mut sessions = if name.is_empty() {
        store.session_lines(before, PAGE + 1).await?
    } else {
        store.sessions_named(&name).await?
    };
    let more = sessions.len() > PAGE as usize;
    sessions.truncate(PAGE as usize);
    let next = sessions.last().filter(|_| more).map(|line| line.id);
    let frame = Frame::new("Sessions", "/sessions");
    page::html(&SessionsPage { frame, sessions, name, is_first: before.is_none(), next })
}
