//! The release bundle in the local Cloudflare runtime, seen from outside: what the owner gets, what nobody else gets,
//! and what survives when the provider, the network or the process fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "tests stop at the first surprise, and of many frames they pick one"
)]

mod activities;
mod approval;
mod canary;
mod conversations;
mod crash;
mod damage;
mod deletion;
mod faults;
mod harness;
mod ingress;
mod lifetime;
mod long;
mod memory;
mod models;
mod pages;
mod reading;
mod recovery;
mod reset;
mod search;
mod settings;
mod sign_in;
mod sockets;
mod stops;
mod storage;
mod submissions;
mod tools;
mod turns;
