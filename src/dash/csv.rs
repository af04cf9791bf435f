//! Comma-separated values for downloads; no field can act as a formula in a spreadsheet.

use std::fmt::Write;

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// One line of fields.
pub fn line(out: &mut String, fields: &[&str]) {
    for (at, text) in fields.iter().enumerate() {
        let separator = if at == 0 { "" } else { "," };
        let _ = write!(out, "{separator}{}", field(text));
    }
    out.push_str("\r\n");
}

/// How a formula begins, also in the wide forms of East Asian text; spreadsheets pass over blanks before it.
const FORMULAS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

fn field(text: &str) -> String {
    let is_formula = text.trim_start().starts_with(FORMULAS) && text.parse::<f64>().is_err();
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// A download of that name.
pub fn download(name: &str, text: String) -> Response {
    file(name, "text/csv; charset=utf-8", text)
}

/// A file of that name and type.
pub fn file(name: &str, kind: &'static str, text: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_a_formula() {
        assert_eq!(field("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(field("-1.5"), "-1.5");
        assert_eq!(field(" \t=1"), "' \t=1");
        assert_eq!(field("\u{ff1d}1"), "'\u{ff1d}1");
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
