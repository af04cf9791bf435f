//! `/sessions/{id}`: one transcript to scale, with the cuts of a chosen cell, and its messages.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::content::{self, Shown};
use super::extract::{Path, Query};
use super::page::{self, Frame};
use super::params::{self, Twin};
use super::strip::Sized;
use super::{Error, csv};
use crate::cell::{Cell, Mode};
use crate::model::{Compaction, SessionCall};
use crate::report::chart::Caption;
use crate::report::chart::strip::{self, Cut, Kind, Strip};
use crate::report::text;
use crate::store::{OutcomeLine, Run, SessionLine, Store, StoredCut};
use crate::transcript::size::{COUNTERS, Counter, counter};

/// Messages on one page.
const PAGE: usize = 200;

/// Which cell is drawn, and where the list of messages begins.
#[derive(Deserialize)]
pub struct Asked {
    run: Option<String>,
    cell: Option<String>,
    from: Option<String>,
}

/// A run, what its cells did to the session, and the cell whose cuts are drawn.
#[derive(Default)]
struct Chosen {
    run: Option<Run>,
    outcomes: Vec<OutcomeLine>,
    cell: Option<String>,
    cuts: Vec<StoredCut>,
}

#[derive(Template)]
#[template(path = "session.html")]
struct SessionPage {
    frame: Frame,
    line: SessionLine,
    counter: &'static str,
    picture: String,
    tokens: u64,
    run: Option<Run>,
    outcomes: Vec<OutcomeLine>,
    cell: String,
    /// What keeps the chosen cell on links.
    query: String,
    cuts: Vec<Cut>,
    refused: Vec<(usize, SessionCall)>,
    compactions: Vec<Compaction>,
    messages: Vec<MessageRow>,
    from: usize,
    total: usize,
    previous: Option<usize>,
    next: Option<usize>,
}

impl SessionPage {
    /// The address of the messages from one on.
    fn window(&self, from: &usize) -> String {
        format!("/sessions/{}?{}from={from}#messages-heading", self.line.id, self.query)
    }

    /// The address of a message.
    fn place(&self, message: &u32) -> String {
        format!("/sessions/{}?{}from={}#m-{message}", self.line.id, self.query, window_of(*message as usize))
    }
}

/// Where the page of a message begins.
fn window_of(message: usize) -> usize {
    message / PAGE * PAGE
}

/// A message as the list shows it.
struct MessageRow {
    index: usize,
    role: String,
    kind: Kind,
    tokens: u64,
    shown: Shown,
    /// The call at which the chosen cell evicts it.
    evicted_at: Option<u32>,
    /// The rules that refuse a prompt at this message, with the call.
    broken: Vec<(String, u32)>,
}

#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage {
    frame: Frame,
    line: SessionLine,
    index: u32,
    /// Where the page of the message begins.
    from: usize,
    role: String,
    shown: Shown,
}

/// The page, or its messages as CSV.
pub async fn show(
    State(store): State<Arc<Store>>,
    Path(segment): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Error> {
    let (id, twin) = params::numbered(&segment, "session")?;
    let from: usize = params::query(asked.from.as_deref(), "from", 200)?.unwrap_or(0);
    let line = stored_line(&store, id).await?;
    let chosen = choose(&store, id, &asked).await?;
    let counter = counter_of(chosen.run.as_ref());
    let session = store.load_session(id).await?.ok_or_else(|| missing(id))?;
    let sized = tokio::task::spawn_blocking(move || Sized::of(session, counter)).await;
    let sized = sized.map_err(|error| Error::Internal(error.into()))?;
    match twin {
        Twin::Html => page::html(&lay_out(line, chosen, counter, sized, from)),
        Twin::Csv => Ok(csv::download(&format!("session-{id}.csv"), table(&chosen, counter, &sized))),
        Twin::Json => Err(params::no_form("session", "json")),
    }
}

/// One message in full.
pub async fn message(
    State(store): State<Arc<Store>>,
    Path((session, index)): Path<(String, String)>,
) -> Result<Response, Error> {
    let id = params::number_of(&session, "session")?;
    let index = u32::try_from(params::number_of(&index, "message")?).unwrap_or(u32::MAX);
    let line = stored_line(&store, id).await?;
    let found = store.session_messages(id, index, 1).await?.into_iter().find(|(position, _)| *position == index);
    let (_, message) = found.ok_or_else(|| Error::NotFound(format!("Session {id} has no message {index}.")))?;
    let frame = Frame::new(&format!("Message {index} of {}", line.name), "/sessions");
    let (role, shown) = (content::visible(message.role.as_str()), content::shown(&message, usize::MAX));
    let from = window_of(index as usize);
    page::html(&MessagePage { frame, line, index, from, role, shown })
}

async fn stored_line(store: &Store, id: i64) -> Result<SessionLine, Error> {
    store.session_line(id).await?.ok_or_else(|| missing(id))
}

fn missing(id: i64) -> Error {
    Error::NotFound(format!("There is no session {id}."))
}

/// The run asked for or the latest, and in it the cell asked for, the first that broke, or the first that compacted.
async fn choose(store: &Store, session: i64, asked: &Asked) -> Result<Chosen, Error> {
    let run = match params::query(asked.run.as_deref(), "run", 1)? {
        Some(id) => store.run(id).await?.ok_or_else(|| Error::NotFound(format!("There is no run {id}."))).map(Some)?,
        None => store.runs(None, 1).await?.pop(),
    };
    let Some(run) = run else { return Ok(Chosen::default()) };
    let outcomes = store.session_outcomes(run.id, session).await?;
    let example = "drop-oldest-round/0.9/trigger/200000/sticky";
    let asked: Option<Cell> = params::query(asked.cell.as_deref(), "cell", example)?;
    let cell = asked.map(|cell| cell.to_string()).or_else(|| {
        let broken = outcomes.iter().find(|outcome| outcome.outcome.calls_400 > 0);
        broken.or(outcomes.first()).map(|outcome| outcome.cell.clone())
    });
    let cuts = match outcomes.iter().find(|outcome| Some(&outcome.cell) == cell.as_ref()) {
        Some(outcome) => store.cuts(outcome.cell_id, session).await?,
        None => Vec::new(),
    };
    Ok(Chosen { run: Some(run), outcomes, cell, cuts })
}

fn counter_of(run: Option<&Run>) -> &'static Counter {
    run.and_then(|run| counter(&run.counter)).unwrap_or(&COUNTERS[0])
}

fn cuts_of(chosen: &Chosen, sized: &Sized) -> Vec<Cut> {
    let cell = chosen.cell.as_deref().and_then(|cell| cell.parse::<Cell>().ok());
    sized.cuts(&chosen.cuts, cell.is_none_or(|cell| cell.mode == Mode::Sticky))
}

fn lay_out(line: SessionLine, chosen: Chosen, counter: &'static Counter, sized: Sized, from: usize) -> SessionPage {
    let cuts = cuts_of(&chosen, &sized);
    let total = sized.messages.len();
    let from = window_of(from.min(total.saturating_sub(1)));
    let picture = picture(&line, &chosen, counter, &sized, &cuts);
    let rows = (from..total.min(from + PAGE)).map(|index| row(index, &sized, &cuts)).collect();
    let refused = sized.session.calls.iter().enumerate().filter(|(_, call)| call.reply.status == Some(400));
    SessionPage {
        frame: Frame::new(&line.name, "/sessions"),
        counter: counter.id,
        picture,
        tokens: sized.messages.iter().map(|message| message.tokens).sum(),
        query: query_of(&chosen),
        cell: chosen.cell.unwrap_or_default(),
        run: chosen.run,
        outcomes: chosen.outcomes,
        cuts,
        refused: refused.map(|(at, call)| (at, call.clone())).collect(),
        compactions: sized.session.compactions.clone(),
        messages: rows,
        from,
        total,
        previous: from.checked_sub(PAGE),
        next: Some(from + PAGE).filter(|next| *next < total),
        line,
    }
}

fn picture(line: &SessionLine, chosen: &Chosen, counter: &Counter, sized: &Sized, cuts: &[Cut]) -> String {
    let query = query_of(chosen);
    let link = |index: usize| format!("/sessions/{}?{query}from={}#m-{index}", line.id, window_of(index));
    let strip = Strip { messages: &sized.messages, cuts, counter: counter.id, link: &link };
    let title = format!("The transcript of session {}", line.name);
    let about = format!(
        "{} messages, each as wide as its tokens; below, one lane for each of {} compactions. The same is in the \
         tables on this page.",
        sized.messages.len(),
        cuts.len()
    );
    strip::svg(&Caption { id: "transcript", title: &title, about: &about }, &strip)
}

/// What keeps the chosen cell on links.
fn query_of(chosen: &Chosen) -> String {
    match (&chosen.run, &chosen.cell) {
        (Some(run), Some(cell)) => format!("run={}&cell={}&", run.id, page::in_query(cell)),
        _ => String::new(),
    }
}

fn row(index: usize, sized: &Sized, cuts: &[Cut]) -> MessageRow {
    let (message, facts) = (&sized.session.messages[index], &sized.messages[index]);
    MessageRow {
        index,
        role: content::visible(message.role.as_str()),
        kind: facts.kind,
        tokens: facts.tokens,
        shown: content::shown(message, content::CLIP),
        evicted_at: evicted_at(index, facts.pinned, cuts),
        broken: broken_at(index, cuts).map(|(rule, call)| (rule.to_owned(), call)).collect(),
    }
}

fn evicted_at(index: usize, is_pinned: bool, cuts: &[Cut]) -> Option<u32> {
    let leaves = |cut: &&Cut| !is_pinned && index < cut.kept_from as usize;
    cuts.iter().find(leaves).map(|cut| cut.call)
}

fn broken_at(index: usize, cuts: &[Cut]) -> impl Iterator<Item = (&str, u32)> {
    let here = move |cut: &&Cut| cut.broken.as_ref().is_some_and(|(_, message)| *message as usize == index);
    cuts.iter().filter(here).filter_map(|cut| cut.broken.as_ref().map(|(rule, _)| (rule.as_str(), cut.call)))
}

/// The messages without their content.
fn table(chosen: &Chosen, counter: &Counter, sized: &Sized) -> String {
    let cuts = cuts_of(chosen, sized);
    let cell = chosen.cell.as_deref().unwrap_or("");
    let mut out = String::new();
    csv::line(&mut out, &["message", "role", "kind", "tokens", "counter", "cell", "evicted_at_call", "refused_by"]);
    for (index, (message, facts)) in sized.session.messages.iter().zip(&sized.messages).enumerate() {
        let (number, tokens) = (index.to_string(), facts.tokens.to_string());
        let evicted = evicted_at(index, facts.pinned, &cuts).map_or_else(String::new, |call| call.to_string());
        let refused = broken_at(index, &cuts).map(|(rule, _)| rule).next().unwrap_or("");
        let (role, kind) = (content::visible(message.role.as_str()), facts.kind.name());
        csv::line(&mut out, &[&number, &role, kind, &tokens, counter.id, cell, &evicted, refused]);
    }
    out
}
