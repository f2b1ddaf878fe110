//! Durable work against plain models of it, in virtual time and with crashes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on should stop where it stands"
)]

mod common;
mod driver_alarm;
mod driver_child;
mod driver_crash;
mod driver_fiber;
mod driver_recovery;
mod fiber_crash;
mod fiber_ledger;
mod fiber_orphan;
mod job_crash;
mod job_failure;
mod job_run;
mod job_schedule;
mod job_steps;
mod lease;
mod schema;
mod stage;
