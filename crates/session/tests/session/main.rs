//! The crate as its users see it: what is issued, what is refused, and what a request may reach.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod assertion;
mod configuration;
mod cookie;
mod headers;
mod ingress;
mod ingress_properties;
mod secrecy;
mod support;
mod vault;
