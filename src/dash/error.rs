//! What a page answers when it cannot be shown. What went wrong inside is logged and never sent.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::page::Frame;
use crate::store;

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing stands at the address; the text says what is missing.
    #[error("{0}")]
    NotFound(String),
    /// The address is malformed; the text says where and what to write.
    #[error("{0}")]
    BadRequest(String),
    /// The database does not answer.
    #[error("the database does not answer")]
    Unavailable(#[source] anyhow::Error),
    /// Our own trouble.
    #[error("the page could not be made")]
    Internal(#[source] anyhow::Error),
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Error {
        if store::is_unavailable(&error) { Error::Unavailable(error) } else { Error::Internal(error) }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame,
    code: u16,
    heading: &'a str,
    say: &'a str,
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, heading, say) = match &self {
            Error::NotFound(say) => (StatusCode::NOT_FOUND, "Not found", say.as_str()),
            Error::BadRequest(say) => (StatusCode::BAD_REQUEST, "This address cannot be read", say.as_str()),
            Error::Unavailable(error) => {
                tracing::error!(error = store::told(error), "database does not answer");
                let say = "The database does not answer. Try again in a moment.";
                (StatusCode::SERVICE_UNAVAILABLE, "Not available", say)
            }
            Error::Internal(error) => {
                tracing::error!(error = store::told(error), "page could not be made");
                let say = "Something went wrong while making this page. The log of the server says what.";
                (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong", say)
            }
        };
        let page = ErrorPage { frame: Frame::new(heading, ""), code: status.as_u16(), heading, say };
        (status, page.render().map_or_else(|_| say.to_owned().into_response(), |html| Html(html).into_response()))
            .into_response()
    }
}
