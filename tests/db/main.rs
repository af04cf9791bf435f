//! Tests against a real Postgres: our own embedded one, a fresh database for each test.

mod dash;
mod embedded;
mod harness;
mod ingest;
mod runs;
mod serve;
mod sessions;
mod verbs;
