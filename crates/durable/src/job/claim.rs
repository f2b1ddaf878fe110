//! Taking what is due, and finding runs that were lost or hang.

use super::record::{COLUMNS, Record};
use super::settle::{Next, apply, following};
use super::{Calendar, Job, JobRun, WATCH_INTERVAL, When};
use flarebot_sql::{Sql, SqlError};

/// The right to settle one run of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The job that was taken.
    pub job_id: String,
    /// Which run has it.
    pub token: String,
}

/// What [`claim_due`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claims {
    /// What is to be run now.
    pub taken: Vec<Claim>,
    /// What somebody should hear of.
    pub notices: Vec<Notice>,
}

/// Something about a job that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A run of an interval took too long and was passed over; the job is run anew.
    Hung(Job),
    /// The process of the last attempt died in it. The occurrence is given up.
    Lost(Job),
}

enum Decision {
    Take { attempt: u32, due_at: i64, hung: bool },
    Watch { until: i64 },
    GiveUp,
}

/// Takes at most `limit` of the jobs that are due at `now` for runs in the process `instance`, and sets when to look at
/// them again. `token` makes a name for each run that was never used.
///
/// A run starts with [`begin`], since anything may have happened to its job meanwhile. What was taken and not begun is
/// not charged when the process dies.
///
/// # Errors
/// When the database refuses it; nothing is taken then.
pub fn claim_due(
    sql: &impl Sql,
    instance: &str,
    now: i64,
    limit: u32,
    mut token: impl FnMut() -> String,
    calendar: Calendar<'_>,
) -> Result<Claims, SqlError> {
    sql.transaction(|| {
        let due: Vec<Record> = sql.query(
            &format!("SELECT {COLUMNS} FROM job WHERE wake_at <= ? ORDER BY wake_at, due_at, id LIMIT ?"),
            &[now.into(), limit.into()],
        )?;
        let mut claims = Claims::default();
        for record in due {
            let id = record.job.id.as_str();
            match decide(&record, instance, now) {
                Decision::Take {
                    attempt,
                    due_at,
                    hung,
                } => {
                    let claim = Claim {
                        job_id: id.to_owned(),
                        token: token(),
                    };
                    sql.exec(
                        "UPDATE job SET claim = ?, claimed_by = ?, claimed_at = ?, attempt = ?, due_at = ?, wake_at = ? \
                         WHERE id = ?",
                        &[
                            claim.token.as_str().into(),
                            instance.into(),
                            now.into(),
                            attempt.into(),
                            due_at.into(),
                            next_look(&record, now, now).into(),
                            id.into(),
                        ],
                    )?;
                    claims.taken.push(claim);
                    if hung {
                        claims.notices.push(Notice::Hung(record.job));
                    }
                }
                Decision::Watch { until } => {
                    sql.exec(
                        "UPDATE job SET wake_at = ? WHERE id = ?",
                        &[until.into(), id.into()],
                    )?;
                }
                Decision::GiveUp => {
                    let error = format!("the process ended in each of {} attempts", record.attempt);
                    let next: Next = following(&record, Some(error), record.strikes, now, calendar);
                    apply(sql, &record, next, now)?;
                    claims.notices.push(Notice::Lost(record.job));
                }
            }
        }
        Ok(claims)
    })
}

fn decide(record: &Record, instance: &str, now: i64) -> Decision {
    let again = |attempt: u32| Decision::Take {
        attempt,
        due_at: record.job.due_at,
        hung: false,
    };
    match &record.holder {
        None => again(record.attempt),
        Some(holder) if holder.instance != instance => {
            if record.attempt < record.job.retry.maximum_attempts {
                again(record.attempt)
            } else {
                Decision::GiveUp
            }
        }
        Some(holder) => match next_look(record, holder.since, now) {
            until if until > now => Decision::Watch { until },
            _ => Decision::Take {
                attempt: 0,
                due_at: now,
                hung: true,
            },
        },
    }
}

/// When to look at a job that has been running since `since`: an interval when it would hang, any other in a while.
fn next_look(record: &Record, since: i64, now: i64) -> i64 {
    match record.job.when {
        When::Every(_) => since.saturating_add(record.hung_after),
        When::After(_) | When::At(_) | When::Cron(_) => now.saturating_add(WATCH_INTERVAL),
    }
}

/// Begins the run of a claim: the attempt is counted, and the job is read as it is now. `None` when the claim no longer
/// holds and nothing is to be run.
///
/// # Errors
/// When the database refuses it; nothing is to be run then.
pub fn begin(sql: &impl Sql, claim: &Claim) -> Result<Option<JobRun>, SqlError> {
    let record: Option<Record> = sql.query_first(
        &format!("UPDATE job SET attempt = attempt + 1 WHERE id = ? AND claim = ? RETURNING {COLUMNS}"),
        &[claim.job_id.as_str().into(), claim.token.as_str().into()],
    )?;
    Ok(record.map(|record| JobRun {
        attempt: record.attempt,
        job: record.job,
        claim: claim.clone(),
    }))
}

/// Makes every job due that a run in an earlier process had taken, for a process that starts.
///
/// # Errors
/// When the database refuses it.
pub fn release_lost(sql: &impl Sql, instance: &str, now: i64) -> Result<(), SqlError> {
    sql.exec(
        "UPDATE job SET wake_at = ? WHERE claimed_by IS NOT NULL AND claimed_by <> ? AND wake_at > ?",
        &[now.into(), instance.into(), now.into()],
    )?;
    Ok(())
}

/// When a job has to be looked at next, in milliseconds since 1970; a contribution to [`crate::alarm::next`].
///
/// # Errors
/// When the database refuses it.
pub fn next_wake(sql: &impl Sql) -> Result<Option<i64>, SqlError> {
    let rows = sql.exec("SELECT min(wake_at) FROM job", &[])?;
    rows.first().map_or(Ok(None), |row| row.optional_integer(0))
}
