//! The tables of a conversation, and the rule that storage without an initialised conversation stays empty.
//!
//! An object that was never initialised must not leave anything behind, since its storage would otherwise outlive a
//! conversation that nobody created. So nothing is written before [`initialise`], not even the migration table.

use crate::ConversationError;
use flarebot_protocol::ConversationId;
use flarebot_sql::{Migration, Sql, SqlError, migrate};

/// The name under which the migrations of this crate are recorded.
pub const COMPONENT: &str = "conversation";

/// The schema of a conversation.
///
/// `message.position` orders the transcript. A turn reserves the position of its answer when it is accepted, right
/// after the message that it answers; the same number orders the queue.
pub const MIGRATIONS: &[Migration] = &[TRANSCRIPT, ACTIONS, COMPACTION, TURNS, TOOL_ACTIVITY];

const TRANSCRIPT: Migration = Migration {
    version: 1,
    name: "transcript, turns and stream log",
    statements: "
        CREATE TABLE conversation (
            singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
            id TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE message (
            position INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
            body TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE turn (
            request_id TEXT PRIMARY KEY,
            position INTEGER NOT NULL UNIQUE,
            user_message_id TEXT NOT NULL,
            assistant_message_id TEXT NOT NULL UNIQUE,
            status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'aborted', 'error', 'interrupted')),
            instance TEXT,
            attempts INTEGER NOT NULL DEFAULT 0,
            state TEXT,
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER
        ) STRICT;
        CREATE INDEX turn_by_user_message ON turn (user_message_id);
        CREATE INDEX turn_queued ON turn (position) WHERE status = 'queued';
        CREATE UNIQUE INDEX turn_running ON turn (status) WHERE status = 'running';
        CREATE TABLE stream_segment (
            request_id TEXT NOT NULL,
            first_seq INTEGER NOT NULL,
            next_seq INTEGER NOT NULL,
            chunks TEXT NOT NULL,
            PRIMARY KEY (request_id, first_seq)
        ) STRICT;
    ",
};

const ACTIONS: Migration = Migration {
    version: 2,
    name: "actions of tools, and fewer writes for each turn",
    statements: "
        CREATE TABLE action (
            request_id TEXT NOT NULL,
            call_id TEXT NOT NULL,
            tool TEXT NOT NULL,
            result TEXT,
            begun_at INTEGER NOT NULL,
            PRIMARY KEY (request_id, call_id)
        ) STRICT;
        ALTER TABLE turn DROP COLUMN instance;
        DROP INDEX turn_queued;
        DROP INDEX turn_running;
        CREATE INDEX turn_open ON turn (position) WHERE status = 'queued' OR status = 'running';
        CREATE TABLE stream_log (
            request_id TEXT NOT NULL,
            first_seq INTEGER NOT NULL,
            next_seq INTEGER NOT NULL,
            chunks TEXT NOT NULL,
            PRIMARY KEY (request_id, first_seq)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO stream_log SELECT request_id, first_seq, next_seq, chunks FROM stream_segment;
        DROP TABLE stream_segment;
        ALTER TABLE stream_log RENAME TO stream_segment;
    ",
};

const COMPACTION: Migration = Migration {
    version: 3,
    name: "what stands for the older part of a transcript",
    statements: "
        CREATE TABLE compaction (
            singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
            through INTEGER NOT NULL,
            summary TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
    ",
};

/// A turn is found by its request, its key or its place; by a message it is found through that message's place. Every
/// further index would be one more row to write for each turn.
const TURNS: Migration = Migration {
    version: 4,
    name: "turns that wait for the owner, keys of submissions, and fewer writes for each turn",
    statements: "
        CREATE TABLE turn_by_place (
            position INTEGER PRIMARY KEY,
            request_id TEXT NOT NULL UNIQUE,
            key TEXT,
            user_message_id TEXT NOT NULL,
            assistant_message_id TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN (
                'queued', 'running', 'paused', 'decided', 'completed', 'aborted', 'error', 'interrupted'
            )),
            attempts INTEGER NOT NULL DEFAULT 0,
            state TEXT,
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            paused_at INTEGER,
            ended_at INTEGER
        ) STRICT;
        INSERT INTO turn_by_place (position, request_id, user_message_id, assistant_message_id, status, attempts, state,
                created_at, started_at, ended_at)
            SELECT position, request_id, user_message_id, assistant_message_id, status, attempts, state,
                created_at, started_at, ended_at FROM turn;
        DROP TABLE turn;
        ALTER TABLE turn_by_place RENAME TO turn;
        CREATE UNIQUE INDEX turn_by_key ON turn (key) WHERE key IS NOT NULL;
        CREATE INDEX turn_open ON turn (position) WHERE ended_at IS NULL;
    ",
};

/// What cannot be is refused here too: a record has ended exactly if its status says so, has failed exactly if it says why,
/// and is open if it waits. What is erased is remembered by its ids, as long as a callback may know them.
const TOOL_ACTIVITY: Migration = Migration {
    version: 5,
    name: "what the owner may see of the calls of tools",
    statements: "
        CREATE TABLE flarebot_tool_activity (
            sequence INTEGER PRIMARY KEY,
            message_id TEXT NOT NULL,
            tool_call_id TEXT NOT NULL,
            tool TEXT,
            kind TEXT NOT NULL,
            label TEXT NOT NULL,
            summary TEXT,
            status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed', 'cancelled')),
            failure TEXT CHECK (failure IN ('tool', 'timed_out', 'interrupted', 'declined')),
            waits INTEGER NOT NULL DEFAULT 0 CHECK (waits = 0 OR status = 'pending'),
            progress_text TEXT,
            progress_done INTEGER,
            progress_total INTEGER,
            attempts INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER,
            interrupted_at INTEGER,
            UNIQUE (message_id, tool_call_id),
            CHECK ((failure IS NOT NULL) = (status = 'failed')),
            CHECK ((ended_at IS NULL) = (status IN ('pending', 'running'))),
            CHECK ((started_at IS NOT NULL) = (attempts > 0)),
            CHECK (status <> 'running' OR attempts > 0)
        ) STRICT;
        CREATE INDEX flarebot_tool_activity_open ON flarebot_tool_activity (sequence) WHERE ended_at IS NULL;
        CREATE TABLE flarebot_tool_activity_erased (
            sequence INTEGER PRIMARY KEY,
            message_id TEXT NOT NULL,
            tool_call_id TEXT NOT NULL,
            UNIQUE (message_id, tool_call_id)
        ) STRICT;
    ",
};

/// Makes this storage the conversation `id`. Repeating it for the same conversation changes nothing.
///
/// # Errors
/// [`ConversationError::AnotherConversation`] when the storage belongs to a different one; a failure leaves the
/// storage as it was.
pub fn initialise(sql: &impl Sql, id: ConversationId, now: i64) -> Result<(), ConversationError> {
    sql.transaction(|| {
        migrate(sql, COMPONENT, MIGRATIONS, now)?;
        sql.exec(
            "INSERT INTO conversation (singleton, id, created_at) VALUES (1, ?, ?) ON CONFLICT DO NOTHING",
            &[id.to_string().into(), now.into()],
        )?;
        match stored_id(sql)? {
            Some(stored) if stored == id => Ok(()),
            Some(_) | None => Err(ConversationError::AnotherConversation),
        }
    })
}

/// Opens an initialised conversation and brings its schema up to date. `None` when the storage was never
/// initialised; it is then left untouched, and whoever asked must refuse to serve.
///
/// # Errors
/// When the schema is newer than this program, or the database refuses.
pub fn open(sql: &impl Sql, now: i64) -> Result<Option<ConversationId>, ConversationError> {
    let tables = sql.exec(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'conversation'",
        &[],
    )?;
    if tables.is_empty() {
        return Ok(None);
    }
    migrate(sql, COMPONENT, MIGRATIONS, now)?;
    stored_id(sql)
}

fn stored_id(sql: &impl Sql) -> Result<Option<ConversationId>, ConversationError> {
    let rows = sql.exec("SELECT id FROM conversation", &[])?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let id = row.text(0)?.parse().map_err(|_| SqlError::Shape {
        column: 0,
        expected: "a conversation id",
    })?;
    Ok(Some(id))
}
