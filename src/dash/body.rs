//! The body of a request: how long it may be, how long it may take, and how it is packed.

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};

use super::mistake::Mistake;
use crate::frame::{self, NotUnpacked};

/// A body as it came.
pub struct Received {
    bytes: Bytes,
    limit: usize,
}

/// Receives a body of at most `limit` bytes, packed and unpacked, which has to be here before `patience` is over. The
/// route must bound its length to the same.
pub async fn receive(request: Request, limit: usize, patience: Duration) -> Result<Received, Mistake> {
    let encoding = encoding(request.headers());
    if !matches!(encoding.as_str(), "" | "identity" | "gzip" | "x-gzip" | "zstd") {
        return Err(Mistake::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("the body is encoded as `{encoding}`"),
            "send it plain, or packed by gzip or zstd",
        ));
    }
    match tokio::time::timeout(patience, Bytes::from_request(request, &())).await {
        Ok(Ok(bytes)) => Ok(Received { bytes, limit }),
        Ok(Err(rejection)) => Err(unreadable(&rejection, limit)),
        Err(_) => Err(Mistake::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body was not here after {} seconds", patience.as_secs_f32()),
            "send it faster, or packed by gzip",
        )),
    }
}

impl Received {
    /// The body unpacked, which its first bytes tell: a client may state an encoding or not.
    pub fn plain(&self) -> Result<Cow<'_, [u8]>, Mistake> {
        frame::unpacked(&self.bytes, self.limit).map_err(|reason| match reason {
            NotUnpacked::TooLong => too_long(self.limit, " unpacked"),
            NotUnpacked::Broken(reason) => {
                Mistake::wrong(format!("the body holds {reason}"), "pack it again, or send it plain")
            }
        })
    }
}

fn encoding(headers: &HeaderMap) -> String {
    let stated = headers.get_all(header::CONTENT_ENCODING).iter().map(|value| value.to_str().unwrap_or("?"));
    let stated: String = stated.collect::<Vec<_>>().join(", ").trim().to_ascii_lowercase();
    stated.chars().take(80).collect()
}

fn unreadable(rejection: &BytesRejection, limit: usize) -> Mistake {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_long(limit, ""),
        _ => Mistake::wrong("the body broke off", "send it again"),
    }
}

fn too_long(limit: usize, how: &str) -> Mistake {
    let what = format!("the body has more than {} MB{how}", limit >> 20);
    Mistake::new(StatusCode::PAYLOAD_TOO_LARGE, what, "send one request body; a log is judged by `cutpoint check`")
}
