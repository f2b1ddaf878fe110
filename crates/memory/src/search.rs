//! Which facts a text is about: those that share its words, the likeliest first.

use crate::facts::{COLUMNS, StoredFact};
use crate::terms;
use flarebot_protocol::memory::{Fact, MAXIMUM_QUERY_CHARACTERS};
use flarebot_sql::{Sql, SqlError};

/// How many facts a turn is given, and a model that looks for some.
pub const RELEVANT_FACTS: usize = 8;

/// At most `limit` facts, the likeliest first; none if the text shares no word with any. What of the text is longer than
/// [`MAXIMUM_QUERY_CHARACTERS`] is not looked at.
///
/// # Errors
/// When the database fails. No text makes it do so.
pub fn search(sql: &impl Sql, text: &str, limit: usize) -> Result<Vec<Fact>, SqlError> {
    let text: String = text.chars().take(MAXIMUM_QUERY_CHARACTERS).collect();
    let Some(expression) = terms::query(&text) else {
        return Ok(Vec::new());
    };
    let found = sql.query(
        &format!(
            "SELECT {COLUMNS} FROM flarebot_memories_search \
             JOIN flarebot_memories ON number = flarebot_memories_search.rowid \
             WHERE flarebot_memories_search MATCH ? ORDER BY rank, updated_at DESC LIMIT ?"
        ),
        &[expression.into(), i64::try_from(limit).unwrap_or(i64::MAX).into()],
    )?;
    Ok(found.into_iter().map(StoredFact::into_inner).collect())
}
