//! What was said, in order.

mod rows;

use crate::envelope::{seal, unseal};
use crate::history::{Coverage, History, Said};
use crate::model_view::{self, Detail};
use crate::{ConversationError, activity, compaction};
use flarebot_model::ModelMessage;
use flarebot_protocol::MessageId;
use flarebot_protocol::call::HistoryPage;
use flarebot_protocol::message::{Message, Role};
use flarebot_sql::Sql;
use rows::{Backwards, StoredMessage};

/// The most bytes of stored messages in one page of history, unless a single message is larger.
pub const PAGE_BYTES: usize = 2_000_000;

/// The most bytes of stored messages that are read at once for clients that know no pages. No message takes more than
/// [`flarebot_sql::MAXIMUM_VALUE_BYTES`], so these are at least four.
pub const NEWEST_BYTES: usize = 7_500_000;

/// The most bytes of text that a model is given, unless the newest message alone is longer.
pub const MODEL_BYTES: usize = 400_000;

/// The most bytes of stored messages that are read for a model: reasoning and old outputs of tools take room in the
/// transcript of which it gets nothing.
pub const MODEL_READ_BYTES: usize = 4 * 1024 * 1024;

/// How many of the newest messages a model gets with the whole output of their tools.
const WHOLE_MESSAGES: usize = 4;

/// Above every position; the largest number that crosses to the database exactly.
const AFTER_EVERYTHING: i64 = (1 << 53) - 1;

/// Below every position.
const BEFORE_EVERYTHING: i64 = 0;

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
    read_page(sql, border, limit as usize, PAGE_BYTES)
}

/// The newest messages, oldest first, of at most [`NEWEST_BYTES`]: for clients that know no pages. It is the whole
/// transcript unless that is larger.
///
/// # Errors
/// When the database refuses. A message that cannot be read is told as such, and hides no other one.
pub fn newest(sql: &impl Sql) -> Result<Vec<Message>, ConversationError> {
    Ok(read_page(sql, AFTER_EVERYTHING, usize::MAX, NEWEST_BYTES)?.messages)
}

fn read_page(
    sql: &impl Sql,
    border: i64,
    limit: usize,
    maximum_bytes: usize,
) -> Result<HistoryPage, ConversationError> {
    let mut bytes = 0_usize;
    let mut messages = Vec::new();
    let mut backwards = Backwards::between(sql, BEFORE_EVERYTHING, border);
    let mut has_more = false;
    while let Some(row) = backwards.next()? {
        bytes = bytes.saturating_add(row.bytes());
        if messages.len() >= limit || (bytes > maximum_bytes && !messages.is_empty()) {
            has_more = true;
            break;
        }
        messages.push(row.message());
    }
    messages.reverse();
    Ok(HistoryPage { messages, has_more })
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

/// What a model is given to answer the message `user_message_id`: the summary of the oldest messages if there is one, and
/// then whole messages up to that one. Later messages wait for their own turn; answers without text and calls say nothing
/// and are left out. Old tool outputs are shortened.
///
/// Nothing before the summary's border is read, at most [`MODEL_READ_BYTES`] are, and at most [`MODEL_BYTES`] of text are
/// told: the newest messages, never beginning with an answer whose question was cut.
///
/// `None` when there is nothing to answer: the message is gone, or cannot be read.
///
/// # Errors
/// When the database refuses. A message that cannot be read is left out.
pub fn for_model(sql: &impl Sql, user_message_id: &MessageId) -> Result<Option<History>, ConversationError> {
    let Some(position) = position(sql, user_message_id)? else {
        return Ok(None);
    };
    let summary = compaction::latest(sql, position)?;
    let after = summary
        .as_ref()
        .map_or(BEFORE_EVERYTHING, |summary| summary.through);
    let mut coverage = Coverage::Whole;
    let (mut read_bytes, mut told_bytes) = (0_usize, 0_usize);
    let mut newest_first: Vec<Said> = Vec::new();
    let mut backwards = Backwards::between(sql, after, position.saturating_add(1));
    while let Some(row) = backwards.next()? {
        read_bytes = read_bytes.saturating_add(row.bytes());
        let detail = if newest_first.len() < WHOLE_MESSAGES {
            Detail::Whole
        } else {
            Detail::Shortened
        };
        let messages = model_view::messages(&row.message(), detail);
        if messages.is_empty() && row.position == position {
            return Ok(None);
        }
        let size: usize = messages.iter().map(ModelMessage::bytes).sum();
        told_bytes = told_bytes.saturating_add(size);
        let is_too_much = told_bytes > MODEL_BYTES || read_bytes > MODEL_READ_BYTES;
        if is_too_much && !newest_first.is_empty() {
            coverage = Coverage::Newest;
            break;
        }
        if !messages.is_empty() {
            newest_first.push(Said {
                position: row.position,
                messages,
            });
        }
    }
    if summary.is_none() || coverage == Coverage::Newest {
        while newest_first.last().is_some_and(is_answer) {
            newest_first.pop();
        }
    }
    newest_first.reverse();
    Ok(Some(History {
        summary,
        coverage,
        said: newest_first,
    }))
}

fn is_answer(said: &Said) -> bool {
    !matches!(said.messages.first(), Some(ModelMessage::User { .. }))
}

/// Erases every message, turn and stream, and what is recorded of tools, all or nothing. A turn that runs meanwhile finds its row gone, and what it
/// still writes is not kept.
///
/// # Errors
/// When the database refuses.
pub fn clear(sql: &impl Sql) -> Result<(), ConversationError> {
    sql.transaction(|| {
        sql.exec(
            "DELETE FROM message; DELETE FROM compaction; DELETE FROM turn; DELETE FROM stream_segment; \
             DELETE FROM action",
            &[],
        )?;
        activity::erase(sql)
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
