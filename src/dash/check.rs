//! `POST /api/v1/check`: would the provider take this request?
//!
//! The body is one request body of any API, and the answer is what `cutpoint check - --output json` says of it. No store
//! is asked and nothing is kept. A mistake is answered as JSON that says what is wrong and the remedy.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Query, Request as HttpRequest};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::body;
use super::connections::Patience;
use super::mistake::Mistake;
use crate::dialects::{self, Dialect};
use crate::judge::{Aim, Judgement};
use crate::model::{Api, Call, Place, Request};
use crate::profiles::{self, PROFILES, Profile};
use crate::rules::Verdict;
use crate::transcript::History;

/// The most bytes of a body, packed and unpacked.
const LIMIT: usize = 64 << 20;

/// What a request is answered that the provider would refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// 200, with the findings: for watching.
    #[default]
    Log,
    /// 422, with the findings: for a gateway that lets nothing through that fails.
    Refuse,
}

impl Mode {
    /// The mode of that name.
    pub fn from_id(id: &str) -> Option<Mode> {
        match id {
            "log" => Some(Mode::Log),
            "refuse" => Some(Mode::Refuse),
            _ => None,
        }
    }
}

/// The service alone, under any state; requests that ask for no mode get this one.
pub fn router<S: Clone + Send + Sync + 'static>(mode: Mode) -> Router<S> {
    router_patient(mode, Patience::default())
}

/// The same with the time that a body may take.
pub fn router_patient<S: Clone + Send + Sync + 'static>(mode: Mode, patience: Patience) -> Router<S> {
    // A body is parsed and judged on one core: more at once would only take more memory.
    let cores = Arc::new(Semaphore::new(available_parallelism().map_or(1, usize::from)));
    let settings = move || (mode, patience.body, cores.clone());
    let answer = move |query, request: HttpRequest| answer(settings(), query, request);
    Router::new().route("/api/v1/check", post(answer).layer(DefaultBodyLimit::max(LIMIT)))
}

/// What a query asks for; empty counts as absent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    api: Option<String>,
    profile: Option<String>,
    model: Option<String>,
    mode: Option<String>,
}

/// What is asked for, in our own terms.
struct Wanted {
    api: Option<Api>,
    profile: Option<&'static Profile>,
    model: Option<String>,
    mode: Mode,
}

async fn answer(
    (mode, patience, cores): (Mode, Duration, Arc<Semaphore>),
    query: Result<Query<Asked>, QueryRejection>,
    request: HttpRequest,
) -> Result<Response, Mistake> {
    let Query(asked) = query.map_err(|rejection| {
        Mistake::wrong(rejection.body_text(), "name each of `api`, `profile`, `model` and `mode` once at most")
    })?;
    let wanted = asked.understood(mode)?;
    let mode = wanted.mode;
    let received = body::receive(request, LIMIT, patience).await?;
    let core = cores.acquire_owned().await.map_err(|_| trouble())?;
    let judged = tokio::task::spawn_blocking(move || {
        let _core = core;
        judged(&received.plain()?, &wanted)
    });
    let judgement = judged.await.map_err(|_| trouble())??;
    let is_refused = mode == Mode::Refuse && judgement.verdict == Verdict::Reject;
    let status = if is_refused { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(as_json(status, &judgement.to_json_at(&Place { source: "-".into(), line: 1 })))
}

impl Asked {
    fn understood(self, mode: Mode) -> Result<Wanted, Mistake> {
        let given = |value: Option<String>| value.filter(|value| !value.is_empty());
        let unknown = |what: &str, id: &str, known: String| {
            Mistake::wrong(format!("no {what} is called `{}`", clipped(id)), format!("write one of {known}"))
        };
        Ok(Wanted {
            api: named(given(self.api), Api::from_id, |id| unknown("API", id, api_ids()))?,
            profile: named(given(self.profile), profiles::profile, |id| unknown("profile", id, profile_ids()))?,
            model: given(self.model),
            mode: named(given(self.mode), Mode::from_id, |id| unknown("mode", id, "log, refuse".to_owned()))?
                .unwrap_or(mode),
        })
    }
}

/// What an id names, where one is given.
fn named<T>(
    id: Option<String>,
    known: impl Fn(&str) -> Option<T>,
    unknown: impl Fn(&str) -> Mistake,
) -> Result<Option<T>, Mistake> {
    id.map(|id| known(&id).ok_or_else(|| unknown(&id))).transpose()
}

/// The judgement on the request that a body holds.
fn judged(body: &[u8], wanted: &Wanted) -> Result<Judgement, Mistake> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        Mistake::wrong(format!("the body is no JSON: {error}"), "send the request's body as it goes to the provider")
    })?;
    let request = request(value, wanted.api)?;
    if let Some(profile) = wanted.profile.filter(|profile| !profile.speaks(request.api)) {
        let what = format!("profile `{}` does not speak the language of the request, {}", profile.id, request.api);
        return Err(Mistake::wrong(what, "leave the profile out, or state the language with `api`"));
    }
    let aim = Aim { profile: wanted.profile, model: wanted.model.clone(), ..Aim::default() };
    Ok(aim.judge(&mut Call::lone(request), &mut History::new()).judgement)
}

/// The request in the language that is stated, or that the body shows.
fn request(body: Value, api: Option<Api>) -> Result<Request, Mistake> {
    let dialect: Option<&Dialect> = api.map_or_else(|| dialects::detect(&body), |api| Some(dialects::for_api(api)));
    let Some(dialect) = dialect else {
        let remedy = format!("name its language with `api`: {}", api_ids());
        return Err(Mistake::wrong("the body shows no request of a known API", remedy));
    };
    (dialect.parse)(body).map_err(|reason| {
        Mistake::wrong(
            format!("the body is no request of {}: {reason}", dialect.id),
            "send one request body; a log is judged by `cutpoint check`",
        )
    })
}

fn api_ids() -> String {
    Api::ALL.iter().map(|api| api.id()).collect::<Vec<_>>().join(", ")
}

fn profile_ids() -> String {
    PROFILES.iter().map(|profile| profile.id).collect::<Vec<_>>().join(", ")
}

fn clipped(text: &str) -> String {
    text.chars().take(80).collect()
}

fn trouble() -> Mistake {
    tracing::error!("a request could not be judged");
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    Mistake::new(status, "the request could not be judged", "the log of the server says why")
}

fn as_json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{value}\n")).into_response()
}
