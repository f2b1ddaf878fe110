//! A job's row, whole: what its owner sees, and what the engine needs beside it.

use super::{Job, JobState, When};
use crate::retry::RetryPolicy;
use flarebot_sql::{FromRow, Row, SqlError};

/// The columns of [`Record`], in its order.
pub(super) const COLUMNS: &str = "id, owner, callback, payload, kind, rule, period, hung_after, maximum_attempts, \
     base_delay, maximum_delay, due_at, wake_at, attempt, deferrals, strikes, claim, claimed_by, claimed_at, \
     last_error, created_at";

pub(super) struct Record {
    pub(super) job: Job,
    pub(super) hung_after: i64,
    /// Attempts at the present occurrence that have begun.
    pub(super) attempt: u32,
    /// How often in a row it was put off because the platform failed.
    pub(super) deferrals: u32,
    /// Memory-limit failures since an occurrence last succeeded.
    pub(super) strikes: u32,
    pub(super) holder: Option<Holder>,
}

/// The process that runs a job, and since when.
pub(super) struct Holder {
    pub(super) instance: String,
    pub(super) since: i64,
}

/// The words for [`When`] in the database.
pub(super) fn kind(when: &When) -> &'static str {
    match when {
        When::After(_) => "delayed",
        When::At(_) => "dated",
        When::Every(_) => "interval",
        When::Cron(_) => "cron",
    }
}

impl FromRow for Record {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let due_at = row.integer(11)?;
        let wake_at = row.optional_integer(12)?;
        let holder = match row.optional_text(17)? {
            Some(instance) => Some(Holder {
                instance: instance.to_owned(),
                // A run of which nobody knows when it began hangs.
                since: row.optional_integer(18)?.unwrap_or(i64::MIN),
            }),
            None => None,
        };
        let when = match row.text(4)? {
            "delayed" => When::After(row.integer(6)?),
            "dated" => When::At(row.integer(6)?),
            "interval" => When::Every(row.integer(6)?),
            "cron" => When::Cron(row.text(5)?.to_owned()),
            _ => {
                return Err(SqlError::Shape {
                    column: 4,
                    expected: "a kind of job",
                });
            }
        };
        let state = match (wake_at, &holder) {
            (None, _) => JobState::GivenUp,
            (Some(_), Some(_)) => JobState::Running,
            (Some(_), None) => JobState::Waiting,
        };
        Ok(Self {
            job: Job {
                id: row.text(0)?.to_owned(),
                owner: row.text(1)?.to_owned(),
                callback: row.text(2)?.to_owned(),
                payload: row.text(3)?.to_owned(),
                when,
                retry: RetryPolicy {
                    maximum_attempts: count(row, 8)?,
                    base_delay: row.integer(9)?,
                    maximum_delay: row.integer(10)?,
                },
                due_at,
                state,
                last_error: row.optional_text(19)?.map(str::to_owned),
                created_at: row.integer(20)?,
            },
            hung_after: row.integer(7)?,
            attempt: count(row, 13)?,
            deferrals: count(row, 14)?,
            strikes: count(row, 15)?,
            holder,
        })
    }
}

fn count(row: &Row, column: usize) -> Result<u32, SqlError> {
    u32::try_from(row.integer(column)?).map_err(|_| SqlError::Shape {
        column,
        expected: "a count",
    })
}
