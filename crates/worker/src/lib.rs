//! The Cloudflare shell of Flarebot: the entry point, the two object classes, and the interpreters that carry out
//! what the pure crates decide.
//!
//! Nothing here knows a rule that could live in a domain crate. Every JavaScript extern is in [`sys`].

#![allow(
    missing_docs,
    reason = "the macro of an object class writes methods that nobody can document"
)]

mod agent;
mod clock;
mod configuration;
mod conversation;
mod entry;
mod fault;
mod model;
mod model_call;
mod object;
mod page;
mod socket;
mod storage;
pub mod sys;
mod timer;
mod tools;

pub use agent::PersonalAgent;
pub use conversation::Conversation;
pub use storage::ObjectSql;
pub use tools::register_tool;
