//! The measurements behind `cargo xtask bench turns`: what an answer costs on its way from the provider to a client, in
//! processor time, in rows, on the disk and after a crash.
//!
//! Absolute times say more about the machine than about the product, so everything is a ratio: to pass-throughs that do
//! nothing (`tests/bench/bare.mjs`), and to a peer that does the same work, if there is one. All of them run in the same
//! local runtime, are asked the same by the same clients and reach the same provider, in turn within one run.

mod chat;
mod frame;
mod marks;
mod plan;
mod process;
mod provider;
mod report;
mod rounds;
mod rows;
mod runtime;
mod script;
mod statistics;
mod stream;
mod system;
mod trouble;
mod wire;

pub use plan::Plan;
pub use report::Report;
pub use rows::{names, run};
pub use trouble::Trouble;
