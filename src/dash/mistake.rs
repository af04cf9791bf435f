//! What a program is answered that asked for something that cannot be: JSON that says what is wrong and the remedy.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// What is wrong with a request, and what to do about it.
#[derive(Debug)]
pub struct Mistake {
    pub status: StatusCode,
    pub what: String,
    pub remedy: String,
}

impl Mistake {
    /// A mistake of that status.
    pub fn new(status: StatusCode, what: impl Into<String>, remedy: impl Into<String>) -> Mistake {
        Mistake { status, what: what.into(), remedy: remedy.into() }
    }

    /// A mistake in what was asked.
    pub fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Mistake {
        Mistake::new(StatusCode::BAD_REQUEST, what, remedy)
    }

    /// The same as plain text, for people.
    pub fn into_text(self) -> Response {
        let text = format!("{}\n{}\n", self.what, self.remedy);
        (self.status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
    }
}

impl IntoResponse for Mistake {
    fn into_response(self) -> Response {
        let value = json!({ "error": { "what": self.what, "remedy": self.remedy } });
        (self.status, [(header::CONTENT_TYPE, "application/json")], format!("{value}\n")).into_response()
    }
}
