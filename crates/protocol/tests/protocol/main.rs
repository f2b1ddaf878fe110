//! What crosses a socket, and both ends of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed, which is what is meant"
)]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it is about")]

mod addresses;
mod calls;
mod chunks;
mod client_frames;
mod faults;
mod identifiers;
mod official_client;
mod reducer;
mod reducer_approvals;
mod reducer_tools;
mod server_frames;
mod session;
mod support;
mod transcript;
mod transcript_model;
