//! Tests that need nothing but the crate: no network, no database, no clock.

mod arithmetic;
mod bad_input;
mod charts;
mod check;
mod check_service;
mod cli;
mod damage;
mod dialects;
mod formats;
mod generate;
mod golden;
mod house;
mod repair;
mod replay;
mod rules;
mod session;
mod traffic;
mod transcripts;
