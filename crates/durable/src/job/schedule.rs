//! Writing a job, or finding the one that is there already.

use super::record::{COLUMNS, Record, kind};
use super::{Calendar, HUNG_AFTER, Idempotency, Job, JobError, JobState, LONGEST_INTERVAL, When};
use crate::acceptance::Acceptance;
use crate::retry::RetryPolicy;
use flarebot_sql::{MAXIMUM_VALUE_BYTES, Sql, SqlError, Value};

/// A job to be scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Whose it is; empty for the object itself.
    pub owner: String,
    /// What to do.
    pub callback: String,
    /// With what; at most [`MAXIMUM_VALUE_BYTES`].
    pub payload: String,
    /// When.
    pub when: When,
    /// Whether it may be there already.
    pub idempotency: Idempotency,
    /// How attempts are bounded.
    pub retry: RetryPolicy,
    /// After how long a run of an interval counts as hanging, in milliseconds above 0.
    pub hung_after: i64,
}

impl NewJob {
    /// A job of the object itself, with the defaults.
    pub fn new(callback: impl Into<String>, when: When) -> Self {
        Self {
            owner: String::new(),
            callback: callback.into(),
            payload: String::new(),
            when,
            idempotency: Idempotency::default(),
            retry: RetryPolicy::default(),
            hung_after: HUNG_AFTER,
        }
    }

    /// Whether scheduling it again finds it.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        match (self.idempotency, &self.when) {
            (Idempotency::Always, _) | (Idempotency::ByKind, When::Every(_) | When::Cron(_)) => true,
            (Idempotency::Never, _) | (Idempotency::ByKind, When::After(_) | When::At(_)) => false,
        }
    }

    fn validate(&self, id: &str) -> Result<(), JobError> {
        for (name, text) in [("id", id), ("callback", &self.callback)] {
            if text.trim().is_empty() {
                return Err(JobError::Blank(name));
            }
        }
        if self.payload.len() > MAXIMUM_VALUE_BYTES {
            return Err(JobError::PayloadTooLarge {
                maximum: MAXIMUM_VALUE_BYTES,
            });
        }
        if self.hung_after <= 0 {
            return Err(JobError::Interval);
        }
        Ok(self.retry.validate()?)
    }

    fn first_due(&self, now: i64, calendar: Calendar<'_>) -> Result<i64, JobError> {
        match &self.when {
            When::After(delay) if *delay < 0 => Err(JobError::NegativeDelay),
            When::After(delay) => Ok(now.saturating_add(*delay)),
            When::At(instant) => Ok(*instant),
            When::Every(period) if !(1..=LONGEST_INTERVAL).contains(period) => Err(JobError::Interval),
            When::Every(period) => Ok(now.saturating_add(*period)),
            When::Cron(rule) => calendar(rule, now)
                .filter(|instant| *instant > now)
                .ok_or_else(|| JobError::NoOccurrence(rule.clone())),
        }
    }

    fn rule(&self) -> &str {
        match &self.when {
            When::Cron(rule) => rule,
            When::After(_) | When::At(_) | When::Every(_) => "",
        }
    }

    /// The number of the rule: a delay, an instant or an interval.
    fn period(&self) -> i64 {
        match self.when {
            When::After(number) | When::At(number) | When::Every(number) => number,
            When::Cron(_) => 0,
        }
    }
}

/// What [`schedule`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    /// The job that is in the database now.
    pub job: Job,
    /// Whether this call put it there.
    pub acceptance: Acceptance,
}

/// Writes a job under `id`, unless it is idempotent and there already. A job of the same owner under the same id is
/// replaced, and what a run of it reports later changes nothing.
///
/// The alarm is to be derived again afterwards in either case, and set even if it seems to be right: finding the job is
/// how a lost alarm is repaired.
///
/// # Errors
/// [`JobError`] for a job that makes no sense, before anything is written.
pub fn schedule(
    sql: &impl Sql,
    id: &str,
    job: &NewJob,
    now: i64,
    calendar: Calendar<'_>,
) -> Result<Scheduled, JobError> {
    job.validate(id)?;
    let due_at = job.first_due(now, calendar)?;
    sql.transaction(|| {
        if job.is_idempotent()
            && let Some(found) = same(sql, job)?
        {
            if found.job.state != JobState::GivenUp {
                return Ok(Scheduled {
                    job: found.job,
                    acceptance: Acceptance::Existing,
                });
            }
            sql.exec("DELETE FROM job WHERE id = ?", &[found.job.id.into()])?;
        }
        let owner = sql.exec("SELECT owner FROM job WHERE id = ?", &[id.into()])?;
        if let Some(row) = owner.first()
            && row.text(0)? != job.owner
        {
            return Err(JobError::OwnedByAnother);
        }
        let record = insert(sql, id, job, due_at, now)?;
        Ok(Scheduled {
            job: record.job,
            acceptance: Acceptance::Accepted,
        })
    })
}

/// The idempotent job that says the same. What runs once is the same whatever its instant.
fn same(sql: &impl Sql, job: &NewJob) -> Result<Option<Record>, SqlError> {
    let mut parameters: Vec<Value> = vec![
        job.owner.as_str().into(),
        job.callback.as_str().into(),
        job.payload.as_str().into(),
    ];
    let condition = match job.when {
        When::After(_) | When::At(_) => "kind IN ('delayed', 'dated')",
        When::Every(_) | When::Cron(_) => {
            parameters.extend([kind(&job.when).into(), job.rule().into(), job.period().into()]);
            "kind = ? AND rule = ? AND period = ?"
        }
    };
    sql.query_first(
        &format!(
            "SELECT {COLUMNS} FROM job WHERE owner = ? AND callback = ? AND payload = ? AND idempotent = 1 AND {condition}"
        ),
        &parameters,
    )
}

fn insert(sql: &impl Sql, id: &str, job: &NewJob, due_at: i64, now: i64) -> Result<Record, SqlError> {
    let record = sql.query_first(
        &format!(
            "INSERT OR REPLACE INTO job (id, owner, callback, payload, kind, rule, period, idempotent, hung_after, \
             maximum_attempts, base_delay, maximum_delay, due_at, wake_at, created_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING {COLUMNS}"
        ),
        &[
            id.into(),
            job.owner.as_str().into(),
            job.callback.as_str().into(),
            job.payload.as_str().into(),
            kind(&job.when).into(),
            job.rule().into(),
            job.period().into(),
            i64::from(job.is_idempotent()).into(),
            job.hung_after.into(),
            job.retry.maximum_attempts.into(),
            job.retry.base_delay.into(),
            job.retry.maximum_delay.into(),
            due_at.into(),
            due_at.into(),
            now.into(),
        ],
    )?;
    record.ok_or(SqlError::Shape {
        column: 0,
        expected: "the job that was written",
    })
}
