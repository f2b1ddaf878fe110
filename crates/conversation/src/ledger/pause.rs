//! Turns that wait for the owner. Such a turn is a row and nothing else: no task, no lease, no alarm. It keeps its stream
//! log and its actions, and what there is of its answer stands in the transcript meanwhile.

use super::{ContinuedTurn, Settlement, erase_work, read_message_id};
use crate::envelope::seal;
use crate::turn::{self, TurnState};
use crate::{ConversationError, activity, transcript};
use flarebot_protocol::message::Message;
use flarebot_protocol::{MessageId, RequestId};
use flarebot_sql::Sql;

/// Lets a running turn wait for the owner: stores its state and, at the place that was reserved for it, its answer so far,
/// all or nothing. From then on it is no work, and the turns behind it go on.
///
/// # Errors
/// When the database refuses or the message is too large.
pub fn pause(
    sql: &impl Sql,
    request_id: &RequestId,
    state: &TurnState,
    message: &Message,
    now: i64,
) -> Result<Settlement, ConversationError> {
    sql.transaction(|| {
        let rows = sql.exec(
            "UPDATE turn SET status = 'paused', state = ?, paused_at = ? WHERE request_id = ? AND status = 'running' \
             RETURNING position",
            &[seal(state)?.into(), now.into(), request_id.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(Settlement::Late);
        };
        transcript::put(sql, row.integer(0)?, message, now)?;
        Ok(Settlement::Applied)
    })
}

/// Claims the oldest turn that the owner has decided on, unless one is running. It comes before all that wait, since it
/// stands before them.
///
/// # Errors
/// When the database refuses.
pub fn claim_decided(sql: &impl Sql) -> Result<Option<ContinuedTurn>, ConversationError> {
    let claimed = sql.query_first(
        "UPDATE turn SET status = 'running', attempts = attempts + 1, paused_at = NULL \
         WHERE position = (SELECT min(position) FROM turn WHERE ended_at IS NULL AND status = 'decided') \
           AND NOT EXISTS (SELECT 1 FROM turn WHERE ended_at IS NULL AND status = 'running') \
         RETURNING request_id, user_message_id, assistant_message_id, attempts, state, started_at",
        &[],
    )?;
    Ok(claimed)
}

/// The answer of a turn that pauses, known by any request under which it travelled; `None` if it does not pause.
///
/// # Errors
/// When the database refuses.
pub fn paused(sql: &impl Sql, request_id: &RequestId) -> Result<Option<MessageId>, ConversationError> {
    let rows = sql.exec(
        "SELECT assistant_message_id FROM turn WHERE request_id = ? AND (status = 'paused' OR status = 'decided')",
        &[request_id.original().as_str().into()],
    )?;
    Ok(rows.first().map(|row| read_message_id(row, 0)).transpose()?)
}

/// Ends a turn that waits for the owner, or that was decided and has not gone on, known by any request under which it
/// travelled. Its calls are not run. Gives its message as it is now; `None` if there was no such turn.
///
/// # Errors
/// When the database refuses. Nothing is changed then.
pub fn stop_paused(
    sql: &impl Sql,
    request_id: &RequestId,
    now: i64,
) -> Result<Option<Message>, ConversationError> {
    let request_id = request_id.original();
    sql.transaction(|| {
        let rows = sql.exec(
            "UPDATE turn SET status = 'aborted', state = NULL, ended_at = ? \
             WHERE request_id = ? AND (status = 'paused' OR status = 'decided') RETURNING assistant_message_id",
            &[now.into(), request_id.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        erase_work(sql, &request_id)?;
        let id = read_message_id(row, 0)?;
        // A message that cannot be read stays as it is.
        let message = transcript::readable(sql, &id)?.map(turn::stop);
        if let Some(message) = &message {
            transcript::update(sql, message)?;
        }
        activity::settle(sql, &id, message.as_ref(), now)?;
        transcript::message(sql, &id)
    })
}
