//! One conversation: what was said, what stands for its older part, the turns that answer it, the log from which a stream
//! is replayed, what tools have begun,
//! and what the owner may see of it.
//!
//! Storage and rules are apart. [`transcript`], [`compaction`], [`ledger`], [`stream_log`], [`action`] and [`activity`]
//! are functions over a database; [`turn`] is a state machine without any I/O. Whoever runs turns does four things in a loop: accept a
//! message ([`ledger::accept`]), claim the oldest waiting turn ([`ledger::claim_next`]), feed a [`turn::Turn`] with events
//! and carry out its effects, and settle what it ends with ([`ledger::settle`]). What an instance that is gone has left
//! running is taken over ([`ledger::take_over`]) and goes on.

pub mod action;
pub mod activity;
pub mod compaction;
mod envelope;
mod error;
pub mod history;
pub mod ledger;
mod model_view;
mod schema;
pub mod stream_log;
pub mod submission;
mod system_prompt;
pub mod transcript;
pub mod turn;

pub use error::ConversationError;
pub use schema::{COMPONENT, MIGRATIONS, initialise, open};
pub use system_prompt::SystemPrompt;
