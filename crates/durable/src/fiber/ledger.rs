//! The ledger of managed fibers: accepted once, moved on by guarded writes, kept until deleted.

use super::record::{COLUMNS, MANAGED};
use super::run::insert;
use super::{
    Fiber, FiberEnd, FiberError, FiberStatus, MAXIMUM_METADATA_BYTES, NewFiber, Receipt, Resolution,
};
use crate::acceptance::Acceptance;
use crate::failure::stored;
use flarebot_sql::{MAXIMUM_VALUE_BYTES, Sql, SqlError, Value};

/// How many fibers [`list`] gives at most.
const LIST_CAP: u32 = 100;
/// How many fibers [`delete`] deletes at most.
const DELETE_CAP: u32 = 500;

/// Accepts a fiber as pending, or finds the one that has its id or its key. `fresh_id` is used when it brings none.
///
/// # Errors
/// [`FiberError::Blank`], [`FiberError::Conflict`] and [`FiberError::TooLarge`], each before anything is written.
pub fn accept(
    sql: &impl Sql,
    fiber: &NewFiber,
    fresh_id: &str,
    instance: &str,
    now: i64,
) -> Result<Receipt, FiberError> {
    let id = fiber.id.as_deref().unwrap_or(fresh_id);
    let key = fiber.idempotency_key.as_deref();
    for (what, text) in [
        ("name", Some(fiber.name.as_str())),
        ("id", Some(id)),
        ("key", key),
    ] {
        if text.is_some_and(|text| text.trim().is_empty()) {
            return Err(FiberError::Blank(what));
        }
    }
    bounded("metadata", fiber.metadata.as_deref(), MAXIMUM_METADATA_BYTES)?;
    sql.transaction(|| {
        let by_id = inspect(sql, id)?;
        let by_key = match key {
            Some(key) => inspect_by_key(sql, key)?,
            None => None,
        };
        let existing = match (by_id, by_key) {
            (Some(by_id), Some(by_key)) if by_id.id != by_key.id => return Err(FiberError::Conflict),
            (Some(by_id), None) if key.is_some() && by_id.idempotency_key.as_deref() != key => {
                return Err(FiberError::Conflict);
            }
            (Some(found), _) | (None, Some(found)) => Some(found),
            (None, None) => None,
        };
        if let Some(fiber) = existing {
            return Ok(Receipt {
                fiber,
                acceptance: Acceptance::Existing,
            });
        }
        let inserted = sql.query_first(
            &format!(
                "INSERT INTO fiber (id, name, idempotency_key, status, metadata, accepted_by, created_at) \
                 VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING {COLUMNS}"
            ),
            &[
                id.into(),
                fiber.name.as_str().into(),
                key.into(),
                FiberStatus::Pending.word().into(),
                fiber.metadata.as_deref().into(),
                instance.into(),
                now.into(),
            ],
        )?;
        Ok(Receipt {
            fiber: inserted.ok_or(FiberError::NotRunning)?,
            acceptance: Acceptance::Accepted,
        })
    })
}

/// Starts a pending fiber in the process `instance`; `false` when it is not pending any more and must not run.
///
/// # Errors
/// When the database refuses it; the fiber is still pending then.
pub fn begin(sql: &impl Sql, id: &str, instance: &str, now: i64) -> Result<bool, SqlError> {
    sql.transaction(|| {
        let rows = sql.exec(
            "UPDATE fiber SET status = ?, started_at = ? WHERE id = ? AND status = ? RETURNING name",
            &[
                FiberStatus::Running.word().into(),
                now.into(),
                id.into(),
                FiberStatus::Pending.word().into(),
            ],
        )?;
        let Some(row) = rows.first() else {
            return Ok(false);
        };
        insert(sql, id, row.text(0)?, MANAGED, instance, now)?;
        Ok(true)
    })
}

/// Writes down how a fiber ended, best in one transaction with what it did; `false` when something else was written
/// before, such as a cancel. What was written before stays.
///
/// # Errors
/// When the database refuses it.
pub fn settle(sql: &impl Sql, id: &str, end: &FiberEnd, now: i64) -> Result<bool, SqlError> {
    let (status, error) = match end {
        FiberEnd::Completed => (FiberStatus::Completed, None),
        FiberEnd::Error(error) => (FiberStatus::Error, Some(stored(error))),
    };
    leave_active(sql, id, status, error, now)
}

/// Cancels a fiber that is pending or running; `false` when there is none such.
///
/// # Errors
/// When the database refuses it.
pub fn cancel(sql: &impl Sql, id: &str, reason: Option<&str>, now: i64) -> Result<bool, SqlError> {
    leave_active(sql, id, FiberStatus::Aborted, reason.map(stored), now)
}

fn leave_active(
    sql: &impl Sql,
    id: &str,
    status: FiberStatus,
    error: Option<&str>,
    now: i64,
) -> Result<bool, SqlError> {
    let rows = sql.exec(
        "UPDATE fiber SET status = ?, error = ?, settled_at = ? WHERE id = ? AND status IN (?, ?) RETURNING id",
        &[
            status.word().into(),
            error.into(),
            now.into(),
            id.into(),
            FiberStatus::Pending.word().into(),
            FiberStatus::Running.word().into(),
        ],
    )?;
    Ok(!rows.is_empty())
}

/// Says what becomes of an interrupted fiber; `false` when it is not interrupted.
///
/// # Errors
/// [`FiberError::TooLarge`] for a snapshot or metadata that does not fit.
pub fn resolve(sql: &impl Sql, id: &str, resolution: &Resolution, now: i64) -> Result<bool, FiberError> {
    let (status, error, snapshot, metadata) = match resolution {
        Resolution::Completed { snapshot, metadata } => {
            (FiberStatus::Completed, None, snapshot, metadata.as_deref())
        }
        Resolution::Error { error, snapshot } => (FiberStatus::Error, Some(error.as_str()), snapshot, None),
        Resolution::Aborted { reason, snapshot } => (FiberStatus::Aborted, reason.as_deref(), snapshot, None),
        Resolution::Interrupted { error, snapshot } => {
            (FiberStatus::Interrupted, error.as_deref(), snapshot, None)
        }
    };
    bounded("snapshot", snapshot.as_deref(), MAXIMUM_VALUE_BYTES)?;
    bounded("metadata", metadata, MAXIMUM_METADATA_BYTES)?;
    let rows = sql.exec(
        "UPDATE fiber SET status = ?, error = ?, snapshot = coalesce(?, snapshot), \
         metadata = coalesce(?, metadata), settled_at = ? WHERE id = ? AND status = ? RETURNING id",
        &[
            status.word().into(),
            error.map(stored).into(),
            snapshot.as_deref().into(),
            metadata.into(),
            status.is_terminal().then_some(now).into(),
            id.into(),
            FiberStatus::Interrupted.word().into(),
        ],
    )?;
    Ok(!rows.is_empty())
}

fn bounded(what: &'static str, text: Option<&str>, maximum: usize) -> Result<(), FiberError> {
    if text.is_some_and(|text| text.len() > maximum) {
        return Err(FiberError::TooLarge { what, maximum });
    }
    Ok(())
}

/// The fiber with this id.
///
/// # Errors
/// When the database refuses it.
pub fn inspect(sql: &impl Sql, id: &str) -> Result<Option<Fiber>, SqlError> {
    sql.query_first(&format!("SELECT {COLUMNS} FROM fiber WHERE id = ?"), &[id.into()])
}

/// The fiber with this idempotency key.
///
/// # Errors
/// When the database refuses it.
pub fn inspect_by_key(sql: &impl Sql, key: &str) -> Result<Option<Fiber>, SqlError> {
    sql.query_first(
        &format!("SELECT {COLUMNS} FROM fiber WHERE idempotency_key = ?"),
        &[key.into()],
    )
}

/// Which fibers to list. `None` is no condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFibers {
    /// In which status.
    pub status: Option<FiberStatus>,
    /// With which name.
    pub name: Option<String>,
    /// How many at most; never more than 100.
    pub limit: u32,
}

impl Default for ListFibers {
    fn default() -> Self {
        Self {
            status: None,
            name: None,
            limit: 50,
        }
    }
}

/// Lists fibers, the newest first.
///
/// # Errors
/// When the database refuses it.
pub fn list(sql: &impl Sql, options: &ListFibers) -> Result<Vec<Fiber>, SqlError> {
    sql.query(
        &format!(
            "SELECT {COLUMNS} FROM fiber WHERE status = coalesce(?, status) AND name = coalesce(?, name) \
             ORDER BY created_at DESC, id DESC LIMIT ?"
        ),
        &[
            options.status.map(FiberStatus::word).into(),
            options.name.as_deref().into(),
            options.limit.min(LIST_CAP).into(),
        ],
    )
}

/// Which fibers to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteFibers {
    /// In which status. Pending and running fibers are never deleted.
    pub statuses: Vec<FiberStatus>,
    /// Settled before this instant, in milliseconds since 1970; of interrupted ones, created before it.
    pub settled_before: Option<i64>,
    /// How many at most; never more than 500.
    pub limit: u32,
}

impl Default for DeleteFibers {
    /// What is completed, failed or aborted. Interrupted fibers wait for somebody to decide about them.
    fn default() -> Self {
        Self {
            statuses: vec![FiberStatus::Completed, FiberStatus::Error, FiberStatus::Aborted],
            settled_before: None,
            limit: 100,
        }
    }
}

/// Deletes fibers, those that settled first before others; how many it deleted.
///
/// # Errors
/// When the database refuses it.
pub fn delete(sql: &impl Sql, options: &DeleteFibers) -> Result<usize, SqlError> {
    let mut statuses = options.statuses.clone();
    statuses.retain(|status| !status.is_active());
    statuses.sort_unstable();
    statuses.dedup();
    if statuses.is_empty() {
        return Ok(0);
    }
    let places = vec!["?"; statuses.len()].join(", ");
    let mut parameters: Vec<Value> = statuses.iter().map(|status| status.word().into()).collect();
    parameters.push(options.settled_before.into());
    parameters.push(options.limit.min(DELETE_CAP).into());
    sql.transaction(|| {
        let rows = sql.exec(
            &format!(
                "DELETE FROM fiber WHERE id IN (SELECT id FROM fiber WHERE status IN ({places}) \
                 AND coalesce(settled_at, created_at) < coalesce(?, coalesce(settled_at, created_at) + 1) \
                 ORDER BY coalesce(settled_at, created_at), id LIMIT ?) RETURNING id"
            ),
            &parameters,
        )?;
        // A run without a record would have nothing to be recovered into.
        sql.exec(
            "DELETE FROM fiber_run WHERE kind = ? AND id NOT IN (SELECT id FROM fiber)",
            &[MANAGED.into()],
        )?;
        Ok(rows.len())
    })
}
