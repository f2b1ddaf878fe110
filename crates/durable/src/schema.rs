//! The tables of this crate, as numbered steps.

use flarebot_sql::Migration;

/// The name under which [`MIGRATIONS`] are recorded.
pub const COMPONENT: &str = "durable";

/// The tables of this crate.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
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
    },
    Migration {
        version: 2,
        name: "jobs",
        statements: "
        CREATE TABLE job (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL,
            callback TEXT NOT NULL,
            payload TEXT NOT NULL,
            kind TEXT NOT NULL,
            rule TEXT NOT NULL,
            period INTEGER NOT NULL,
            idempotent INTEGER NOT NULL,
            hung_after INTEGER NOT NULL,
            maximum_attempts INTEGER NOT NULL,
            base_delay INTEGER NOT NULL,
            maximum_delay INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            wake_at INTEGER,
            attempt INTEGER NOT NULL DEFAULT 0,
            deferrals INTEGER NOT NULL DEFAULT 0,
            strikes INTEGER NOT NULL DEFAULT 0,
            claim TEXT,
            claimed_by TEXT,
            claimed_at INTEGER,
            last_error TEXT,
            given_up_at INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX job_wake_at ON job (wake_at);
        CREATE INDEX job_owner ON job (owner, callback);
    ",
    },
    Migration {
        version: 3,
        name: "fibers",
        statements: "
        CREATE TABLE fiber (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            idempotency_key TEXT UNIQUE,
            status TEXT NOT NULL,
            metadata TEXT,
            snapshot TEXT,
            error TEXT,
            accepted_by TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            settled_at INTEGER
        ) STRICT;
        CREATE INDEX fiber_active ON fiber (accepted_by) WHERE status IN ('pending', 'running');
        CREATE TABLE fiber_run (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            snapshot TEXT,
            held_by TEXT NOT NULL,
            deaths INTEGER NOT NULL DEFAULT 0,
            failures INTEGER NOT NULL DEFAULT 0,
            last_error TEXT,
            retry_at INTEGER NOT NULL,
            finished_at INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;
    ",
    },
    Migration {
        version: 4,
        name: "leases that are taken",
        statements: "ALTER TABLE lease ADD COLUMN taken TEXT;",
    },
    Migration {
        version: 5,
        name: "one write less for each lease",
        statements: "
        CREATE TABLE lease_by_owner (
            owner TEXT NOT NULL,
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            due_at INTEGER NOT NULL,
            taken TEXT,
            PRIMARY KEY (owner, kind, id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO lease_by_owner SELECT owner, kind, id, due_at, taken FROM lease;
        DROP TABLE lease;
        ALTER TABLE lease_by_owner RENAME TO lease;
        CREATE INDEX lease_due_at ON lease (due_at);
    ",
    },
    // There are as many leases as open sockets and running turns: to look through them costs less than to keep an index.
    Migration {
        version: 6,
        name: "no index of leases",
        statements: "DROP INDEX lease_due_at;",
    },
];
