//! Cutpoint replays production LLM traffic against context-compaction policies.
//!
//! The order of the modules is the layering: a module names only modules above it.
//!
//! # Use it as a library
//!
//! What `cutpoint check` does is a few calls. Here a request that lost the call of a tool result is judged before it is
//! sent:
//!
//! ```
//! use cutpoint::judge::{self, Judgement};
//! use cutpoint::rules::{Target, Verdict};
//!
//! fn check(body: serde_json::Value) -> Result<Judgement, String> {
//!     let dialect = cutpoint::dialects::detect(&body).ok_or("no request of a known API")?;
//!     let request = (dialect.parse)(body)?;
//!     Ok(judge::judge(&request, &Target::new(request.api, request.model.as_deref())))
//! }
//!
//! let judgement = check(serde_json::json!({
//!     "model": "gpt-4.1",
//!     "messages": [
//!         {"role": "user", "content": "How hot is the kiln?"},
//!         {"role": "tool", "tool_call_id": "call_1", "content": "1100 degrees"}
//!     ]
//! }))?;
//! assert_eq!(judgement.verdict, Verdict::Reject);
//! assert_eq!(judgement.findings[0].rule, "orphan_tool_result");
//! assert_eq!(judge::path(judgement.api, &judgement.findings[0]), "messages.[1].role");
//! # Ok::<(), String>(())
//! ```
//!
//! Logs come in by [`source::sessions`] and are played by [`sweep`]; [`model`] is the glossary.

pub mod model;
pub mod stats;
pub mod catalog;
pub mod profiles;

pub mod dialects;
pub mod frame;
pub mod formats;

pub mod session;
pub mod transcript;
pub mod finding;
pub mod rules;
pub mod refusal;
pub mod judge;
pub mod agreement;
pub mod repair;
pub mod textbook;
pub mod baseline;
pub mod policies;
pub mod cell;
pub mod outcome;
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
