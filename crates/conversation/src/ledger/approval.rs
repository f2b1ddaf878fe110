//! The owner's decisions on calls of tools. The first word on a call counts, in one transaction: it goes into the log that
//! the turn goes on with, and into the message that everybody sees. With the last one the turn may go on.

use super::{TurnStatus, read_message_id, read_request_id};
use crate::{ConversationError, activity, stream_log, transcript};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Approval, Decision, Message, Part, ToolPart, ToolState};
use flarebot_protocol::{MessageId, Reduction, RequestId};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// How long a call waits for the owner, in milliseconds: thirty days.
pub const MAXIMUM_WAIT: i64 = 30 * 24 * 60 * 60 * 1_000;

/// Why the calls of an answer were declined whose owner took longer.
const TOO_LATE: &str = "The owner did not decide within thirty days.";

/// What became of a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It counts.
    Applied {
        /// The answer as it is now.
        message: Message,
    },
    /// The owner took longer than [`MAXIMUM_WAIT`] to allow the call. All that waits in this answer counts as declined.
    Expired {
        /// The answer as it is now.
        message: Message,
    },
    /// Nothing was changed.
    Refused(Refusal),
}

/// Why a decision changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody was quicker.
    Decided(Decision),
    /// The answer is still being made: its other tools run.
    TooEarly,
    /// It does not wait: it has ended, or there is no such call.
    NotWaiting,
    /// Calls of several answers wait under this id.
    Ambiguous,
}

/// What the owner reads who allows a call too late.
pub const EXPIRED: &str =
    "This waited for more than thirty days and counts as declined. Ask again if you still want it.";

impl Refusal {
    /// One sentence for the owner.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Decided(Decision::Approved) => "This was allowed already. It runs once.",
            Self::Decided(Decision::Declined) => "This was declined already, and is not run.",
            Self::TooEarly => "The answer is still being made. Decide when it waits for you.",
            Self::NotWaiting => "This no longer waits for a decision, so nothing was changed.",
            Self::Ambiguous => {
                "More than one call waits under this name. Decide on the page of the conversation."
            }
        }
    }
}

/// Decides on the call `call_id` of the answer `message_id`. Of several decisions the first one counts.
///
/// # Errors
/// When the database refuses. Nothing is changed then.
pub fn decide(
    sql: &impl Sql,
    message_id: &MessageId,
    call_id: &str,
    decision: Decision,
    now: i64,
) -> Result<Verdict, ConversationError> {
    sql.transaction(|| {
        let turn: Option<TurnRow> = sql.query_first(
            "SELECT request_id, status, paused_at FROM turn WHERE ended_at IS NULL AND assistant_message_id = ?",
            &[message_id.as_str().into()],
        )?;
        let message = transcript::readable(sql, message_id)?;
        let state = message.as_ref().and_then(|message| state(message, call_id));
        let (Some(turn), Some(message), Some(ToolState::ApprovalRequested { approval, .. })) =
            (&turn, &message, state)
        else {
            return Ok(Verdict::Refused(refusal(turn.as_ref(), state)));
        };
        if turn.status != TurnStatus::Paused {
            return Ok(Verdict::Refused(refusal(Some(turn), None)));
        }
        let waited = now.saturating_sub(turn.paused_at.unwrap_or(now));
        if decision == Decision::Approved && waited > MAXIMUM_WAIT {
            let questions = waiting(message).map(|(_, approval)| approval);
            let answers = questions.map(|approval| answer(approval, Decision::Declined, Some(TOO_LATE)));
            let message = write(sql, &turn.request_id, message, answers.collect(), now)?;
            return Ok(Verdict::Expired { message });
        }
        let answers = vec![answer(approval, decision, None)];
        let message = write(sql, &turn.request_id, message, answers, now)?;
        Ok(Verdict::Applied { message })
    })
}

/// The answer in which a call with this id waits, for clients that know calls by nothing else. An id is unique within
/// its answer alone.
///
/// # Errors
/// When the database refuses.
pub fn find_waiting(sql: &impl Sql, call_id: &str) -> Result<Result<MessageId, Refusal>, ConversationError> {
    let rows = sql.exec(
        "SELECT assistant_message_id FROM turn WHERE ended_at IS NULL AND status = 'paused'",
        &[],
    )?;
    let mut found = Err(Refusal::NotWaiting);
    for row in &rows {
        let id = read_message_id(row, 0)?;
        let message = transcript::readable(sql, &id)?;
        let waits =
            message.is_some_and(|message| waiting(&message).any(|(call, _)| call.tool_call_id == call_id));
        if waits && found.is_ok() {
            return Ok(Err(Refusal::Ambiguous));
        }
        if waits {
            found = Ok(id);
        }
    }
    Ok(found)
}

/// Writes answers into the log and the message, and lets the turn go on if nothing waits any more.
fn write(
    sql: &impl Sql,
    request_id: &RequestId,
    message: &Message,
    answers: Vec<Chunk>,
    now: i64,
) -> Result<Message, ConversationError> {
    let mut reduction = Reduction::new(message.clone());
    for answer in &answers {
        reduction.apply(answer);
    }
    let message = reduction.message;
    transcript::update(sql, &message)?;
    stream_log::extend_paused(sql, request_id, &answers)?;
    activity::decline(sql, &message, now)?;
    if waiting(&message).next().is_none() {
        sql.exec(
            "UPDATE turn SET status = 'decided' WHERE request_id = ? AND status = 'paused'",
            &[request_id.as_str().into()],
        )?;
    }
    Ok(message)
}

fn answer(approval: &Approval, decision: Decision, reason: Option<&str>) -> Chunk {
    Chunk::ToolApprovalResponse {
        approval_id: approval.id.clone(),
        approved: decision.is_approved(),
        reason: reason.map(str::to_owned),
    }
}

fn refusal(turn: Option<&TurnRow>, state: Option<&ToolState>) -> Refusal {
    match state {
        Some(state) if state.is_declined() => Refusal::Decided(Decision::Declined),
        Some(ToolState::ApprovalResponded { .. }) => Refusal::Decided(Decision::Approved),
        Some(_) | None if turn.is_some_and(|turn| turn.status == TurnStatus::Running) => Refusal::TooEarly,
        Some(_) | None => Refusal::NotWaiting,
    }
}

fn calls(message: &Message) -> impl Iterator<Item = &ToolPart> {
    message.parts.iter().filter_map(|part| match part {
        Part::Tool(call) => Some(call),
        Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    })
}

fn state<'a>(message: &'a Message, call_id: &str) -> Option<&'a ToolState> {
    let call = calls(message).find(|call| call.tool_call_id == call_id)?;
    Some(&call.state)
}

/// The calls that wait for the owner, each with its question.
fn waiting(message: &Message) -> impl Iterator<Item = (&ToolPart, &Approval)> {
    calls(message).filter_map(|call| match &call.state {
        ToolState::ApprovalRequested { approval, .. } => Some((call, approval)),
        ToolState::InputStreaming
        | ToolState::InputAvailable { .. }
        | ToolState::ApprovalResponded { .. }
        | ToolState::OutputAvailable { .. }
        | ToolState::OutputError { .. }
        | ToolState::OutputDenied { .. } => None,
    })
}

struct TurnRow {
    request_id: RequestId,
    status: TurnStatus,
    paused_at: Option<i64>,
}

impl FromRow for TurnRow {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            request_id: read_request_id(row, 0)?,
            status: TurnStatus::read(row, 1)?,
            paused_at: row.optional_integer(2)?,
        })
    }
}
