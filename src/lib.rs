//! Cutpoint replays production LLM traffic against context-compaction policies.
//!
//! The order of the modules is the layering: a module names only modules above it.

pub mod model;
pub mod stats;
pub mod catalog;

pub mod dialects;
pub mod frame;
pub mod formats;

pub mod session;
pub mod transcript;
pub mod profiles;
pub mod rules;
pub mod judge;
pub mod textbook;
pub mod baseline;
pub mod policies;
pub mod cell;
pub mod replay;
pub mod metrics;

pub mod report;
pub mod generate;

pub mod source;
pub mod store;
pub mod ingest;
pub mod sweep;
pub mod dash;
pub mod cli;
