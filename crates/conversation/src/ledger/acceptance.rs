//! Accepting what the owner sent: once, however often a client repeats it.

use super::{TurnStatus, read_request_id};
use crate::{ConversationError, transcript};
use flarebot_protocol::frame::{ChatRequest, Trigger};
use flarebot_protocol::message::Message;
use flarebot_protocol::{MAXIMUM_MESSAGE_BYTES, MessageId, RequestId};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// The most turns that may wait in one conversation.
pub const MAXIMUM_QUEUED: u32 = 32;

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Acceptance {
    /// Its message and its turn are stored; the turn waits to be claimed.
    New {
        /// The owner's message as stored.
        message: Message,
    },
    /// It was accepted before, under its own id or with the same message.
    Duplicate {
        /// The request that was accepted then.
        request_id: RequestId,
        /// How far its turn is.
        status: TurnStatus,
    },
    /// Nothing was stored.
    Refused(Refusal),
}

/// Why a request was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// [`MAXIMUM_QUEUED`] turns wait already.
    QueueFull,
    /// The message's id is that of another message in this conversation.
    MessageIdTaken,
    /// The message says nothing.
    Empty,
    /// The message is longer than one may be, or takes too much room as stored.
    TooLarge,
    /// This version makes no second answer to one message.
    Regenerate,
}

impl Refusal {
    /// One sentence for the owner.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::QueueFull => {
                "Too many messages are waiting for an answer; wait for one, then send this again."
            }
            Self::MessageIdTaken => {
                "This message clashes with another one; reload the page and send it again."
            }
            Self::Empty => "The message is empty.",
            Self::TooLarge => "This message is too large to store; send it in parts.",
            Self::Regenerate => {
                "Another answer to the same message cannot be had yet; send the message again."
            }
        }
    }
}

/// Whether a message may have this text.
///
/// # Errors
/// [`Refusal::Empty`], and [`Refusal::TooLarge`] beyond [`MAXIMUM_MESSAGE_BYTES`].
pub fn check_text(text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        Err(Refusal::Empty)
    } else if text.len() > MAXIMUM_MESSAGE_BYTES {
        Err(Refusal::TooLarge)
    } else {
        Ok(())
    }
}

/// Accepts a request: stores the owner's message and a waiting turn together, or neither. The answer will be the
/// message `assistant_message_id`, right after the owner's in the transcript however late it comes.
///
/// # Errors
/// When the database refuses. Nothing is stored then, and the client may repeat the request.
pub fn accept(
    sql: &impl Sql,
    request: &ChatRequest,
    assistant_message_id: &MessageId,
    now: i64,
) -> Result<Acceptance, ConversationError> {
    sql.transaction(|| {
        if let Some(earlier) = earlier(sql, request)? {
            return Ok(Acceptance::Duplicate {
                request_id: earlier.request_id,
                status: earlier.status,
            });
        }
        if let Some(refusal) = refusal(sql, request)? {
            return Ok(Acceptance::Refused(refusal));
        }
        let mut message = request.message.clone();
        message.metadata.get_or_insert_default().created_at = Some(now);
        let position = next_position(sql)?;
        match transcript::put(sql, position, &message, now) {
            Ok(()) => {}
            Err(ConversationError::TooLarge { .. }) => return Ok(Acceptance::Refused(Refusal::TooLarge)),
            Err(error) => return Err(error),
        }
        sql.exec(
            "INSERT INTO turn (request_id, position, user_message_id, assistant_message_id, status, created_at) \
             VALUES (?, ?, ?, ?, 'queued', ?)",
            &[
                request.id.as_str().into(),
                position.saturating_add(1).into(),
                message.id.as_str().into(),
                assistant_message_id.as_str().into(),
                now.into(),
            ],
        )?;
        Ok(Acceptance::New { message })
    })
}

fn earlier(sql: &impl Sql, request: &ChatRequest) -> Result<Option<EarlierTurn>, SqlError> {
    sql.query_first(
        "SELECT request_id, status FROM turn \
         WHERE request_id = ? OR position = (SELECT position + 1 FROM message WHERE id = ? AND role = 'user') \
         ORDER BY request_id = ? DESC LIMIT 1",
        &[
            request.id.as_str().into(),
            request.message.id.as_str().into(),
            request.id.as_str().into(),
        ],
    )
}

fn refusal(sql: &impl Sql, request: &ChatRequest) -> Result<Option<Refusal>, SqlError> {
    if request.trigger == Trigger::Regenerate {
        return Ok(Some(Refusal::Regenerate));
    }
    let id = request.message.id.as_str();
    let taken = sql.exec(
        "SELECT 1 FROM message WHERE id = ? \
         UNION ALL SELECT 1 FROM turn WHERE ended_at IS NULL AND assistant_message_id = ?",
        &[id.into(), id.into()],
    )?;
    if !taken.is_empty() {
        return Ok(Some(Refusal::MessageIdTaken));
    }
    let waiting = sql.exec(
        "SELECT count(*) FROM turn WHERE ended_at IS NULL AND status = 'queued'",
        &[],
    )?;
    let waiting = waiting.first().map_or(Ok(0), |row| row.integer(0))?;
    Ok((waiting >= i64::from(MAXIMUM_QUEUED)).then_some(Refusal::QueueFull))
}

/// The place after everything that is stored or reserved.
fn next_position(sql: &impl Sql) -> Result<i64, SqlError> {
    let rows = sql.exec(
        "SELECT max(coalesce((SELECT max(position) FROM message), 0), coalesce((SELECT max(position) FROM turn), 0)) + 1",
        &[],
    )?;
    rows.first().map_or(Ok(1), |row| row.integer(0))
}

struct EarlierTurn {
    request_id: RequestId,
    status: TurnStatus,
}

impl FromRow for EarlierTurn {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            request_id: read_request_id(row, 0)?,
            status: TurnStatus::read(row, 1)?,
        })
    }
}
