//! Stored messages as they are read: from the newest back, in portions that are bounded in rows and bytes, so that a long
//! transcript is never in memory whole.

use crate::ConversationError;
use crate::envelope::unseal;
use flarebot_protocol::MessageId;
use flarebot_protocol::message::{Message, Metadata, Role};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// What is shown in place of a message that cannot be read.
const UNREADABLE: &str = "This message cannot be read: it is damaged, or a newer version stored it.";

/// The most rows of one portion.
const PORTION_ROWS: u32 = 16;

/// The most bytes of one portion, unless its only row is larger.
const PORTION_BYTES: i64 = 1_000_000;

/// The transcript from a position towards its beginning.
pub(super) struct Backwards<'a, S> {
    sql: &'a S,
    /// Nothing at or before this position is read.
    after: i64,
    border: i64,
    rows: std::vec::IntoIter<StoredMessage>,
}

impl<'a, S: Sql> Backwards<'a, S> {
    /// Starts right before the position `border`, and ends right after the position `after`.
    pub(super) fn between(sql: &'a S, after: i64, border: i64) -> Self {
        Self {
            sql,
            after,
            border,
            rows: Vec::new().into_iter(),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<StoredMessage>, ConversationError> {
        if self.rows.len() == 0 {
            self.rows = self.portion()?.into_iter();
        }
        let row = self.rows.next();
        if let Some(row) = &row {
            self.border = row.position;
        }
        Ok(row)
    }

    /// Measures rows before it reads them: sixteen of the largest would be too much at once.
    fn portion(&self) -> Result<Vec<StoredMessage>, ConversationError> {
        let measured = self.sql.exec(
            "SELECT position, length(CAST(body AS BLOB)) FROM message WHERE position > ? AND position < ? \
             ORDER BY position DESC LIMIT ?",
            &[self.after.into(), self.border.into(), PORTION_ROWS.into()],
        )?;
        let mut bytes = 0_i64;
        let mut first = None;
        for row in &measured {
            bytes = bytes.saturating_add(row.integer(1)?);
            if bytes > PORTION_BYTES && first.is_some() {
                break;
            }
            first = Some(row.integer(0)?);
        }
        let Some(first) = first else {
            return Ok(Vec::new());
        };
        let rows = self.sql.query(
            "SELECT position, id, role, body FROM message WHERE position >= ? AND position < ? \
             ORDER BY position DESC",
            &[first.into(), self.border.into()],
        )?;
        Ok(rows)
    }
}

/// One row of the transcript.
pub(super) struct StoredMessage {
    pub(super) position: i64,
    id: MessageId,
    role: Role,
    body: String,
}

impl StoredMessage {
    /// What it takes as stored.
    pub(super) fn bytes(&self) -> usize {
        self.body.len()
    }

    /// The message. One that cannot be read is told as what it is, so that it hides nothing else.
    pub(super) fn message(&self) -> Message {
        unseal(&self.body).unwrap_or_else(|_| Message {
            id: self.id.clone(),
            role: self.role,
            parts: Vec::new(),
            metadata: Some(Metadata {
                notice: Some(UNREADABLE.to_owned()),
                ..Metadata::default()
            }),
        })
    }
}

impl FromRow for StoredMessage {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let shape = |column, expected| SqlError::Shape { column, expected };
        Ok(Self {
            position: row.integer(0)?,
            id: MessageId::new(row.text(1)?).map_err(|_| shape(1, "a message id"))?,
            role: match row.text(2)? {
                "user" => Role::User,
                "assistant" => Role::Assistant,
                _ => return Err(shape(2, "a role")),
            },
            body: row.text(3)?.to_owned(),
        })
    }
}
