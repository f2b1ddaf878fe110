//! The row of a running fiber: its checkpoint, and the mark that it has ended.

use super::record::{MANAGED, UNMANAGED};
use super::{FiberError, FiberStatus};
use flarebot_sql::{MAXIMUM_VALUE_BYTES, Sql, SqlError};

/// Writes the row of an unmanaged fiber that the process `instance` is about to run.
///
/// # Errors
/// [`FiberError::Blank`] for a name without a visible character, or whatever the database refuses.
pub fn register(sql: &impl Sql, id: &str, name: &str, instance: &str, now: i64) -> Result<(), FiberError> {
    if name.trim().is_empty() {
        return Err(FiberError::Blank("name"));
    }
    insert(sql, id, name, UNMANAGED, instance, now)?;
    Ok(())
}

pub(super) fn insert(
    sql: &impl Sql,
    id: &str,
    name: &str,
    kind: &str,
    instance: &str,
    now: i64,
) -> Result<(), SqlError> {
    sql.exec(
        "INSERT INTO fiber_run (id, name, kind, held_by, retry_at, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        &[
            id.into(),
            name.into(),
            kind.into(),
            instance.into(),
            now.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Replaces the checkpoint of a running fiber, whole. It is in the database when this returns.
///
/// # Errors
/// [`FiberError::TooLarge`] above [`MAXIMUM_VALUE_BYTES`]; [`FiberError::NotRunning`] once the fiber has ended or was
/// cancelled.
pub fn stash(sql: &impl Sql, id: &str, snapshot: &str) -> Result<(), FiberError> {
    if snapshot.len() > MAXIMUM_VALUE_BYTES {
        return Err(FiberError::TooLarge {
            what: "snapshot",
            maximum: MAXIMUM_VALUE_BYTES,
        });
    }
    sql.transaction(|| {
        let rows = sql.exec(
            "UPDATE fiber_run SET snapshot = ? WHERE id = ? AND finished_at IS NULL RETURNING kind",
            &[snapshot.into(), id.into()],
        )?;
        let run = rows.first().ok_or(FiberError::NotRunning)?;
        if run.text(0)? == MANAGED {
            let rows = sql.exec(
                "UPDATE fiber SET snapshot = ? WHERE id = ? AND status = ? RETURNING id",
                &[snapshot.into(), id.into(), FiberStatus::Running.word().into()],
            )?;
            rows.first().ok_or(FiberError::NotRunning)?;
        }
        Ok(())
    })
}

/// The last checkpoint of a running fiber.
///
/// # Errors
/// When the database refuses it.
pub fn snapshot(sql: &impl Sql, id: &str) -> Result<Option<String>, SqlError> {
    let rows = sql.exec("SELECT snapshot FROM fiber_run WHERE id = ?", &[id.into()])?;
    match rows.first() {
        Some(row) => Ok(row.optional_text(0)?.map(str::to_owned)),
        None => Ok(None),
    }
}

/// Marks an unmanaged fiber as ended, best in one transaction with its result; `false` when it has ended before.
///
/// # Errors
/// When the database refuses it.
pub fn finish(sql: &impl Sql, id: &str, now: i64) -> Result<bool, SqlError> {
    let rows = sql.exec(
        "UPDATE fiber_run SET finished_at = ? WHERE id = ? AND kind = ? AND finished_at IS NULL RETURNING id",
        &[now.into(), id.into(), UNMANAGED.into()],
    )?;
    Ok(!rows.is_empty())
}

/// Deletes the row of a fiber that has ended. It may fail: what has ended is not recovered.
///
/// # Errors
/// When the database refuses it.
pub fn clear(sql: &impl Sql, id: &str) -> Result<(), SqlError> {
    sql.exec("DELETE FROM fiber_run WHERE id = ?", &[id.into()])?;
    Ok(())
}

/// Makes a fiber an orphan whose body was dropped before its end, so that it is recovered as if its process had died.
///
/// # Errors
/// When the database refuses it.
pub fn release(sql: &impl Sql, id: &str) -> Result<(), SqlError> {
    sql.exec(
        "UPDATE fiber_run SET held_by = '' WHERE id = ? AND finished_at IS NULL",
        &[id.into()],
    )?;
    Ok(())
}
