//! The facts: what is remembered, changed and forgotten, each time against the version that the caller has seen.

use crate::fact::{FactId, FactRefused, check};
use crate::terms;
use crate::time::iso8601;
use flarebot_protocol::ConversationId;
use flarebot_protocol::memory::{Fact, MAXIMUM_FACTS};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// The columns that [`StoredFact`] reads.
pub(crate) const COLUMNS: &str = "id, content, version, created_at, updated_at";

/// Where a fact came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The owner wrote it.
    Owner,
    /// A model remembered it in this conversation, which may be gone by now.
    Conversation(ConversationId),
}

/// Why nothing was changed, in a sentence for the owner; [`MemoryError::for_model`] has one for a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The text cannot be a fact.
    #[error(transparent)]
    Refused(#[from] FactRefused),
    /// There are [`MAXIMUM_FACTS`] already.
    #[error("200 facts are remembered, and there can be no more. Forget one first.")]
    Full,
    /// It is not remembered, or not any more.
    #[error("This fact is not remembered any more.")]
    NotFound,
    /// It changed since the caller saw it.
    #[error("This fact changed meanwhile. Look at it again and decide anew.")]
    Conflict,
    /// It was remembered under this id and has been forgotten since.
    #[error("This was remembered and has been forgotten since.")]
    Forgotten,
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

impl MemoryError {
    /// One sentence that tells a model what to do next.
    #[must_use]
    pub fn for_model(&self) -> String {
        match self {
            Self::Refused(refused) => refused.to_string(),
            Self::Full => "200 facts are remembered, and there can be no more. Ask the owner which one to forget.".to_owned(),
            Self::NotFound => "No such fact is remembered any more. Recall what there is before you try again.".to_owned(),
            Self::Conflict => "It changed meanwhile; recall it and try again.".to_owned(),
            Self::Forgotten => {
                "It was remembered and has been forgotten since. Do not remember it again unless the owner asks you to."
                    .to_owned()
            }
            Self::Sql(_) => "Memory could not be read. Try again.".to_owned(),
        }
    }
}

/// Every fact that is remembered, the one that changed last first.
///
/// # Errors
/// When the database fails.
pub fn list(sql: &impl Sql) -> Result<Vec<Fact>, SqlError> {
    let facts = sql.query(
        &format!(
            "SELECT {COLUMNS} FROM flarebot_memories WHERE deleted_at IS NULL \
             ORDER BY updated_at DESC, number DESC"
        ),
        &[],
    )?;
    Ok(facts.into_iter().map(StoredFact::into_inner).collect())
}

/// Remembers a fact under a new id, or gives what is remembered already: under this id, or in exactly these words.
///
/// # Errors
/// [`MemoryError::Refused`], [`MemoryError::Full`], and [`MemoryError::Forgotten`] for an id whose fact was forgotten: it
/// never comes back.
pub fn add(sql: &impl Sql, id: FactId, content: &str, origin: Origin, now: i64) -> Result<Fact, MemoryError> {
    check(content)?;
    sql.transaction(|| {
        match stored(sql, id)? {
            Some(Stored::Active(fact)) => return Ok(fact),
            Some(Stored::Tombstone) => return Err(MemoryError::Forgotten),
            None => {}
        }
        let same: Option<StoredFact> = sql.query_first(
            &format!("SELECT {COLUMNS} FROM flarebot_memories WHERE content = ? AND deleted_at IS NULL"),
            &[content.into()],
        )?;
        if let Some(StoredFact(fact)) = same {
            return Ok(fact);
        }
        if count(sql)? >= MAXIMUM_FACTS {
            return Err(MemoryError::Full);
        }
        let conversation = match origin {
            Origin::Owner => None,
            Origin::Conversation(id) => Some(id.to_string()),
        };
        let added: Option<StoredFact> = sql.query_first(
            &format!(
                "INSERT INTO flarebot_memories \
                 (id, content, terms, version, created_at, updated_at, conversation_id) \
                 VALUES (?, ?, ?, 1, ?, ?, ?) RETURNING {COLUMNS}"
            ),
            &[
                id.to_string().into(),
                content.into(),
                terms::of_fact(content).into(),
                now.into(),
                now.into(),
                conversation.into(),
            ],
        )?;
        added.map(StoredFact::into_inner).ok_or(MemoryError::NotFound)
    })
}

/// Changes a fact.
///
/// # Errors
/// [`MemoryError::Refused`]; [`MemoryError::Conflict`] when it changed since `version`; [`MemoryError::NotFound`] when it
/// is not remembered any more: a late change brings nothing back.
pub fn update(
    sql: &impl Sql,
    id: FactId,
    content: &str,
    version: u32,
    now: i64,
) -> Result<Fact, MemoryError> {
    check(content)?;
    sql.transaction(|| {
        let changed: Option<StoredFact> = sql.query_first(
            &format!(
                "UPDATE flarebot_memories SET content = ?, terms = ?, version = version + 1, updated_at = ? \
                 WHERE id = ? AND version = ? AND deleted_at IS NULL RETURNING {COLUMNS}"
            ),
            &[
                content.into(),
                terms::of_fact(content).into(),
                now.into(),
                id.to_string().into(),
                version.into(),
            ],
        )?;
        match (changed, stored(sql, id)?) {
            (Some(StoredFact(fact)), _) => Ok(fact),
            (None, Some(Stored::Active(_))) => Err(MemoryError::Conflict),
            (None, Some(Stored::Tombstone) | None) => Err(MemoryError::NotFound),
        }
    })
}

/// Forgets a fact: its text and its terms are erased, and a tombstone keeps its id, its version and the time. Forgetting
/// what is not remembered succeeds.
///
/// # Errors
/// [`MemoryError::Conflict`] when it changed since `version`.
pub fn forget(sql: &impl Sql, id: FactId, version: u32, now: i64) -> Result<(), MemoryError> {
    sql.transaction(|| {
        let forgotten = sql.exec(
            "UPDATE flarebot_memories SET content = '', terms = '', conversation_id = NULL, updated_at = ?, \
             deleted_at = ? WHERE id = ? AND version = ? AND deleted_at IS NULL RETURNING 1",
            &[now.into(), now.into(), id.to_string().into(), version.into()],
        )?;
        match stored(sql, id)? {
            Some(Stored::Active(_)) if forgotten.is_empty() => Err(MemoryError::Conflict),
            Some(Stored::Active(_) | Stored::Tombstone) | None => Ok(()),
        }
    })
}

/// Where a fact came from.
///
/// # Errors
/// [`MemoryError::NotFound`] when it is not remembered any more.
pub fn origin(sql: &impl Sql, id: FactId) -> Result<Origin, MemoryError> {
    sql.query_first(
        "SELECT conversation_id FROM flarebot_memories WHERE id = ? AND deleted_at IS NULL",
        &[id.to_string().into()],
    )?
    .ok_or(MemoryError::NotFound)
}

fn count(sql: &impl Sql) -> Result<usize, SqlError> {
    let rows = sql.exec(
        "SELECT count(*) FROM flarebot_memories WHERE deleted_at IS NULL",
        &[],
    )?;
    let count = rows.first().map(|row| row.integer(0)).transpose()?;
    Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0))
}

/// What stands under an id.
enum Stored {
    Active(Fact),
    Tombstone,
}

fn stored(sql: &impl Sql, id: FactId) -> Result<Option<Stored>, SqlError> {
    sql.query_first(
        &format!("SELECT {COLUMNS}, deleted_at FROM flarebot_memories WHERE id = ?"),
        &[id.to_string().into()],
    )
}

impl FromRow for Stored {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        match row.optional_integer(5)? {
            None => Ok(Self::Active(StoredFact::from_row(row)?.into_inner())),
            Some(_) => Ok(Self::Tombstone),
        }
    }
}

/// A fact as it is read from [`COLUMNS`].
pub(crate) struct StoredFact(Fact);

impl StoredFact {
    pub(crate) fn into_inner(self) -> Fact {
        self.0
    }
}

impl FromRow for StoredFact {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let version = u32::try_from(row.integer(2)?).map_err(|_| SqlError::Shape {
            column: 2,
            expected: "a version",
        })?;
        Ok(Self(Fact {
            id: row.text(0)?.to_owned(),
            content: row.text(1)?.to_owned(),
            version,
            created_at: iso8601(row.integer(3)?),
            updated_at: iso8601(row.integer(4)?),
        }))
    }
}

impl FromRow for Origin {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        match row.optional_text(0)? {
            None => Ok(Self::Owner),
            Some(id) => id.parse().map(Self::Conversation).map_err(|_| SqlError::Shape {
                column: 0,
                expected: "a conversation id",
            }),
        }
    }
}
