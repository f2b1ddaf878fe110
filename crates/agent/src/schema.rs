//! The agent's tables. A released step never changes; a new need is a new step.

use flarebot_sql::Migration;

/// The name under which [`MIGRATIONS`] are recorded.
pub const COMPONENT: &str = "agent";

/// The agent's tables.
pub const MIGRATIONS: &[Migration] = &[CONVERSATIONS, SETTINGS, CONVERSATION_MEMORY];

const CONVERSATIONS: Migration = Migration {
    version: 1,
    name: "identity, conversations, assertions",
    statements: "
        CREATE TABLE flarebot_runtime (
            singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
            schema_version INTEGER NOT NULL,
            installation_id TEXT NOT NULL,
            owner_subject TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE flarebot_conversations (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'deleting')),
            last_activity_at INTEGER NOT NULL,
            running INTEGER NOT NULL DEFAULT 0 CHECK (running IN (0, 1)),
            unread INTEGER NOT NULL DEFAULT 0 CHECK (unread IN (0, 1))
        ) STRICT;
        CREATE TABLE sign_in_assertion (
            id TEXT NOT NULL PRIMARY KEY,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sign_in_assertion_expires_at ON sign_in_assertion (expires_at);
    ",
};

const SETTINGS: Migration = Migration {
    version: 2,
    name: "settings",
    statements: "
        CREATE TABLE flarebot_instructions (
            singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
            text TEXT NOT NULL,
            modified_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE flarebot_model_settings (
            singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
            provider TEXT NOT NULL,
            model TEXT NOT NULL,
            modified_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE flarebot_provider_key (
            provider TEXT NOT NULL PRIMARY KEY,
            sealed BLOB NOT NULL,
            modified_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
    ",
};

const CONVERSATION_MEMORY: Migration = Migration {
    version: 3,
    name: "whether a conversation uses memory",
    statements: "
        ALTER TABLE flarebot_conversations
        ADD COLUMN uses_memory INTEGER NOT NULL DEFAULT 1 CHECK (uses_memory IN (0, 1));
    ",
};

/// The newest version of the agent's schema.
pub(crate) fn newest_version() -> u32 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}
