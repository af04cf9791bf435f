//! What all pages share: the frame around them, their descriptions, how times and counts are written.

use std::sync::LazyLock;

use askama::Template;
use axum::response::{Html, IntoResponse, Response};
use serde::de::DeserializeOwned;

use super::Error;
use crate::model::Time;
use crate::report::text;
pub use crate::report::text::when;

/// The frame around a page.
pub struct Frame {
    pub title: String,
    /// The entry of the navigation that the page belongs to.
    pub section: &'static str,
}

impl Frame {
    /// The frame of a page with that title.
    pub fn new(title: &str, section: &'static str) -> Frame {
        Frame { title: title.to_owned(), section }
    }

    /// The entries of the navigation: address, name, and whether the page belongs to it.
    pub fn sections(&self) -> [(&'static str, &'static str, bool); 4] {
        let sections = [("/", "Overview"), ("/runs", "Runs"), ("/sessions", "Sessions"), ("/rules", "Rules")];
        sections.map(|(address, name)| (address, name, address == self.section))
    }

    /// The version that made the page.
    pub fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

/// A page's description out of `dashboards/`, read once.
pub type Described<T> = LazyLock<T>;

/// The description in a text that a test has read before.
pub fn described<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("the descriptions of pages are read by a test")
}

/// A rendered page.
pub fn html(template: &impl Template) -> Result<Response, Error> {
    let page = template.render().map_err(|error| Error::Internal(error.into()))?;
    Ok(Html(page).into_response())
}

/// A count as people read it; templates hand over references.
pub fn count<N: Copy + TryInto<u64>>(number: &N) -> String {
    text::grouped((*number).try_into().unwrap_or(0))
}

/// A count, or that it is not known.
pub fn maybe_count<N: Copy + TryInto<u64>>(number: &Option<N>) -> String {
    number.as_ref().map_or_else(|| text::UNKNOWN.to_owned(), count)
}

/// A point in time as people read it, `n/a` where the log has none.
pub fn maybe_when(time: &Option<Time>) -> String {
    time.as_ref().map_or_else(|| text::UNKNOWN.to_owned(), when)
}

/// A duration as people read it.
pub fn duration(ms: Option<i64>) -> String {
    match ms {
        None => text::UNKNOWN.to_owned(),
        Some(ms) if ms < 1_000 => format!("{ms} ms"),
        Some(ms) => format!("{:.1} s", ms as f64 / 1_000.0),
    }
}

/// A text as it stands in the query of an address.
pub fn in_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b',' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
