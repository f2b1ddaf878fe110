//! Work that outlives the process: what is owed, when it is due, and the one alarm that follows from it.
//!
//! An object has a single alarm and may lose its memory at any moment. So whoever owes something later writes a
//! [`lease`] or a [`job`] and, in the same step, sets the alarm to what [`alarm::next`] derives. Work that runs for longer
//! is a [`fiber`]: the next process finds it with its last checkpoint. An object that owes nothing has no alarm and
//! sleeps.
//!
//! Nothing here reads a clock or rolls dice: `now` (milliseconds since 1970), random numbers and new names come in as
//! arguments.
//!
//! Flarebot itself uses [`lease`] and [`alarm`] so far.

mod acceptance;
pub mod alarm;
pub mod failure;
pub mod fiber;
pub mod job;
pub mod lease;
pub mod retry;
mod schema;

pub use acceptance::Acceptance;
pub use schema::{COMPONENT, MIGRATIONS};
