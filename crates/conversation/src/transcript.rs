//! What was said, in order.

use crate::ConversationError;
use crate::envelope::{seal, unseal};
use crate::model_view::{self, Detail};
use flarebot_model::ModelMessage;
use flarebot_protocol::MessageId;
use flarebot_protocol::call::HistoryPage;
use flarebot_protocol::message::{Message, Metadata, Role};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// The most bytes of stored messages in one page of history, unless a single message is larger.
pub const PAGE_BYTES: usize = 2_000_000;

/// The most bytes of text that a model is given, unless the newest message alone is longer.
pub const MODEL_BYTES: usize = 400_000;

/// How many of the newest messages a model gets with the whole output of their tools.
const WHOLE_MESSAGES: usize = 4;

/// What is shown in place of a message that cannot be read.
const UNREADABLE: &str = "This message cannot be read: it is damaged, or a newer version stored it.";

/// Above every position; the largest number that crosses to the database exactly.
const AFTER_EVERYTHING: i64 = (1 << 53) - 1;

/// How many rows are read at once while looking back from the newest message.
const ROWS_AT_ONCE: u32 = 16;

/// One page: the newest messages before `before`, or of all, oldest first. At most `limit` messages and about
/// [`PAGE_BYTES`]. A `before` that is not in the transcript has nothing before it.
///
/// # Errors
/// When the database refuses. A message that cannot be read is told as such, and hides no other one.
pub fn page(
    sql: &impl Sql,
    before: Option<&MessageId>,
    limit: u32,
) -> Result<HistoryPage, ConversationError> {
    let border = match before {
        None => AFTER_EVERYTHING,
        Some(id) => position(sql, id)?.unwrap_or(0),
    };
    let mut bytes = 0_usize;
    let mut messages = Vec::new();
    let mut backwards = Backwards::from(sql, border);
    let mut has_more = false;
    while let Some(row) = backwards.next()? {
        bytes = bytes.saturating_add(row.body.len());
        if messages.len() >= limit as usize || (bytes > PAGE_BYTES && !messages.is_empty()) {
            has_more = true;
            break;
        }
        messages.push(row.message());
    }
    messages.reverse();
    Ok(HistoryPage { messages, has_more })
}

/// The whole transcript, oldest first: for clients that know no pages.
///
/// # Errors
/// When the database refuses. A message that cannot be read is told as such, and hides no other one.
pub fn all(sql: &impl Sql) -> Result<Vec<Message>, ConversationError> {
    let rows: Vec<StoredMessage> = sql.query(
        "SELECT position, id, role, body FROM message ORDER BY position",
        &[],
    )?;
    Ok(rows.iter().map(StoredMessage::message).collect())
}

/// One message; `None` for an id that is not in the transcript.
///
/// # Errors
/// When the database refuses.
pub fn message(sql: &impl Sql, id: &MessageId) -> Result<Option<Message>, ConversationError> {
    let row: Option<StoredMessage> = sql.query_first(
        "SELECT position, id, role, body FROM message WHERE id = ?",
        &[id.as_str().into()],
    )?;
    Ok(row.as_ref().map(StoredMessage::message))
}

/// One message, if it is there and can be read.
pub(crate) fn readable(sql: &impl Sql, id: &MessageId) -> Result<Option<Message>, ConversationError> {
    let rows = sql.exec("SELECT body FROM message WHERE id = ?", &[id.as_str().into()])?;
    match rows.first() {
        Some(row) => Ok(unseal(row.text(0)?).ok()),
        None => Ok(None),
    }
}

/// What a model is given to answer the message `user_message_id`: that message and what came before it, oldest
/// first. Later messages wait for their own turn; answers without text and calls say nothing and are left out. Old tool
/// outputs are shortened. Whole messages
/// of at most [`MODEL_BYTES`] of text, the newest ones, and never beginning with an answer whose question was cut.
///
/// # Errors
/// When the database refuses. A message that cannot be read is told as such, and hides no other one.
pub fn for_model(
    sql: &impl Sql,
    user_message_id: &MessageId,
) -> Result<Vec<ModelMessage>, ConversationError> {
    let Some(position) = position(sql, user_message_id)? else {
        return Ok(Vec::new());
    };
    let mut bytes = 0_usize;
    let mut newest_first: Vec<Vec<ModelMessage>> = Vec::new();
    let mut backwards = Backwards::from(sql, position.saturating_add(1));
    while let Some(row) = backwards.next()? {
        let detail = if newest_first.len() < WHOLE_MESSAGES {
            Detail::Whole
        } else {
            Detail::Shortened
        };
        let messages = model_view::messages(&row.message(), detail);
        if messages.is_empty() {
            continue;
        }
        let size: usize = messages.iter().map(ModelMessage::bytes).sum();
        bytes = bytes.saturating_add(size);
        if bytes > MODEL_BYTES && !newest_first.is_empty() {
            break;
        }
        newest_first.push(messages);
    }
    let is_answer =
        |messages: &Vec<ModelMessage>| !matches!(messages.first(), Some(ModelMessage::User { .. }));
    while newest_first.last().is_some_and(is_answer) {
        newest_first.pop();
    }
    Ok(newest_first.into_iter().rev().flatten().collect())
}

/// Erases every message, turn and stream, all or nothing. A turn that runs meanwhile finds its row gone, and what it
/// still writes is not kept.
///
/// # Errors
/// When the database refuses.
pub fn clear(sql: &impl Sql) -> Result<(), ConversationError> {
    sql.transaction(|| {
        sql.exec(
            "DELETE FROM message; DELETE FROM turn; DELETE FROM stream_segment; DELETE FROM action",
            &[],
        )?;
        Ok(())
    })
}

/// Stores a message at the position that is its own, in place of what was stored of it before.
pub(crate) fn put(
    sql: &impl Sql,
    position: i64,
    message: &Message,
    now: i64,
) -> Result<(), ConversationError> {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    sql.exec(
        "INSERT INTO message (position, id, role, body, created_at) VALUES (?, ?, ?, ?, ?) \
         ON CONFLICT (id) DO UPDATE SET body = excluded.body",
        &[
            position.into(),
            message.id.as_str().into(),
            role.into(),
            seal(message)?.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Stores what has become of a message that is stored already.
pub(crate) fn update(sql: &impl Sql, message: &Message) -> Result<(), ConversationError> {
    sql.exec(
        "UPDATE message SET body = ? WHERE id = ?",
        &[seal(message)?.into(), message.id.as_str().into()],
    )?;
    Ok(())
}

/// Takes out a message.
pub(crate) fn remove(sql: &impl Sql, id: &MessageId) -> Result<(), ConversationError> {
    sql.exec("DELETE FROM message WHERE id = ?", &[id.as_str().into()])?;
    Ok(())
}

fn position(sql: &impl Sql, id: &MessageId) -> Result<Option<i64>, ConversationError> {
    let rows = sql.exec("SELECT position FROM message WHERE id = ?", &[id.as_str().into()])?;
    Ok(rows.first().map(|row| row.integer(0)).transpose()?)
}

/// The transcript from a position towards its beginning, read in small portions, so that a long one is never in
/// memory whole.
struct Backwards<'a, S> {
    sql: &'a S,
    border: i64,
    rows: std::vec::IntoIter<StoredMessage>,
}

impl<'a, S: Sql> Backwards<'a, S> {
    /// Starts right before the position `border`.
    fn from(sql: &'a S, border: i64) -> Self {
        Self {
            sql,
            border,
            rows: Vec::new().into_iter(),
        }
    }

    fn next(&mut self) -> Result<Option<StoredMessage>, ConversationError> {
        if self.rows.len() == 0 {
            let rows: Vec<StoredMessage> = self.sql.query(
                "SELECT position, id, role, body FROM message WHERE position < ? ORDER BY position DESC LIMIT ?",
                &[self.border.into(), ROWS_AT_ONCE.into()],
            )?;
            self.rows = rows.into_iter();
        }
        let row = self.rows.next();
        if let Some(row) = &row {
            self.border = row.position;
        }
        Ok(row)
    }
}

struct StoredMessage {
    position: i64,
    id: MessageId,
    role: Role,
    body: String,
}

impl StoredMessage {
    /// The message. One that cannot be read is told as what it is, so that it hides nothing else.
    fn message(&self) -> Message {
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
