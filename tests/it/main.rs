//! Tests that run anywhere.

mod formats;
mod generate;
mod session;
