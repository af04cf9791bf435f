//! Bulk rows in Postgres' binary COPY format.
//!
//! Layout: <https://www.postgresql.org/docs/current/sql-copy.html>, "Binary Format".

use anyhow::{Context, Result};
use sqlx::PgConnection;

use crate::model::Time;

/// Eleven bytes that no transport may change, then flags and an empty extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// 2000-01-01 in microseconds of Unix time: Postgres counts from there.
const EPOCH_MICROSECONDS: i128 = 946_684_800_000_000;

/// The type of the elements of an `integer[]`.
const OID_INTEGER: i32 = 23;

/// Rows of one table, as bytes.
pub struct Rows {
    bytes: Vec<u8>,
    n_columns: i16,
    n_rows: u64,
}

impl Rows {
    /// No rows yet, for that many columns.
    pub fn new(n_columns: i16) -> Rows {
        Rows { bytes: HEADER.to_vec(), n_columns, n_rows: 0 }
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        self.n_rows
    }

    /// Begins a row; exactly as many values as there are columns must follow.
    pub fn row(&mut self) -> &mut Rows {
        self.n_rows += 1;
        self.bytes.extend(self.n_columns.to_be_bytes());
        self
    }

    /// The rows as they will be sent.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn null(&mut self) -> &mut Rows {
        self.bytes.extend((-1i32).to_be_bytes());
        self
    }

    pub fn bytes(&mut self, value: &[u8]) -> &mut Rows {
        let length = i32::try_from(value.len()).expect("a value of at most 2 GB");
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(value);
        self
    }

    pub fn integer(&mut self, value: i32) -> &mut Rows {
        self.bytes(&value.to_be_bytes())
    }

    pub fn bigint(&mut self, value: i64) -> &mut Rows {
        self.bytes(&value.to_be_bytes())
    }

    pub fn boolean(&mut self, value: bool) -> &mut Rows {
        self.bytes(&[u8::from(value)])
    }

    /// Text as Postgres can keep it: see [`storable`].
    pub fn text(&mut self, value: &str) -> &mut Rows {
        self.bytes(storable(value).as_bytes())
    }

    pub fn jsonb(&mut self, value: &serde_json::Value) -> &mut Rows {
        // The version of the binary form stands in front of the text.
        self.bytes(format!("\u{1}{}", storable(&value.to_string())).as_bytes())
    }

    pub fn time(&mut self, value: Time) -> &mut Rows {
        let microseconds = value.unix_timestamp_nanos().div_euclid(1000) - EPOCH_MICROSECONDS;
        self.bigint(i64::try_from(microseconds).expect("a year below 10,000"))
    }

    pub fn integers(&mut self, values: &[u32]) -> &mut Rows {
        let mut array = Vec::with_capacity(20 + 8 * values.len());
        let n = i32::try_from(values.len()).expect("a list of fewer than 2^31");
        // Dimensions, no null among the elements, their type; for the one dimension its length and lower bound.
        for number in [i32::from(n > 0), 0, OID_INTEGER] {
            array.extend(number.to_be_bytes());
        }
        if n > 0 {
            array.extend([n.to_be_bytes(), 1i32.to_be_bytes()].concat());
        }
        for value in values {
            array.extend([4i32.to_be_bytes(), as_integer(*value).to_be_bytes()].concat());
        }
        self.bytes(&array)
    }

    /// A value that may be absent.
    pub fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Rows, T) -> &mut Rows) -> &mut Rows {
        match value {
            Some(value) => put(self, value),
            None => self.null(),
        }
    }

    /// Sends the rows by `statement`, a `copy ... from stdin (format binary)`.
    pub async fn send(mut self, connection: &mut PgConnection, statement: &'static str) -> Result<u64> {
        if self.n_rows == 0 {
            return Ok(0);
        }
        self.bytes.extend((-1i16).to_be_bytes());
        let mut copy =
            connection.copy_in_raw(statement).await.with_context(|| format!("could not begin `{statement}`"))?;
        copy.send(self.bytes).await.with_context(|| format!("could not send rows by `{statement}`"))?;
        copy.finish().await.with_context(|| format!("could not finish `{statement}`"))
    }
}

/// An index or a count as Postgres' `integer`.
pub fn as_integer(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// A sum as Postgres' `bigint`.
pub fn as_bigint(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Text without NUL, which no text column can hold: it becomes U+2400, the picture of NUL.
pub fn storable(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_laid_out_as_postgres_documents_it() {
        let mut rows = Rows::new(3);
        rows.row().integer(7).null().text("a\0");
        let row = &rows.bytes[HEADER.len()..];
        assert_eq!(row, b"\0\x03\0\0\0\x04\0\0\0\x07\xff\xff\xff\xff\0\0\0\x04a\xe2\x90\x80");
        assert_eq!(HEADER.len(), 19);
    }
}
