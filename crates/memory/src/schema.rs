//! The table of facts and the index over their terms. A released step never changes; a new need is a new step.

use flarebot_sql::{Migration, MigrationError, MigrationReport, Sql, migrate};

/// The name under which [`MIGRATIONS`] are recorded.
pub const COMPONENT: &str = "memory";

/// The tables of memory.
pub const MIGRATIONS: &[Migration] = &[FACTS];

/// The index holds no text of its own: its content is the view, and triggers keep it in step within each statement. A row of
/// the table is never deleted; it becomes a tombstone, of which view and index know nothing. What is taken out of the index
/// leaves no terms behind in it (`secure-delete`).
const FACTS: Migration = Migration {
    version: 1,
    name: "facts",
    statements: "
        CREATE TABLE flarebot_memories (
            number INTEGER NOT NULL PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            content TEXT NOT NULL,
            terms TEXT NOT NULL,
            version INTEGER NOT NULL CHECK (version >= 1),
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            conversation_id TEXT,
            deleted_at INTEGER,
            CHECK (deleted_at IS NULL OR (content = '' AND terms = '' AND conversation_id IS NULL))
        ) STRICT;
        CREATE INDEX flarebot_memories_by_change ON flarebot_memories (updated_at) WHERE deleted_at IS NULL;
        CREATE VIEW flarebot_memories_active AS SELECT number, terms FROM flarebot_memories WHERE deleted_at IS NULL;
        CREATE VIRTUAL TABLE flarebot_memories_search USING fts5 (
            terms,
            content = 'flarebot_memories_active',
            content_rowid = 'number',
            tokenize = 'porter unicode61 remove_diacritics 2'
        );
        INSERT INTO flarebot_memories_search (flarebot_memories_search, rank) VALUES ('secure-delete', 1);
        CREATE TRIGGER flarebot_memories_added AFTER INSERT ON flarebot_memories WHEN new.deleted_at IS NULL BEGIN
            INSERT INTO flarebot_memories_search (rowid, terms) VALUES (new.number, new.terms);
        END;
        CREATE TRIGGER flarebot_memories_changed AFTER UPDATE ON flarebot_memories WHEN old.deleted_at IS NULL BEGIN
            INSERT INTO flarebot_memories_search (flarebot_memories_search, rowid, terms)
            VALUES ('delete', old.number, old.terms);
            INSERT INTO flarebot_memories_search (rowid, terms)
            SELECT new.number, new.terms WHERE new.deleted_at IS NULL;
        END;
    ",
};

/// Brings the tables up to date. Running it again changes nothing: an object does so on every wake.
///
/// # Errors
/// When the stored tables are of a newer program, or the database refuses.
pub fn open(sql: &impl Sql, now: i64) -> Result<MigrationReport, MigrationError> {
    migrate(sql, COMPONENT, MIGRATIONS, now)
}
