//! Whether a conversation uses memory: a column of its row, so that it goes with the conversation.

use crate::registry::RegistryError;
use flarebot_protocol::ConversationId;
use flarebot_protocol::memory::ConversationMemory;
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// Whether an active conversation uses memory. A new one does.
///
/// # Errors
/// [`RegistryError::NotFound`] when there is none with this id.
pub fn read(sql: &impl Sql, id: ConversationId) -> Result<ConversationMemory, RegistryError> {
    let stored: Option<Stored> = sql.query_first(
        "SELECT uses_memory FROM flarebot_conversations WHERE id = ? AND state = 'active'",
        &[id.to_string().into()],
    )?;
    stored.map(|stored| stored.0).ok_or(RegistryError::NotFound)
}

/// Lets an active conversation use memory, or keeps memory out of it.
///
/// # Errors
/// [`RegistryError::NotFound`] when there is none with this id.
pub fn set(
    sql: &impl Sql,
    id: ConversationId,
    memory: ConversationMemory,
) -> Result<ConversationMemory, RegistryError> {
    let stored: Option<Stored> = sql.query_first(
        "UPDATE flarebot_conversations SET uses_memory = ? WHERE id = ? AND state = 'active' RETURNING uses_memory",
        &[u32::from(memory.enabled).into(), id.to_string().into()],
    )?;
    stored.map(|stored| stored.0).ok_or(RegistryError::NotFound)
}

struct Stored(ConversationMemory);

impl FromRow for Stored {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self(ConversationMemory {
            enabled: row.integer(0)? != 0,
        }))
    }
}
