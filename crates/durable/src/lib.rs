//! Work that outlives the process: what is owed, when it is due, and the one alarm that follows from it.
//!
//! An object has a single alarm and may lose its memory at any moment. So whoever owes something later writes a
//! [`lease`] and, in the same step, sets the alarm to what [`alarm::next`] derives. An object that owes nothing has no
//! alarm and sleeps.

pub mod alarm;
pub mod lease;

use flarebot_sql::Migration;

/// The name under which [`MIGRATIONS`] are recorded.
pub const COMPONENT: &str = "durable";

/// The tables of this crate.
pub const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "leases",
    statements: "
        CREATE TABLE lease (
            owner TEXT NOT NULL,
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            due_at INTEGER NOT NULL,
            PRIMARY KEY (owner, kind, id)
        ) STRICT;
        CREATE INDEX lease_due_at ON lease (due_at);
    ",
}];
