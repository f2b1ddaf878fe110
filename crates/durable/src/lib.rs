//! Work that outlives the process: what is owed, when it is due, and the one alarm that follows from it.
//!
//! An object has a single alarm and may lose its memory at any moment. So whoever owes something later writes a
//! [`lease`] or a [`job`] and, in the same step, sets the alarm to what [`alarm::next`] derives. Work that runs for longer
//! is a [`fiber`]: the next process finds it with its last checkpoint. An object that owes nothing has no alarm and
//! sleeps.
//!
//! There are two layers. The engine is functions over a [`flarebot_sql::Sql`] that read no clock and roll no dice: `now`
//! (milliseconds since 1970), random numbers and new names come in as arguments. The [`driver`] is the small asynchronous
//! part on top, generic over an alarm, a clock, a way to spawn futures and a source of chance.
//!
//! The crate's README is a page for projects that want to use it. Flarebot itself uses [`lease`] and [`alarm`] so far; jobs,
//! fibers and the driver are tested here and used by nothing else yet.

mod acceptance;
pub mod alarm;
pub mod driver;
pub mod failure;
pub mod fiber;
pub mod job;
pub mod keep_alive;
pub mod lease;
pub mod retry;
mod schema;
#[cfg(feature = "simulation")]
pub mod simulation;

pub use acceptance::Acceptance;
pub use schema::{COMPONENT, MIGRATIONS};
