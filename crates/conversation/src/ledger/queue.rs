//! What the owner may still do with messages that wait: change, delete, or move one to the front. Every write is guarded
//! by the turn's waiting: once its answer has begun, the message is part of what was said.

use super::{Refusal, Settlement, cancel_queued, check_text, read_message_id, read_request_id};
use crate::envelope::unseal;
use crate::{ConversationError, transcript};
use flarebot_protocol::message::{Message, Part, Role};
use flarebot_protocol::{MessageId, RequestId};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// Why a waiting message was left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueRefusal {
    /// It does not wait: its answer has begun or ended, it was deleted, or it never existed.
    NotWaiting,
    /// The new text says nothing.
    Empty,
    /// The new text is longer than a message may be.
    TooLong,
}

impl QueueRefusal {
    /// One sentence for the owner.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NotWaiting => "This message no longer waits, so nothing was changed.",
            Self::Empty => "A message cannot be empty; delete it instead.",
            Self::TooLong => "The message is too long; send it in parts.",
        }
    }
}

/// Replaces the text of a waiting message, and gives the message as it is now.
///
/// # Errors
/// When the database refuses. Nothing is changed then.
pub fn edit(
    sql: &impl Sql,
    request_id: &RequestId,
    text: &str,
) -> Result<Result<Message, QueueRefusal>, ConversationError> {
    match check_text(text) {
        Ok(()) => {}
        Err(Refusal::Empty) => return Ok(Err(QueueRefusal::Empty)),
        // A text says nothing or is too long; nothing else can be wrong with it.
        Err(_) => return Ok(Err(QueueRefusal::TooLong)),
    }
    sql.transaction(|| {
        let stored = sql.exec(
            "SELECT message.body, message.id FROM turn JOIN message ON message.id = turn.user_message_id \
             WHERE turn.request_id = ? AND turn.status = 'queued'",
            &[request_id.as_str().into()],
        )?;
        let Some(row) = stored.first() else {
            return Ok(Err(QueueRefusal::NotWaiting));
        };
        let parts = vec![Part::Text {
            text: text.to_owned(),
            state: None,
        }];
        let message = Message {
            id: read_message_id(row, 1)?,
            role: Role::User,
            parts,
            // One that cannot be read is mended by its new text.
            metadata: unseal::<Message>(row.text(0)?)
                .ok()
                .and_then(|message| message.metadata),
        };
        transcript::update(sql, &message)?;
        Ok(Ok(message))
    })
}

/// Deletes a waiting message, and gives its id. Its turn stays known as stopped, so that a client that repeats the request
/// does not bring the message back.
///
/// # Errors
/// When the database refuses. Nothing is changed then.
pub fn delete(
    sql: &impl Sql,
    request_id: &RequestId,
    now: i64,
) -> Result<Result<MessageId, QueueRefusal>, ConversationError> {
    sql.transaction(|| {
        if cancel_queued(sql, request_id, now)? == Settlement::Late {
            return Ok(Err(QueueRefusal::NotWaiting));
        }
        let deleted = sql.exec(
            "DELETE FROM message WHERE id = (SELECT user_message_id FROM turn WHERE request_id = ?) RETURNING id",
            &[request_id.as_str().into()],
        )?;
        match deleted.first() {
            Some(row) => Ok(Ok(read_message_id(row, 0)?)),
            None => Ok(Err(QueueRefusal::NotWaiting)),
        }
    })
}

/// Makes a waiting turn the next one. It takes the place of the first in the transcript too, and those that it overtakes
/// move one place back each, so that questions are answered in the order in which they stand.
///
/// # Errors
/// When the database refuses. Nothing is changed then.
pub fn move_to_front(
    sql: &impl Sql,
    request_id: &RequestId,
) -> Result<Result<(), QueueRefusal>, ConversationError> {
    sql.transaction(|| {
        let mut waiting: Vec<Waiting> = sql.query(
            "SELECT turn.request_id, message.id, turn.position, message.position \
             FROM turn JOIN message ON message.id = turn.user_message_id \
             WHERE turn.ended_at IS NULL AND turn.status = 'queued' ORDER BY turn.position",
            &[],
        )?;
        let Some(place) = waiting.iter().position(|turn| turn.request_id == *request_id) else {
            return Ok(Err(QueueRefusal::NotWaiting));
        };
        waiting.truncate(place.saturating_add(1));
        let slots: Vec<Slot> = waiting.iter().map(|turn| turn.slot).collect();
        waiting.rotate_right(1);
        // Positions are unique at every moment, so all of them are left before any is taken.
        for turn in &waiting {
            turn.put(sql, turn.slot.aside())?;
        }
        for (turn, slot) in waiting.iter().zip(slots) {
            turn.put(sql, slot)?;
        }
        Ok(Ok(()))
    })
}

/// A turn that waits, with its message.
struct Waiting {
    request_id: RequestId,
    message_id: MessageId,
    slot: Slot,
}

/// Where a question stands, and where its answer will.
#[derive(Clone, Copy)]
struct Slot {
    answer: i64,
    question: i64,
}

impl Slot {
    /// A place that nothing else can have.
    const fn aside(self) -> Self {
        Self {
            answer: self.answer.saturating_neg(),
            question: self.question.saturating_neg(),
        }
    }
}

impl Waiting {
    fn put(&self, sql: &impl Sql, slot: Slot) -> Result<(), ConversationError> {
        sql.exec(
            "UPDATE turn SET position = ? WHERE request_id = ?",
            &[slot.answer.into(), self.request_id.as_str().into()],
        )?;
        sql.exec(
            "UPDATE message SET position = ? WHERE id = ?",
            &[slot.question.into(), self.message_id.as_str().into()],
        )?;
        Ok(())
    }
}

impl FromRow for Waiting {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            request_id: read_request_id(row, 0)?,
            message_id: read_message_id(row, 1)?,
            slot: Slot {
                answer: row.integer(2)?,
                question: row.integer(3)?,
            },
        })
    }
}
