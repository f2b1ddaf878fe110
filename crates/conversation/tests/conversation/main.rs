//! The behaviour of a conversation, tested without any runtime: its storage on the native database, its turn machine
//! with scripted events, and both together with a crash after any step.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test may stop at what it did not expect"
)]

mod activity;
mod activity_model;
mod activity_past;
mod activity_world;
mod approval;
mod crash;
mod golden;
mod ledger;
mod limits;
mod long;
mod overflow;
mod overflow_crash;
mod pages;
mod pause;
mod queue;
mod schema;
mod script;
mod simulation;
mod stream_log;
mod submission;
mod support;
mod system_prompt;
mod tools;
mod transcript;
mod turn;
mod turn_approval;
mod turn_progress;
mod turn_properties;
mod turn_recovery;
mod turn_repetition;
mod turn_thinking;
mod turn_tools;
