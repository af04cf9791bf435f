//! Tests that need nothing but the crate: no network, no database, no clock.

mod dialects;
mod formats;
mod generate;
mod house;
mod replay;
mod rules;
mod session;
mod traffic;
