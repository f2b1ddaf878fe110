//! Which turns there are and how far each one is. A row is written before its work begins, and every later write is
//! guarded by the status that the row has then: whatever settles a turn first wins, and what comes late changes
//! nothing.

mod acceptance;
pub mod approval;
mod pause;
pub mod queue;

pub use acceptance::{Acceptance, MAXIMUM_QUEUED, Refusal, accept, check_text};
pub use pause::{claim_decided, pause, paused, stop_paused};

use crate::envelope::{seal, unseal};
use crate::turn::TurnState;
use crate::{ConversationError, activity, transcript};
use flarebot_protocol::frame::QueuedTurn;
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::{MessageId, RequestId};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// How far a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnStatus {
    /// It waits for the ones before it.
    Queued,
    /// Its answer is being made.
    Running,
    /// It waits for the owner to decide on calls of tools. That is no work: nothing happens to it by itself.
    Paused,
    /// The owner has decided, and it waits to go on.
    Decided,
    /// It ended.
    Ended(Outcome),
}

/// A turn that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedTurn {
    /// The request that it answers.
    pub request_id: RequestId,
    /// The owner's message that it answers.
    pub user_message_id: MessageId,
    /// The message that it writes.
    pub assistant_message_id: MessageId,
    /// How often it was claimed or taken over, this time included.
    pub attempts: u32,
}

impl ClaimedTurn {
    /// The request under which the chunks of the attempt before this one travelled.
    #[must_use]
    pub fn earlier_stream_id(&self) -> RequestId {
        let attempts = self.attempts.saturating_sub(1);
        Self {
            attempts,
            ..self.clone()
        }
        .stream_id()
    }

    /// The request under which this attempt's chunks travel.
    #[must_use]
    pub fn stream_id(&self) -> RequestId {
        match self.attempts {
            0 | 1 => self.request_id.clone(),
            attempts => self.request_id.continued(attempts),
        }
    }
}

/// A turn that is to go on: it paused, or ran in an instance that is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct ContinuedTurn {
    /// The turn.
    pub turn: ClaimedTurn,
    /// Its last checkpoint, or what is known without a readable one ([`TurnState::claimed`]).
    pub state: TurnState,
}

/// Whether a guarded write found the turn in the status that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It did, and everything was written.
    Applied,
    /// The turn had moved on, or was erased. Nothing was written.
    Late,
}

/// Claims the oldest waiting turn, unless one is running. The attempt is counted before it begins.
///
/// # Errors
/// When the database refuses.
pub fn claim_next(sql: &impl Sql, now: i64) -> Result<Option<ClaimedTurn>, ConversationError> {
    let claimed = sql.query_first(
        "UPDATE turn SET status = 'running', attempts = attempts + 1, started_at = ? \
         WHERE position = (SELECT min(position) FROM turn WHERE ended_at IS NULL AND status = 'queued') \
           AND NOT EXISTS (SELECT 1 FROM turn WHERE ended_at IS NULL AND status = 'running') \
         RETURNING request_id, user_message_id, assistant_message_id, attempts",
        &[now.into()],
    )?;
    Ok(claimed)
}

/// The running turn.
///
/// # Errors
/// When the database refuses.
pub fn running(sql: &impl Sql) -> Result<Option<ClaimedTurn>, ConversationError> {
    let running = sql.query_first(
        "SELECT request_id, user_message_id, assistant_message_id, attempts FROM turn \
         WHERE ended_at IS NULL AND status = 'running'",
        &[],
    )?;
    Ok(running)
}

/// A turn that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedTurn {
    /// How.
    pub outcome: Outcome,
    /// The message that it wrote.
    pub assistant_message_id: MessageId,
}

/// How a turn ended, known by its own request or by one under which it went on; `None` while it has not, and for an
/// unknown request.
///
/// # Errors
/// When the database refuses.
pub fn ended(sql: &impl Sql, request_id: &RequestId) -> Result<Option<EndedTurn>, ConversationError> {
    let rows = sql.exec(
        "SELECT status, assistant_message_id FROM turn WHERE request_id = ?",
        &[request_id.original().as_str().into()],
    )?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    Ok(match TurnStatus::read(row, 0)? {
        TurnStatus::Ended(outcome) => Some(EndedTurn {
            outcome,
            assistant_message_id: read_message_id(row, 1)?,
        }),
        TurnStatus::Queued | TurnStatus::Running | TurnStatus::Paused | TurnStatus::Decided => None,
    })
}

/// Whether a turn waits to be claimed.
///
/// # Errors
/// When the database refuses.
pub fn has_work(sql: &impl Sql) -> Result<bool, ConversationError> {
    let rows = sql.exec(
        "SELECT 1 FROM turn WHERE ended_at IS NULL AND status IN ('queued', 'decided') LIMIT 1",
        &[],
    )?;
    Ok(!rows.is_empty())
}

/// The waiting turns, the next one first.
///
/// # Errors
/// When the database refuses.
pub fn queued(sql: &impl Sql) -> Result<Vec<QueuedTurn>, ConversationError> {
    let rows: Vec<QueuedRow> = sql.query(
        "SELECT request_id, user_message_id FROM turn WHERE ended_at IS NULL AND status = 'queued' ORDER BY position",
        &[],
    )?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The turn that is worked on next: one that the owner has decided on stands before those that wait.
///
/// # Errors
/// When the database refuses.
pub fn next_waiting(sql: &impl Sql) -> Result<Option<QueuedTurn>, ConversationError> {
    let next: Option<QueuedRow> = sql.query_first(
        "SELECT request_id, user_message_id FROM turn WHERE ended_at IS NULL AND status IN ('decided', 'queued') \
         ORDER BY status, position LIMIT 1",
        &[],
    )?;
    Ok(next.map(|row| row.0))
}

/// Takes over the turn that an instance left running when it went away, and counts the attempt before it begins. What its
/// tools had open is known to be interrupted from then on. Only for a caller that knows that nobody runs it.
///
/// # Errors
/// When the database refuses.
pub fn take_over(sql: &impl Sql, now: i64) -> Result<Option<ContinuedTurn>, ConversationError> {
    sql.transaction(|| {
        let lost: Option<ContinuedTurn> = sql.query_first(
            "UPDATE turn SET attempts = attempts + 1 WHERE ended_at IS NULL AND status = 'running' \
             RETURNING request_id, user_message_id, assistant_message_id, attempts, state, started_at",
            &[],
        )?;
        if let Some(lost) = &lost {
            activity::interrupt(sql, &lost.turn.assistant_message_id, now)?;
        }
        Ok(lost)
    })
}

/// Stores the state of a running turn. [`Settlement::Late`] says that the turn must not go on.
///
/// # Errors
/// When the database refuses.
pub fn checkpoint(
    sql: &impl Sql,
    request_id: &RequestId,
    state: &TurnState,
) -> Result<Settlement, ConversationError> {
    let rows = sql.exec(
        "UPDATE turn SET state = ? WHERE request_id = ? AND status = 'running' RETURNING request_id",
        &[seal(state)?.into(), request_id.as_str().into()],
    )?;
    Ok(settlement(&rows))
}

/// Ends a running turn: stores its message at the place that was reserved for it (unless it is empty), erases its
/// stream log and its actions, ends what its tools have open, and sets its status, all or nothing.
///
/// # Errors
/// When the database refuses or the message is too large.
pub fn settle(
    sql: &impl Sql,
    request_id: &RequestId,
    outcome: Outcome,
    message: &Message,
    now: i64,
) -> Result<Settlement, ConversationError> {
    sql.transaction(|| {
        let rows = sql.exec(
            "UPDATE turn SET status = ?, state = NULL, ended_at = ? WHERE request_id = ? AND status = 'running' \
             RETURNING position",
            &[status_word(outcome).into(), now.into(), request_id.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(Settlement::Late);
        };
        let has_notice = message
            .metadata
            .as_ref()
            .is_some_and(|metadata| metadata.notice.is_some());
        if has_notice || !message.parts.is_empty() {
            transcript::put(sql, row.integer(0)?, message, now)?;
        } else {
            // What was shown of it during a pause is not what it came to.
            transcript::remove(sql, &message.id)?;
        }
        erase_work(sql, request_id)?;
        activity::settle(sql, &message.id, Some(message), now)?;
        Ok(Settlement::Applied)
    })
}

/// Erases what only a turn that goes on needs: its stream log and its actions.
fn erase_work(sql: &impl Sql, request_id: &RequestId) -> Result<(), ConversationError> {
    for table in ["stream_segment", "action"] {
        sql.exec(
            &format!("DELETE FROM {table} WHERE request_id = ?"),
            &[request_id.as_str().into()],
        )?;
    }
    Ok(())
}

/// Takes a waiting turn out of the queue. The owner's message stays in the transcript, without an answer.
///
/// # Errors
/// When the database refuses.
pub fn cancel_queued(
    sql: &impl Sql,
    request_id: &RequestId,
    now: i64,
) -> Result<Settlement, ConversationError> {
    let rows = sql.exec(
        "UPDATE turn SET status = 'aborted', ended_at = ? WHERE request_id = ? AND status = 'queued' \
         RETURNING request_id",
        &[now.into(), request_id.as_str().into()],
    )?;
    Ok(settlement(&rows))
}

fn settlement(changed: &[Row]) -> Settlement {
    if changed.is_empty() {
        Settlement::Late
    } else {
        Settlement::Applied
    }
}

const fn status_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Aborted => "aborted",
        Outcome::Error => "error",
        Outcome::Interrupted => "interrupted",
    }
}

impl TurnStatus {
    pub(crate) fn read(row: &Row, column: usize) -> Result<Self, SqlError> {
        match row.text(column)? {
            "queued" => Ok(Self::Queued),
            "running" => Ok(Self::Running),
            "paused" => Ok(Self::Paused),
            "decided" => Ok(Self::Decided),
            "completed" => Ok(Self::Ended(Outcome::Completed)),
            "aborted" => Ok(Self::Ended(Outcome::Aborted)),
            "error" => Ok(Self::Ended(Outcome::Error)),
            "interrupted" => Ok(Self::Ended(Outcome::Interrupted)),
            _ => Err(SqlError::Shape {
                column,
                expected: "a turn's status",
            }),
        }
    }
}

impl FromRow for ClaimedTurn {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            request_id: read_request_id(row, 0)?,
            user_message_id: read_message_id(row, 1)?,
            assistant_message_id: read_message_id(row, 2)?,
            attempts: u32::try_from(row.integer(3)?).map_err(|_| SqlError::Shape {
                column: 3,
                expected: "a count",
            })?,
        })
    }
}

impl FromRow for ContinuedTurn {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let turn = ClaimedTurn::from_row(row)?;
        // A checkpoint that cannot be read must not keep a turn from going on.
        let checkpoint = row.optional_text(4)?.and_then(|text| unseal(text).ok());
        let state = match checkpoint {
            Some(state) => state,
            None => TurnState::claimed(
                turn.request_id.clone(),
                turn.assistant_message_id.clone(),
                row.integer(5)?,
            ),
        };
        Ok(Self { turn, state })
    }
}

struct QueuedRow(QueuedTurn);

impl FromRow for QueuedRow {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self(QueuedTurn {
            request_id: read_request_id(row, 0)?,
            user_message_id: read_message_id(row, 1)?,
        }))
    }
}

pub(crate) fn read_request_id(row: &Row, column: usize) -> Result<RequestId, SqlError> {
    RequestId::new(row.text(column)?).map_err(|_| SqlError::Shape {
        column,
        expected: "a request id",
    })
}

pub(crate) fn read_message_id(row: &Row, column: usize) -> Result<MessageId, SqlError> {
    MessageId::new(row.text(column)?).map_err(|_| SqlError::Shape {
        column,
        expected: "a message id",
    })
}
