//! Recovering fibers whose process is gone, within bounds that a dying process cannot forget.
//!
//! An attempt is counted before its hook runs and taken back when the hook fails, so what the count bounds is processes
//! that died in the hook. A hook that fails is bounded by time: it is tried again at growing distances until its fiber
//! is older than the maximum age. A fiber is never given up without one failed attempt.

use super::ledger::{inspect, resolve};
use super::record::MANAGED;
use super::run::clear;
use super::{Fiber, FiberError, FiberStatus, Resolution};
use crate::failure::stored;
use crate::retry::{FIRST_BACK_OFF, back_off};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// The bounds of recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryLimits {
    /// How old an unmanaged fiber may be whose hook fails before it is given up, in milliseconds; 0 is for ever.
    pub maximum_age: i64,
    /// How many processes may die in the hook of one fiber, at least 1.
    pub maximum_deaths: u32,
}

impl Default for RecoveryLimits {
    /// 24 hours and three processes.
    fn default() -> Self {
        Self {
            maximum_age: 24 * 60 * 60 * 1_000,
            maximum_deaths: 3,
        }
    }
}

/// Why a fiber is recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryReason {
    /// Its process ended while it ran.
    Interrupted,
}

/// What the recovery hook gets to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// Which fiber it was.
    pub id: String,
    /// What kind of work it was.
    pub name: String,
    /// Its last checkpoint; `None` if it never made one.
    pub snapshot: Option<String>,
    /// Its record, if it is managed: interrupted, with its key and metadata.
    pub record: Option<Fiber>,
    /// When it was started or accepted, in milliseconds since 1970.
    pub created_at: i64,
    /// Why it is recovered.
    pub reason: RecoveryReason,
}

/// One orphan, taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Orphan {
    /// The hook is to be called, and then [`recovered`] or [`threw`].
    Recover(Box<Recovery>),
    /// It had ended before its process died; its row is gone now.
    Ended,
    /// It is given up; its row is gone now.
    GivenUp(GivenUp),
}

/// A fiber that nobody will recover. A managed one stays interrupted in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// Which fiber.
    pub id: String,
    /// What kind of work it was.
    pub name: String,
    /// Why.
    pub reason: GivenUpReason,
}

/// Why a fiber is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUpReason {
    /// Its hook failed, and it is older than the maximum age.
    MaximumAgeExceeded,
    /// Too many processes died in its hook.
    ProcessesDied,
}

/// What a failed hook led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thrown {
    /// The fiber is managed: it stays interrupted, with the error.
    Interrupted,
    /// The hook is called again at this instant, in milliseconds since 1970, or at the next start.
    Repeated {
        /// When.
        at: i64,
    },
    /// The fiber is given up.
    GivenUp(GivenUp),
}

struct Run {
    id: String,
    name: String,
    kind: String,
    snapshot: Option<String>,
    deaths: u32,
    failures: u32,
    last_error: Option<String>,
    finished_at: Option<i64>,
    created_at: i64,
}

const COLUMNS: &str = "id, name, kind, snapshot, deaths, failures, last_error, finished_at, created_at";

impl FromRow for Run {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let count = |column| {
            u32::try_from(row.integer(column)?).map_err(|_| SqlError::Shape {
                column,
                expected: "a count",
            })
        };
        Ok(Self {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            kind: row.text(2)?.to_owned(),
            snapshot: row.optional_text(3)?.map(str::to_owned),
            deaths: count(4)?,
            failures: count(5)?,
            last_error: row.optional_text(6)?.map(str::to_owned),
            finished_at: row.optional_integer(7)?,
            created_at: row.integer(8)?,
        })
    }
}

impl Run {
    fn is_over_age(&self, limits: &RecoveryLimits, now: i64) -> bool {
        limits.maximum_age != 0 && self.created_at.saturating_add(limits.maximum_age) <= now
    }

    fn given_up(self, reason: GivenUpReason) -> GivenUp {
        GivenUp {
            id: self.id,
            name: self.name,
            reason,
        }
    }
}

/// Finds what earlier processes lost, for the process `instance` that starts: every orphan is due at once, whatever it
/// waited for, and a pending or running record without a run gets one, so that it is recovered as well.
///
/// # Errors
/// When the database refuses it.
pub fn find_lost(sql: &impl Sql, instance: &str, now: i64) -> Result<(), SqlError> {
    sql.transaction(|| {
        sql.exec(
            "UPDATE fiber_run SET retry_at = ? WHERE held_by <> ? AND retry_at > ?",
            &[now.into(), instance.into(), now.into()],
        )?;
        // The condition is word for word that of an index, which keeps a long ledger from being read at each start.
        sql.exec(
            "INSERT INTO fiber_run (id, name, kind, snapshot, held_by, retry_at, created_at) \
             SELECT id, name, ?, snapshot, '', ?, created_at FROM fiber \
             WHERE status IN ('pending', 'running') AND accepted_by <> ? \
             AND NOT EXISTS (SELECT 1 FROM fiber_run WHERE fiber_run.id = fiber.id)",
            &[MANAGED.into(), now.into(), instance.into()],
        )?;
        Ok(())
    })
}

/// Takes up the orphan that has waited longest; `None` when none is due. The attempt is counted before this returns, and
/// the process `instance` has the fiber until [`recovered`] or [`threw`].
///
/// # Errors
/// When the database refuses it.
pub fn take_orphan(
    sql: &impl Sql,
    instance: &str,
    limits: &RecoveryLimits,
    now: i64,
) -> Result<Option<Orphan>, SqlError> {
    sql.transaction(|| {
        let run = sql.query_first(
            &format!(
                "SELECT {COLUMNS} FROM fiber_run WHERE held_by <> ? AND retry_at <= ? \
                 ORDER BY retry_at, created_at, id LIMIT 1"
            ),
            &[instance.into(), now.into()],
        )?;
        run.map(|run| take(sql, run, instance, limits, now)).transpose()
    })
}

/// Takes up one orphan, due or not; `None` when the fiber is none.
///
/// # Errors
/// When the database refuses it.
pub fn take_orphan_of(
    sql: &impl Sql,
    id: &str,
    instance: &str,
    limits: &RecoveryLimits,
    now: i64,
) -> Result<Option<Orphan>, SqlError> {
    sql.transaction(|| {
        let run = sql.query_first(
            &format!("SELECT {COLUMNS} FROM fiber_run WHERE id = ? AND held_by <> ?"),
            &[id.into(), instance.into()],
        )?;
        run.map(|run| take(sql, run, instance, limits, now)).transpose()
    })
}

fn take(
    sql: &impl Sql,
    run: Run,
    instance: &str,
    limits: &RecoveryLimits,
    now: i64,
) -> Result<Orphan, SqlError> {
    let managed = run.kind == MANAGED;
    let record = if managed { inspect(sql, &run.id)? } else { None };
    let ended = match &record {
        Some(record) => record.status.is_terminal(),
        None => managed || run.finished_at.is_some(),
    };
    if ended {
        clear(sql, &run.id)?;
        return Ok(Orphan::Ended);
    }
    if run.deaths >= limits.maximum_deaths.max(1) {
        let error = format!("the process ended in each of {} recoveries", run.deaths);
        interrupt(sql, &run, Some(&error))?;
        clear(sql, &run.id)?;
        return Ok(Orphan::GivenUp(run.given_up(GivenUpReason::ProcessesDied)));
    }
    if run.last_error.is_some() && run.is_over_age(limits, now) {
        clear(sql, &run.id)?;
        return Ok(Orphan::GivenUp(run.given_up(GivenUpReason::MaximumAgeExceeded)));
    }
    sql.exec(
        "UPDATE fiber_run SET held_by = ?, deaths = deaths + 1 WHERE id = ?",
        &[instance.into(), run.id.as_str().into()],
    )?;
    interrupt(sql, &run, None)?;
    let record = if managed { inspect(sql, &run.id)? } else { None };
    Ok(Orphan::Recover(Box::new(Recovery {
        id: run.id,
        name: run.name,
        snapshot: run.snapshot,
        record,
        created_at: run.created_at,
        reason: RecoveryReason::Interrupted,
    })))
}

/// Marks the record of a managed fiber as interrupted; an unmanaged one has none.
fn interrupt(sql: &impl Sql, run: &Run, error: Option<&str>) -> Result<(), SqlError> {
    sql.exec(
        "UPDATE fiber SET status = ?, error = coalesce(?, error) WHERE id = ? AND status IN (?, ?, ?)",
        &[
            FiberStatus::Interrupted.word().into(),
            error.into(),
            run.id.as_str().into(),
            FiberStatus::Pending.word().into(),
            FiberStatus::Running.word().into(),
            FiberStatus::Interrupted.word().into(),
        ],
    )?;
    Ok(())
}

/// The hook has done its work: the row of the run goes, and a managed fiber becomes what the hook says; without a
/// resolution it stays interrupted. What had failed before is tried again soon, since the cause may have gone.
///
/// # Errors
/// [`FiberError::TooLarge`] for a resolution that does not fit; nothing is changed then.
pub fn recovered(
    sql: &impl Sql,
    id: &str,
    resolution: Option<&Resolution>,
    now: i64,
) -> Result<(), FiberError> {
    sql.transaction(|| {
        if let Some(resolution) = resolution {
            resolve(sql, id, resolution, now)?;
        }
        clear(sql, id)?;
        let soon = now.saturating_add(FIRST_BACK_OFF);
        sql.exec(
            "UPDATE fiber_run SET failures = 0, retry_at = min(retry_at, ?) WHERE failures > 0",
            &[soon.into()],
        )?;
        Ok(())
    })
}

/// The hook failed: a managed fiber stays interrupted with the error, an unmanaged one is tried again later unless it
/// is too old.
///
/// # Errors
/// When the database refuses it.
pub fn threw(
    sql: &impl Sql,
    id: &str,
    error: &str,
    limits: &RecoveryLimits,
    now: i64,
) -> Result<Thrown, SqlError> {
    let error = stored(error);
    sql.transaction(|| {
        let run: Option<Run> = sql.query_first(
            &format!("SELECT {COLUMNS} FROM fiber_run WHERE id = ?"),
            &[id.into()],
        )?;
        let Some(run) = run else {
            return Ok(Thrown::Interrupted);
        };
        if run.kind == MANAGED {
            sql.exec(
                "UPDATE fiber SET error = ? WHERE id = ? AND status = ?",
                &[error.into(), id.into(), FiberStatus::Interrupted.word().into()],
            )?;
            clear(sql, id)?;
            return Ok(Thrown::Interrupted);
        }
        if run.is_over_age(limits, now) {
            clear(sql, id)?;
            return Ok(Thrown::GivenUp(run.given_up(GivenUpReason::MaximumAgeExceeded)));
        }
        let failures = run.failures.saturating_add(1);
        let at = now.saturating_add(back_off(failures));
        sql.exec(
            "UPDATE fiber_run SET held_by = '', deaths = max(deaths - 1, 0), failures = ?, last_error = ?, \
             retry_at = ? WHERE id = ?",
            &[failures.into(), error.into(), at.into(), id.into()],
        )?;
        Ok(Thrown::Repeated { at })
    })
}

/// When the next orphan is due, in milliseconds since 1970; a contribution to [`crate::alarm::next`].
///
/// # Errors
/// When the database refuses it.
pub fn next_orphan_due(sql: &impl Sql, instance: &str) -> Result<Option<i64>, SqlError> {
    let rows = sql.exec(
        "SELECT min(retry_at) FROM fiber_run WHERE held_by <> ?",
        &[instance.into()],
    )?;
    rows.first().map_or(Ok(None), |row| row.optional_integer(0))
}
