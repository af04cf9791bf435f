//! The files that pages refer to, compiled in.

use axum::http::header;
use axum::response::IntoResponse;

const AN_HOUR: &str = "public, max-age=3600";

/// The style sheet.
pub async fn style() -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, AN_HOUR)];
    (headers, include_str!("../../dashboards/style.css"))
}

/// The icon.
pub async fn icon() -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, AN_HOUR)];
    (headers, include_str!("../../dashboards/icon.svg"))
}
