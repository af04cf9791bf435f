//! Tests that need nothing but the crate: no network, no database, no clock.

mod dialects;
mod house;
mod rules;
