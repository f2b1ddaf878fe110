//! Answers that survive: hundreds of turns are cut off by killing the process, and every one of them ends as it would have
//! ended undisturbed. What was promised is checked from outside: in the stored transcript, in every open page, at the
//! provider, and in the world that the tools change.
//!
//! A fifth of it runs unless `FLAREBOT_SOAK` is set; `FLAREBOT_SEED` chooses another course of events. Each test prints
//! what it counted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "tests stop at the first surprise, and of many states they pick one"
)]

mod conversation;
mod plan;
mod promises;
mod round;
mod soak;
mod tally;
