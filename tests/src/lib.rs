//! What the end-to-end suites stand on: a scripted model provider, the local runtime as a process that can be killed,
//! clients for its sockets and its HTTP, and the owner's credentials.
//!
//! Everything blocks and nothing needs an asynchronous runtime: a test reads from top to bottom, as the owner's day does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::wildcard_enum_match_arm,
    reason = "this is test support: what goes wrong here has to stop the test with a message, and of many frames it picks one"
)]

pub mod bench;
pub mod chance;
pub mod client;
pub mod credentials;
mod host;
mod installation;
pub mod oracle;
pub mod provider;
mod wait;

pub use host::{Entry, Host, HostOptions};
pub use installation::Installation;
pub use wait::{PATIENCE, eventually};
