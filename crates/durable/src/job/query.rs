//! Looking jobs up and taking them away, each owner its own.

use super::Job;
use super::record::{COLUMNS, Record};
use flarebot_sql::{Sql, SqlError};

/// Which jobs to list. Every condition must hold; `None` is no condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobFilter {
    /// Whose; empty for the object itself. There is no way to list everybody's by mistake.
    pub owner: String,
    /// Which callback.
    pub callback: Option<String>,
    /// Due at this instant or later, in milliseconds since 1970.
    pub due_from: Option<i64>,
    /// Due before this instant, in milliseconds since 1970.
    pub due_before: Option<i64>,
}

/// One job of `owner`; `None` when it has none under this id.
///
/// # Errors
/// When the database refuses it.
pub fn get(sql: &impl Sql, owner: &str, id: &str) -> Result<Option<Job>, SqlError> {
    let record: Option<Record> = sql.query_first(
        &format!("SELECT {COLUMNS} FROM job WHERE id = ? AND owner = ?"),
        &[id.into(), owner.into()],
    )?;
    Ok(record.map(|record| record.job))
}

/// The jobs of one owner, the earliest due first, at most `limit`.
///
/// # Errors
/// When the database refuses it.
pub fn list(sql: &impl Sql, filter: &JobFilter, limit: u32) -> Result<Vec<Job>, SqlError> {
    let records: Vec<Record> = sql.query(
        &format!(
            "SELECT {COLUMNS} FROM job WHERE owner = ? AND callback = coalesce(?, callback) \
             AND due_at >= coalesce(?, due_at) AND due_at < coalesce(?, due_at + 1) ORDER BY due_at, id LIMIT ?"
        ),
        &[
            filter.owner.as_str().into(),
            filter.callback.as_deref().into(),
            filter.due_from.into(),
            filter.due_before.into(),
            limit.into(),
        ],
    )?;
    Ok(records.into_iter().map(|record| record.job).collect())
}

/// Takes a job of `owner` away, also out of a run of its own; whether there was one.
///
/// # Errors
/// When the database refuses it.
pub fn cancel(sql: &impl Sql, owner: &str, id: &str) -> Result<bool, SqlError> {
    let rows = sql.exec(
        "DELETE FROM job WHERE id = ? AND owner = ? RETURNING id",
        &[id.into(), owner.into()],
    )?;
    Ok(!rows.is_empty())
}

/// Takes every job of `owner` away, for an owner that goes.
///
/// # Errors
/// When the database refuses it.
pub fn cancel_owner(sql: &impl Sql, owner: &str) -> Result<(), SqlError> {
    sql.exec("DELETE FROM job WHERE owner = ?", &[owner.into()])?;
    Ok(())
}
