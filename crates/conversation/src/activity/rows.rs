//! How records are stored. A row is found by its answer and call, and ordered by a sequence that is never given twice.

use super::record::Record;
use crate::ConversationError;
use crate::ledger::read_message_id;
use flarebot_protocol::MessageId;
use flarebot_protocol::tool_activity::{
    ActivityFailure, ActivityKind, ActivityProgress, ActivityStatus, ToolActivity,
};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

const COLUMNS: &str = "sequence, message_id, tool_call_id, tool, kind, label, summary, status, failure, waits, \
                       progress_text, progress_done, progress_total, attempts, created_at, started_at, ended_at, \
                       interrupted_at";

/// The record of a call.
pub(super) fn find(
    sql: &impl Sql,
    message_id: &MessageId,
    call_id: &str,
) -> Result<Option<Record>, ConversationError> {
    let query =
        format!("SELECT {COLUMNS} FROM flarebot_tool_activity WHERE message_id = ? AND tool_call_id = ?");
    Ok(sql.query_first(&query, &[message_id.as_str().into(), call_id.into()])?)
}

/// The records of an answer's calls that have not ended, in order.
pub(super) fn open_of(sql: &impl Sql, message_id: &MessageId) -> Result<Vec<Record>, ConversationError> {
    let query = format!(
        "SELECT {COLUMNS} FROM flarebot_tool_activity WHERE message_id = ? AND ended_at IS NULL ORDER BY sequence"
    );
    Ok(sql.query(&query, &[message_id.as_str().into()])?)
}

/// The newest records of calls that have not ended, the newest first.
pub(super) fn newest_open(sql: &impl Sql, limit: usize) -> Result<Vec<Record>, ConversationError> {
    newest(sql, "ended_at IS NULL", AT_THE_END, limit)
}

/// The newest records of calls that have ended, the newest first.
pub(super) fn newest_ended(sql: &impl Sql, limit: usize) -> Result<Vec<Record>, ConversationError> {
    newest(sql, "ended_at IS NOT NULL", AT_THE_END, limit)
}

/// The newest records before a sequence, the newest first.
pub(super) fn before(sql: &impl Sql, border: i64, limit: usize) -> Result<Vec<Record>, ConversationError> {
    newest(sql, "TRUE", border, limit)
}

const AT_THE_END: i64 = super::AFTER_EVERYTHING;

fn newest(
    sql: &impl Sql,
    condition: &str,
    border: i64,
    limit: usize,
) -> Result<Vec<Record>, ConversationError> {
    let query = format!(
        "SELECT {COLUMNS} FROM flarebot_tool_activity WHERE {condition} AND sequence < ? ORDER BY sequence DESC LIMIT ?"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(sql.query(&query, &[border.into(), limit.into()])?)
}

/// Stores a new record, and gives it with its sequence; nothing unless its answer is being made, and its call was not
/// erased.
pub(super) fn insert(sql: &impl Sql, record: Record) -> Result<Option<Record>, ConversationError> {
    let activity = &record.activity;
    let query = format!(
        "INSERT INTO flarebot_tool_activity \
             (sequence, message_id, tool_call_id, tool, kind, label, status, created_at) \
         SELECT max(coalesce((SELECT max(sequence) FROM flarebot_tool_activity), 0), \
                    coalesce((SELECT max(sequence) FROM flarebot_tool_activity_erased), 0)) + 1, \
             ?, ?, ?, ?, ?, ?, ? \
         WHERE EXISTS (SELECT 1 FROM turn WHERE ended_at IS NULL AND status = 'running' AND assistant_message_id = ?) \
           AND NOT EXISTS (SELECT 1 FROM flarebot_tool_activity_erased WHERE message_id = ? AND tool_call_id = ?) \
         RETURNING {COLUMNS}"
    );
    let message_id = activity.message_id.as_str();
    let call_id = activity.tool_call_id.as_str();
    let stored = sql.query_first(
        &query,
        &[
            message_id.into(),
            call_id.into(),
            record.tool.as_deref().into(),
            kind_word(activity.kind).into(),
            activity.label.as_str().into(),
            status_word(activity.status).into(),
            activity.created_at.into(),
            message_id.into(),
            message_id.into(),
            call_id.into(),
        ],
    )?;
    Ok(stored)
}

/// Stores what has become of a record.
pub(super) fn update(sql: &impl Sql, record: &Record) -> Result<(), ConversationError> {
    let activity = &record.activity;
    let progress = activity.progress.clone().unwrap_or_default();
    sql.exec(
        "UPDATE flarebot_tool_activity SET summary = ?, status = ?, failure = ?, waits = ?, progress_text = ?, \
             progress_done = ?, progress_total = ?, attempts = ?, started_at = ?, ended_at = ?, interrupted_at = ? \
         WHERE sequence = ?",
        &[
            activity.summary.as_deref().into(),
            status_word(activity.status).into(),
            activity.failure.map(failure_word).into(),
            i64::from(record.waits).into(),
            progress.text.as_deref().into(),
            progress.done.map(stored).into(),
            progress.total.map(stored).into(),
            activity.attempts.into(),
            activity.started_at.into(),
            activity.ended_at.into(),
            activity.interrupted_at.into(),
            stored(activity.sequence).into(),
        ],
    )?;
    Ok(())
}

/// Deletes every record. What may still be told of its call is remembered by its id alone, and so is the last sequence.
pub(super) fn erase(sql: &impl Sql) -> Result<(), ConversationError> {
    sql.exec(
        "INSERT INTO flarebot_tool_activity_erased (sequence, message_id, tool_call_id) \
             SELECT sequence, message_id, tool_call_id FROM flarebot_tool_activity \
             WHERE ended_at IS NULL OR failure = 'interrupted' \
                OR sequence = (SELECT max(sequence) FROM flarebot_tool_activity); \
         DELETE FROM flarebot_tool_activity",
        &[],
    )?;
    Ok(())
}

impl FromRow for Record {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let progress = ActivityProgress {
            text: row.optional_text(10)?.map(str::to_owned),
            done: optional_number(row, 11)?,
            total: optional_number(row, 12)?,
        };
        Ok(Self {
            tool: row.optional_text(3)?.map(str::to_owned),
            waits: row.integer(9)? != 0,
            activity: ToolActivity {
                sequence: number(row, 0)?,
                message_id: read_message_id(row, 1)?,
                tool_call_id: row.text(2)?.to_owned(),
                kind: read_kind(row, 4)?,
                label: row.text(5)?.to_owned(),
                summary: row.optional_text(6)?.map(str::to_owned),
                status: read_status(row, 7)?,
                failure: read_failure(row, 8)?,
                progress: (progress != ActivityProgress::default()).then_some(progress),
                attempts: u32::try_from(row.integer(13)?).map_err(|_| shape(13, "a count"))?,
                created_at: row.integer(14)?,
                started_at: row.optional_integer(15)?,
                ended_at: row.optional_integer(16)?,
                interrupted_at: row.optional_integer(17)?,
            },
        })
    }
}

fn number(row: &Row, column: usize) -> Result<u64, SqlError> {
    u64::try_from(row.integer(column)?).map_err(|_| shape(column, "a number of at least 0"))
}

fn optional_number(row: &Row, column: usize) -> Result<Option<u64>, SqlError> {
    let number = row.optional_integer(column)?.map(u64::try_from);
    number
        .transpose()
        .map_err(|_| shape(column, "a number of at least 0"))
}

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn shape(column: usize, expected: &'static str) -> SqlError {
    SqlError::Shape { column, expected }
}

const fn status_word(status: ActivityStatus) -> &'static str {
    match status {
        ActivityStatus::Pending => "pending",
        ActivityStatus::Running => "running",
        ActivityStatus::Succeeded => "succeeded",
        ActivityStatus::Failed => "failed",
        ActivityStatus::Cancelled => "cancelled",
    }
}

fn read_status(row: &Row, column: usize) -> Result<ActivityStatus, SqlError> {
    match row.text(column)? {
        "pending" => Ok(ActivityStatus::Pending),
        "running" => Ok(ActivityStatus::Running),
        "succeeded" => Ok(ActivityStatus::Succeeded),
        "failed" => Ok(ActivityStatus::Failed),
        "cancelled" => Ok(ActivityStatus::Cancelled),
        _ => Err(shape(column, "how far a call is")),
    }
}

const fn failure_word(failure: ActivityFailure) -> &'static str {
    match failure {
        ActivityFailure::Tool => "tool",
        ActivityFailure::TimedOut => "timed_out",
        ActivityFailure::Interrupted => "interrupted",
        ActivityFailure::Declined => "declined",
    }
}

fn read_failure(row: &Row, column: usize) -> Result<Option<ActivityFailure>, SqlError> {
    match row.optional_text(column)? {
        None => Ok(None),
        Some("tool") => Ok(Some(ActivityFailure::Tool)),
        Some("timed_out") => Ok(Some(ActivityFailure::TimedOut)),
        Some("interrupted") => Ok(Some(ActivityFailure::Interrupted)),
        Some("declined") => Ok(Some(ActivityFailure::Declined)),
        Some(_) => Err(shape(column, "why a call failed")),
    }
}

const fn kind_word(kind: ActivityKind) -> &'static str {
    match kind {
        ActivityKind::Time => "time",
        ActivityKind::Conversation => "conversation",
        ActivityKind::Memory => "memory",
        ActivityKind::Web => "web",
        ActivityKind::Other => "other",
    }
}

/// What a newer version has stored is of another kind.
fn read_kind(row: &Row, column: usize) -> Result<ActivityKind, SqlError> {
    Ok(match row.text(column)? {
        "time" => ActivityKind::Time,
        "conversation" => ActivityKind::Conversation,
        "memory" => ActivityKind::Memory,
        "web" => ActivityKind::Web,
        _ => ActivityKind::Other,
    })
}
