//! The queue as a program sees it: it leaves a message under a key of its own choice, and asks later what became of it.
//!
//! A submission is a turn, so there is one queue, one claim and one settlement for what the owner types and what a
//! program leaves. What is here adds the key, and reads the turns.

use crate::ConversationError;
use crate::ledger::{self, Acceptance, Refusal, TurnStatus, read_message_id, read_request_id};
use flarebot_protocol::frame::ChatRequest;
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::submission::{SUBMISSION_PAGE, Submission, SubmissionPage, SubmissionStatus};
use flarebot_protocol::{MessageId, RequestId, SubmissionKey};
use flarebot_sql::{FromRow, Row, Sql, SqlError, Value};

/// What became of a submitted message.
#[derive(Debug, Clone, PartialEq)]
pub enum Submittal {
    /// The message and its turn are stored; the turn waits to be claimed.
    New {
        /// The message as stored.
        message: Message,
        /// The submission.
        submission: Submission,
    },
    /// There is one with this key, this request or this message. Nothing was stored.
    Known(Submission),
    /// Nothing was stored.
    Refused(Refusal),
}

/// Whether a submission was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// It was.
    Deleted,
    /// Its answer has not ended, so it stays.
    NotEnded,
    /// There is none.
    Unknown,
}

/// Accepts a message under a key, once: what has the same key is not taken again, whatever it says.
///
/// # Errors
/// When the database refuses. Nothing is stored then, and the call may be repeated.
pub fn submit(
    sql: &impl Sql,
    key: Option<&SubmissionKey>,
    request: &ChatRequest,
    assistant_message_id: &MessageId,
    now: i64,
) -> Result<Submittal, ConversationError> {
    sql.transaction(|| {
        if let Some(key) = key
            && let Some(known) = find(sql, key)?
        {
            return Ok(Submittal::Known(known));
        }
        let (accepted, request_id) = match ledger::accept(sql, request, assistant_message_id, now)? {
            Acceptance::New { message } => (Some(message), request.id.clone()),
            Acceptance::Duplicate { request_id, .. } => (None, request_id),
            Acceptance::Refused(refusal) => return Ok(Submittal::Refused(refusal)),
        };
        if let (Some(_), Some(key)) = (&accepted, key) {
            sql.exec(
                "UPDATE turn SET key = ? WHERE request_id = ?",
                &[key.as_str().into(), request_id.as_str().into()],
            )?;
        }
        let submission = inspect(sql, &request_id)?.ok_or(ConversationError::Unreadable { what: "turn" })?;
        Ok(match accepted {
            Some(message) => Submittal::New { message, submission },
            None => Submittal::Known(submission),
        })
    })
}

/// One submission, by its request or by one under which it went on.
///
/// # Errors
/// When the database refuses.
pub fn inspect(sql: &impl Sql, request_id: &RequestId) -> Result<Option<Submission>, ConversationError> {
    read(sql, "request_id = ?", request_id.original().as_str().into())
}

/// The submission with a key.
///
/// # Errors
/// When the database refuses.
pub fn find(sql: &impl Sql, key: &SubmissionKey) -> Result<Option<Submission>, ConversationError> {
    read(sql, "key = ?", key.as_str().into())
}

/// The submissions before one of them in the queue's order, or the latest ones; at most [`SUBMISSION_PAGE`]. An unknown
/// `before` has none before it.
///
/// # Errors
/// When the database refuses.
pub fn list(sql: &impl Sql, before: Option<&RequestId>) -> Result<SubmissionPage, ConversationError> {
    let mut parameters: Vec<Value> = Vec::new();
    let condition = match before {
        Some(request_id) => {
            parameters.push(request_id.original().as_str().into());
            "position < (SELECT position FROM turn WHERE request_id = ?)"
        }
        None => "TRUE",
    };
    parameters.push(SUBMISSION_PAGE.saturating_add(1).into());
    let rows: Vec<Read> = sql.query(
        &format!("SELECT {COLUMNS} FROM turn WHERE {condition} ORDER BY position DESC LIMIT ?"),
        &parameters,
    )?;
    let mut submissions: Vec<Submission> = rows.into_iter().map(|read| read.0).collect();
    let page = usize::try_from(SUBMISSION_PAGE).unwrap_or(usize::MAX);
    let has_more = submissions.len() > page;
    submissions.truncate(page);
    Ok(SubmissionPage {
        submissions,
        has_more,
    })
}

/// Forgets a submission that has ended. Its messages stay, and its key may be used again.
///
/// # Errors
/// When the database refuses.
pub fn delete(sql: &impl Sql, request_id: &RequestId) -> Result<Deletion, ConversationError> {
    let request_id = request_id.original();
    let deleted = sql.exec(
        "DELETE FROM turn WHERE request_id = ? AND ended_at IS NOT NULL RETURNING request_id",
        &[request_id.as_str().into()],
    )?;
    if !deleted.is_empty() {
        return Ok(Deletion::Deleted);
    }
    Ok(match inspect(sql, &request_id)? {
        Some(_) => Deletion::NotEnded,
        None => Deletion::Unknown,
    })
}

const COLUMNS: &str = "request_id, key, user_message_id, assistant_message_id, status, attempts, created_at, started_at, \
                       ended_at";

fn read(sql: &impl Sql, condition: &str, value: Value) -> Result<Option<Submission>, ConversationError> {
    let row: Option<Read> =
        sql.query_first(&format!("SELECT {COLUMNS} FROM turn WHERE {condition}"), &[value])?;
    Ok(row.map(|read| read.0))
}

struct Read(Submission);

impl FromRow for Read {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let key = row.optional_text(1)?.map(SubmissionKey::new).transpose();
        Ok(Self(Submission {
            request_id: read_request_id(row, 0)?,
            key: key.map_err(|_| SqlError::Shape {
                column: 1,
                expected: "a submission's key",
            })?,
            user_message_id: read_message_id(row, 2)?,
            assistant_message_id: read_message_id(row, 3)?,
            status: status(TurnStatus::read(row, 4)?),
            attempts: u32::try_from(row.integer(5)?).map_err(|_| SqlError::Shape {
                column: 5,
                expected: "a count",
            })?,
            created_at: row.integer(6)?,
            started_at: row.optional_integer(7)?,
            ended_at: row.optional_integer(8)?,
        }))
    }
}

const fn status(status: TurnStatus) -> SubmissionStatus {
    match status {
        TurnStatus::Queued => SubmissionStatus::Queued,
        TurnStatus::Running | TurnStatus::Decided => SubmissionStatus::Running,
        TurnStatus::Paused => SubmissionStatus::Paused,
        TurnStatus::Ended(Outcome::Completed) => SubmissionStatus::Completed,
        TurnStatus::Ended(Outcome::Aborted) => SubmissionStatus::Aborted,
        TurnStatus::Ended(Outcome::Error) => SubmissionStatus::Error,
        TurnStatus::Ended(Outcome::Interrupted) => SubmissionStatus::Interrupted,
    }
}
