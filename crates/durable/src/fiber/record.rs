//! The ledger's rows, and the words for a status in the database.

use super::{Fiber, FiberStatus};
use flarebot_sql::{FromRow, Row, SqlError};

/// The columns of [`Fiber`], in its order.
pub(super) const COLUMNS: &str =
    "id, name, idempotency_key, status, snapshot, error, metadata, created_at, started_at, settled_at";

/// The word for managed fibers in the table of runs.
pub(super) const MANAGED: &str = "managed";
/// The word for unmanaged fibers in the table of runs.
pub(super) const UNMANAGED: &str = "unmanaged";

impl FiberStatus {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Interrupted => "interrupted",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "pending" => Self::Pending,
            "running" => Self::Running,
            "completed" => Self::Completed,
            "error" => Self::Error,
            "aborted" => Self::Aborted,
            "interrupted" => Self::Interrupted,
            _ => return None,
        })
    }
}

impl FromRow for Fiber {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let text = |column| Ok(row.optional_text(column)?.map(str::to_owned));
        Ok(Self {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            idempotency_key: text(2)?,
            status: FiberStatus::from_word(row.text(3)?).ok_or(SqlError::Shape {
                column: 3,
                expected: "a status",
            })?,
            snapshot: text(4)?,
            error: text(5)?,
            metadata: text(6)?,
            created_at: row.integer(7)?,
            started_at: row.optional_integer(8)?,
            settled_at: row.optional_integer(9)?,
        })
    }
}
