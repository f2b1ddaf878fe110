//! Which conversations there are, and the life of each: pending until its own storage stands, active while the owner
//! can see it, deleting until its storage is gone. The row goes last, so whatever was interrupted is found again.

use crate::name::ConversationName;
use crate::time::iso8601;
use flarebot_durable::lease;
use flarebot_protocol::ConversationId;
use flarebot_protocol::conversation::ConversationSummary;
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// Where a conversation is in its life. Only an active one may be routed to, renamed or listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Its creation has begun.
    Pending,
    /// It is the owner's to use.
    Active,
    /// Its deletion has begun and is never taken back.
    Deleting,
}

/// How a request to delete a conversation was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// There is no such conversation: nothing is left to do.
    Absent,
    /// It is inaccessible from now on; the caller tears its storage down and then calls [`finish_delete`].
    Started,
    /// An earlier request started it. Wait for that teardown; at a start, when none runs, do it.
    InProgress,
}

/// How many conversations are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Creations that have begun.
    pub pending: u32,
    /// Conversations that the owner can see.
    pub active: u32,
    /// Deletions that have begun.
    pub deleting: u32,
}

/// Why a request about a conversation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No active conversation has this id.
    #[error("there is no such conversation")]
    NotFound,
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

/// Begins a creation: the row is there before the conversation's storage, and nobody can reach it yet.
///
/// # Errors
/// When the database refuses it, also because the id is taken.
pub fn begin_create(
    sql: &impl Sql,
    id: ConversationId,
    name: &ConversationName,
    now: i64,
) -> Result<(), SqlError> {
    sql.exec(
        "INSERT INTO flarebot_conversations (id, name, created_at, updated_at, state, last_activity_at) \
         VALUES (?, ?, ?, ?, 'pending', ?)",
        &[
            id.to_string().into(),
            name.as_str().into(),
            now.into(),
            now.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Ends a creation once the conversation's storage stands. Repeating it changes nothing.
///
/// # Errors
/// [`RegistryError::NotFound`] when the conversation was deleted meanwhile: its deletion stands.
pub fn activate(sql: &impl Sql, id: ConversationId) -> Result<ConversationSummary, RegistryError> {
    summary(sql.query_first(
        "UPDATE flarebot_conversations SET state = 'active' WHERE id = ? AND state IN ('pending', 'active') \
         RETURNING id, name, created_at, updated_at",
        &[id.to_string().into()],
    )?)
}

/// The active conversations: the one whose name changed last first, then by id.
///
/// # Errors
/// When the database fails.
pub fn list(sql: &impl Sql) -> Result<Vec<ConversationSummary>, SqlError> {
    let rows: Vec<Summary> = sql.query(
        "SELECT id, name, created_at, updated_at FROM flarebot_conversations WHERE state = 'active' \
         ORDER BY updated_at DESC, id",
        &[],
    )?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Renames an active conversation.
///
/// # Errors
/// [`RegistryError::NotFound`] when there is none with this id.
pub fn rename(
    sql: &impl Sql,
    id: ConversationId,
    name: &ConversationName,
    now: i64,
) -> Result<ConversationSummary, RegistryError> {
    summary(sql.query_first(
        "UPDATE flarebot_conversations SET name = ?, updated_at = ? WHERE id = ? AND state = 'active' \
         RETURNING id, name, created_at, updated_at",
        &[name.as_str().into(), now.into(), id.to_string().into()],
    )?)
}

/// Begins a deletion: from the moment that this returns, nobody can reach the conversation and nothing that it owes
/// wakes the agent. An unfinished creation is deleted too.
///
/// # Errors
/// When the database fails; nothing has changed then.
pub fn begin_delete(sql: &impl Sql, id: ConversationId) -> Result<Deletion, SqlError> {
    sql.transaction(|| match state(sql, id)? {
        None => Ok(Deletion::Absent),
        Some(State::Deleting) => Ok(Deletion::InProgress),
        Some(State::Pending | State::Active) => {
            sql.exec(
                "UPDATE flarebot_conversations SET state = 'deleting' WHERE id = ?",
                &[id.to_string().into()],
            )?;
            lease::remove_owner(sql, &id.to_string())?;
            Ok(Deletion::Started)
        }
    })
}

/// Ends a deletion once the conversation's storage is gone. Repeating it changes nothing, and it touches no
/// conversation whose deletion has not begun.
///
/// # Errors
/// When the database fails; nothing has changed then.
pub fn finish_delete(sql: &impl Sql, id: ConversationId) -> Result<(), SqlError> {
    sql.transaction(|| {
        let deleted = sql.exec(
            "DELETE FROM flarebot_conversations WHERE id = ? AND state = 'deleting' RETURNING 1",
            &[id.to_string().into()],
        )?;
        if !deleted.is_empty() {
            // A report that was under way may have written one after the deletion began.
            lease::remove_owner(sql, &id.to_string())?;
        }
        Ok(())
    })
}

/// Where the conversation is in its life; `None` when there is no such conversation. Ask before every route to it.
///
/// # Errors
/// When the database fails.
pub fn state(sql: &impl Sql, id: ConversationId) -> Result<Option<State>, SqlError> {
    sql.query_first(
        "SELECT state FROM flarebot_conversations WHERE id = ?",
        &[id.to_string().into()],
    )
}

/// The name of an active conversation; `None` when there is no such conversation.
///
/// # Errors
/// When the database fails.
pub fn name(sql: &impl Sql, id: ConversationId) -> Result<Option<String>, SqlError> {
    let rows = sql.exec(
        "SELECT name FROM flarebot_conversations WHERE id = ? AND state = 'active'",
        &[id.to_string().into()],
    )?;
    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

/// The conversations whose creation or deletion was interrupted. At a start, delete each of them to the end:
/// [`begin_delete`], the teardown of its storage, [`finish_delete`]. Later, the list also holds what is under way.
///
/// # Errors
/// When the database fails.
pub fn unfinished(sql: &impl Sql) -> Result<Vec<ConversationId>, SqlError> {
    let rows: Vec<Id> = sql.query(
        "SELECT id FROM flarebot_conversations WHERE state <> 'active' ORDER BY id",
        &[],
    )?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// How many conversations are in each state.
///
/// # Errors
/// When the database fails.
pub fn counts(sql: &impl Sql) -> Result<Counts, SqlError> {
    let counts = sql.query_first(
        "SELECT count(*) FILTER (WHERE state = 'pending'), count(*) FILTER (WHERE state = 'active'), \
         count(*) FILTER (WHERE state = 'deleting') FROM flarebot_conversations",
        &[],
    )?;
    Ok(counts.unwrap_or_default())
}

/// Reads a conversation's id from a column.
pub(crate) fn read_id(row: &Row, column: usize) -> Result<ConversationId, SqlError> {
    row.text(column)?.parse().map_err(|_| SqlError::Shape {
        column,
        expected: "a conversation id",
    })
}

fn summary(row: Option<Summary>) -> Result<ConversationSummary, RegistryError> {
    row.map(|row| row.0).ok_or(RegistryError::NotFound)
}

struct Id(ConversationId);

impl FromRow for Id {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        read_id(row, 0).map(Self)
    }
}

struct Summary(ConversationSummary);

impl FromRow for Summary {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self(ConversationSummary {
            id: read_id(row, 0)?,
            name: row.text(1)?.to_owned(),
            created_at: iso8601(row.integer(2)?),
            updated_at: iso8601(row.integer(3)?),
        }))
    }
}

impl FromRow for State {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        match row.text(0)? {
            "pending" => Ok(Self::Pending),
            "active" => Ok(Self::Active),
            "deleting" => Ok(Self::Deleting),
            _ => Err(SqlError::Shape {
                column: 0,
                expected: "a conversation's state",
            }),
        }
    }
}

impl FromRow for Counts {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let count = |column| {
            u32::try_from(row.integer(column)?).map_err(|_| SqlError::Shape {
                column,
                expected: "a count",
            })
        };
        Ok(Self {
            pending: count(0)?,
            active: count(1)?,
            deleting: count(2)?,
        })
    }
}
