//! Tests that need nothing but the crate: no network, no database, no clock.

mod agreement;
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
mod refusals;
mod repair;
mod replay;
mod logged;
mod metamorphic;
mod mutations;
mod requests;
mod rules;
mod slow;
mod session;
mod traffic;
mod transcripts;
