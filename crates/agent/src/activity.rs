//! What each conversation is doing, for the sidebar: when something last happened, whether an answer is being made,
//! whether one ended unseen. Names and their order are the registry's.
//!
//! The conversations report it. Nothing here is reset at a start: a conversation may go on while the agent sleeps, so a
//! mark that may be stale is settled by asking the conversation itself ([`running`]).

use crate::registry::read_id;
use flarebot_protocol::ConversationId;
use flarebot_protocol::conversation::ConversationActivity;
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// An answer is being made since `at` (milliseconds since 1970). `None` when no active conversation has this id.
///
/// # Errors
/// When the database fails.
pub fn turn_started(
    sql: &impl Sql,
    id: ConversationId,
    at: i64,
) -> Result<Option<ConversationActivity>, SqlError> {
    changed(sql.query_first(
        "UPDATE flarebot_conversations SET running = 1, last_activity_at = max(last_activity_at, ?) \
         WHERE id = ? AND state = 'active' RETURNING id, last_activity_at, running, unread",
        &[at.into(), id.to_string().into()],
    ))
}

/// The last answer that was being made ended at `at` (milliseconds since 1970); without a page that shows it (`seen`),
/// the conversation becomes unread. A report for a conversation that is not running is a repetition: it leaves what the
/// owner has read meanwhile. `None` when no active conversation has this id.
///
/// # Errors
/// When the database fails.
pub fn turn_ended(
    sql: &impl Sql,
    id: ConversationId,
    at: i64,
    seen: bool,
) -> Result<Option<ConversationActivity>, SqlError> {
    changed(sql.query_first(
        "UPDATE flarebot_conversations SET running = 0, last_activity_at = max(last_activity_at, ?), \
         unread = CASE WHEN running = 1 THEN CAST(? AS INTEGER) ELSE unread END \
         WHERE id = ? AND state = 'active' RETURNING id, last_activity_at, running, unread",
        &[at.into(), i64::from(!seen).into(), id.to_string().into()],
    ))
}

/// The owner has the conversation before them. `None` when there was nothing unread.
///
/// # Errors
/// When the database fails.
pub fn mark_read(sql: &impl Sql, id: ConversationId) -> Result<Option<ConversationActivity>, SqlError> {
    changed(sql.query_first(
        "UPDATE flarebot_conversations SET unread = 0 WHERE id = ? AND state = 'active' AND unread = 1 \
         RETURNING id, last_activity_at, running, unread",
        &[id.to_string().into()],
    ))
}

/// The activity of every active conversation, the latest first, then by id.
///
/// # Errors
/// When the database fails.
pub fn activities(sql: &impl Sql) -> Result<Vec<ConversationActivity>, SqlError> {
    let rows: Vec<Activity> = sql.query(
        "SELECT id, last_activity_at, running, unread FROM flarebot_conversations WHERE state = 'active' \
         ORDER BY last_activity_at DESC, id",
        &[],
    )?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The active conversations that last reported a running answer. At a start, ask each whether that still holds.
///
/// # Errors
/// When the database fails.
pub fn running(sql: &impl Sql) -> Result<Vec<ConversationId>, SqlError> {
    let activities = activities(sql)?.into_iter();
    Ok(activities
        .filter(|activity| activity.running)
        .map(|activity| activity.id)
        .collect())
}

fn changed(row: Result<Option<Activity>, SqlError>) -> Result<Option<ConversationActivity>, SqlError> {
    Ok(row?.map(|row| row.0))
}

struct Activity(ConversationActivity);

impl FromRow for Activity {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self(ConversationActivity {
            id: read_id(row, 0)?,
            last_activity_at: row.integer(1)?,
            running: row.integer(2)? != 0,
            unread: row.integer(3)? != 0,
        }))
    }
}
