//! What stands for the older part of a conversation when a model is asked. The transcript keeps every message; a summary
//! says up to which of them it speaks, and the next one takes its place.

use crate::ConversationError;
use crate::history::Summary;
use crate::ledger::{self, Settlement};
use crate::turn::TurnState;
use flarebot_protocol::RequestId;
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// The most characters of a summary that are kept.
pub const SUMMARY_CHARACTERS: usize = 20_000;

/// Stores a summary together with the state of the turn that made it, both or neither, so that a later instance makes no
/// second one. [`Settlement::Late`] says that the turn must not go on; nothing was stored then.
///
/// # Errors
/// When the database refuses.
pub fn store(
    sql: &impl Sql,
    request_id: &RequestId,
    summary: &Summary,
    state: &TurnState,
    now: i64,
) -> Result<Settlement, ConversationError> {
    sql.transaction(|| {
        if ledger::checkpoint(sql, request_id, state)? == Settlement::Late {
            return Ok(Settlement::Late);
        }
        sql.exec(
            "INSERT INTO compaction (singleton, through, summary, created_at) VALUES (1, ?, ?, ?) \
             ON CONFLICT (singleton) DO UPDATE SET through = excluded.through, summary = excluded.summary, \
             created_at = excluded.created_at",
            &[summary.through.into(), summary.text.as_str().into(), now.into()],
        )?;
        Ok(Settlement::Applied)
    })
}

/// What stands for the messages before the position `before`; `None` while all of them are told.
///
/// # Errors
/// When the database refuses.
pub fn latest(sql: &impl Sql, before: i64) -> Result<Option<Summary>, ConversationError> {
    let summary = sql.query_first(
        "SELECT through, summary FROM compaction WHERE through < ?",
        &[before.into()],
    )?;
    Ok(summary)
}

/// As much of a text as a summary may hold.
pub(crate) fn bounded(text: &str) -> String {
    crate::model_view::beginning(text.trim(), SUMMARY_CHARACTERS)
}

impl FromRow for Summary {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            through: row.integer(0)?,
            text: row.text(1)?.to_owned(),
        })
    }
}
