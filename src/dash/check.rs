//! `POST /api/v1/check`: would the provider take this request?
//!
//! The body is one request body of any API, and the answer is what `cutpoint check - --output json` says of it. No store
//! is asked and nothing is kept. A mistake is answered as JSON that says what is wrong and the remedy.

use std::sync::Arc;
use std::thread::available_parallelism;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::dialects::{self, Dialect};
use crate::judge::{Aim, Judgement};
use crate::model::{Api, Call, Place, Request};
use crate::profiles::{self, PROFILES, Profile};
use crate::rules::Verdict;
use crate::transcript::History;

/// The most bytes of a body.
const LIMIT: usize = LIMIT_MB << 20;
const LIMIT_MB: usize = 64;

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
    // A body is parsed and judged on one core: more at once would only take more memory.
    let cores = Arc::new(Semaphore::new(available_parallelism().map_or(1, usize::from)));
    let answer = move |query, body| answer(mode, cores.clone(), query, body);
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
    mode: Mode,
    cores: Arc<Semaphore>,
    query: Result<Query<Asked>, QueryRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Mistake> {
    let Query(asked) = query.map_err(|rejection| Mistake {
        status: StatusCode::BAD_REQUEST,
        what: rejection.body_text(),
        remedy: "name each of `api`, `profile`, `model` and `mode` once at most".to_owned(),
    })?;
    let wanted = asked.understood(mode)?;
    let mode = wanted.mode;
    let body = body.map_err(unreadable)?;
    let core = cores.acquire_owned().await.map_err(|_| trouble())?;
    let judged = tokio::task::spawn_blocking(move || {
        let _core = core;
        judged(&body, &wanted)
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

/// Why there is no judgement: what is wrong, and what to do.
#[derive(Debug)]
struct Mistake {
    status: StatusCode,
    what: String,
    remedy: String,
}

impl Mistake {
    fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Mistake {
        Mistake { status: StatusCode::BAD_REQUEST, what: what.into(), remedy: remedy.into() }
    }
}

impl IntoResponse for Mistake {
    fn into_response(self) -> Response {
        as_json(self.status, &json!({ "error": { "what": self.what, "remedy": self.remedy } }))
    }
}

fn unreadable(rejection: BytesRejection) -> Mistake {
    match rejection.status() {
        status @ StatusCode::PAYLOAD_TOO_LARGE => Mistake {
            status,
            what: format!("the body has more than {LIMIT_MB} MB"),
            remedy: "send one request body; a log is judged by `cutpoint check`".to_owned(),
        },
        _ => Mistake::wrong("the body broke off", "send it again"),
    }
}

fn trouble() -> Mistake {
    tracing::error!("a request could not be judged");
    Mistake {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        what: "the request could not be judged".to_owned(),
        remedy: "the log of the server says why".to_owned(),
    }
}

fn as_json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{value}\n")).into_response()
}
