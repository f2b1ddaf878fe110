//! How a run ended and what follows for the job: a pure decision, and one guarded write.

use super::claim::Claim;
use super::record::{COLUMNS, Record};
use super::{Calendar, GIVEN_UP_KEPT, MEMORY_STRIKES, When};
use crate::failure::{Failure, FailureClass, Repetition, stored};
use crate::retry::back_off;
use flarebot_sql::{Sql, SqlError};

/// A run that did what it had to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The occurrence is done.
    Completed,
    /// The job wants to be run again at this instant, in milliseconds since 1970, as a new occurrence. An instant
    /// that has passed makes it yield: it runs again after what else is due.
    RescheduleAt(i64),
}

/// What a settlement led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The occurrence is done; a recurring job waits for its next one.
    Completed,
    /// The occurrence is tried again at this instant, in milliseconds since 1970.
    Repeated {
        /// When.
        at: i64,
    },
    /// The occurrence waits for the platform to recover, until this instant, in milliseconds since 1970.
    Deferred {
        /// Until when.
        at: i64,
    },
    /// The occurrence is given up; a recurring job waits for its next one, any other is kept to be looked at.
    GivenUp {
        /// Why.
        error: String,
    },
    /// The job was cancelled, replaced or taken by another run meanwhile. Nothing was changed.
    Overtaken,
}

/// Writes down how the run of `claim` ended. `random` is at least 0 and below 1.
///
/// It can be part of a larger transaction, so that what the run wrote counts exactly if the run does. When that
/// matters, check that it was not [`Settlement::Overtaken`].
///
/// # Errors
/// When the database refuses it. The job then stays claimed until a later process finds it.
pub fn settle(
    sql: &impl Sql,
    claim: &Claim,
    result: &Result<Outcome, Failure>,
    now: i64,
    random: f64,
    calendar: Calendar<'_>,
) -> Result<Settlement, SqlError> {
    sql.transaction(|| {
        let record: Option<Record> = sql.query_first(
            &format!("SELECT {COLUMNS} FROM job WHERE id = ? AND claim = ?"),
            &[claim.job_id.as_str().into(), claim.token.as_str().into()],
        )?;
        let Some(record) = record else {
            return Ok(Settlement::Overtaken);
        };
        let (next, settlement) = decide(&record, result, now, random, calendar);
        apply(sql, &record, next, now)?;
        Ok(settlement)
    })
}

/// What becomes of the row.
pub(super) enum Next {
    /// It goes.
    End,
    /// It stays without ever waking.
    GiveUp { error: String },
    /// It wakes again.
    Wake(Wake),
}

pub(super) struct Wake {
    due_at: i64,
    wake_at: i64,
    attempt: u32,
    deferrals: u32,
    strikes: u32,
    /// Kept apart from the claim: after newer code took over, the row stays claimed by a process that is gone, so
    /// that the next process takes it up at once.
    held: Held,
    error: Option<String>,
}

pub(super) enum Held {
    ByNobody,
    ByALostProcess,
}

fn decide(
    record: &Record,
    result: &Result<Outcome, Failure>,
    now: i64,
    random: f64,
    calendar: Calendar<'_>,
) -> (Next, Settlement) {
    let failure = match result {
        Ok(Outcome::Completed) => return (following(record, None, 0, now, calendar), Settlement::Completed),
        Ok(Outcome::RescheduleAt(at)) => {
            let wake = Wake {
                due_at: *at,
                wake_at: (*at).max(now),
                attempt: 0,
                deferrals: 0,
                strikes: 0,
                held: Held::ByNobody,
                error: None,
            };
            return (Next::Wake(wake), Settlement::Completed);
        }
        Err(failure) => failure,
    };
    let again = |at: i64, attempt: u32| Wake {
        due_at: record.job.due_at,
        wake_at: at,
        attempt,
        deferrals: record.deferrals,
        strikes: record.strikes,
        held: Held::ByNobody,
        error: Some(stored(&failure.message).to_owned()),
    };
    let give_up = |strikes: u32| {
        let error = stored(&failure.message).to_owned();
        (
            following(record, Some(error.clone()), strikes, now, calendar),
            Settlement::GivenUp { error },
        )
    };
    let policy = record.job.retry;
    let has_attempts = record.attempt < policy.maximum_attempts;
    let repeat = || {
        let at = now.saturating_add(policy.delay_after(record.attempt, random));
        (Next::Wake(again(at, record.attempt)), Settlement::Repeated { at })
    };
    // An attempt that failed through no fault of its own is not charged.
    let uncharged = record.attempt.saturating_sub(1);
    match failure.class {
        FailureClass::Superseded => {
            let at = now.saturating_add(back_off(1));
            let wake = Wake {
                held: Held::ByALostProcess,
                ..again(at, uncharged)
            };
            (Next::Wake(wake), Settlement::Deferred { at })
        }
        FailureClass::Transient if has_attempts => repeat(),
        FailureClass::Transient => {
            let deferrals = record.deferrals.saturating_add(1);
            let at = now.saturating_add(back_off(deferrals));
            let wake = Wake {
                deferrals,
                ..again(at, 0)
            };
            (Next::Wake(wake), Settlement::Deferred { at })
        }
        FailureClass::MemoryLimit => {
            let strikes = record.strikes.saturating_add(1);
            if strikes >= MEMORY_STRIKES {
                return give_up(strikes);
            }
            let at = now.saturating_add(back_off(strikes));
            let wake = Wake {
                strikes,
                ..again(at, uncharged)
            };
            (Next::Wake(wake), Settlement::Deferred { at })
        }
        FailureClass::Application if has_attempts && failure.repetition == Repetition::Allowed => repeat(),
        FailureClass::Application => give_up(record.strikes),
    }
}

/// What follows an occurrence that is over: the next one, or for a job that runs once its end.
pub(super) fn following(
    record: &Record,
    error: Option<String>,
    strikes: u32,
    now: i64,
    calendar: Calendar<'_>,
) -> Next {
    let due_at = match &record.job.when {
        When::After(_) | When::At(_) => None,
        When::Every(period) => Some(now.saturating_add(*period)),
        When::Cron(rule) => calendar(rule, now).filter(|instant| *instant > now),
    };
    match (due_at, error) {
        (Some(due_at), error) => Next::Wake(Wake {
            due_at,
            wake_at: due_at,
            attempt: 0,
            deferrals: 0,
            strikes,
            held: Held::ByNobody,
            error,
        }),
        (None, None) => Next::End,
        (None, Some(error)) => Next::GiveUp { error },
    }
}

pub(super) fn apply(sql: &impl Sql, record: &Record, next: Next, now: i64) -> Result<(), SqlError> {
    let id = record.job.id.as_str();
    match next {
        Next::End => {
            sql.exec("DELETE FROM job WHERE id = ?", &[id.into()])?;
        }
        Next::GiveUp { error } => {
            sql.exec(
                "UPDATE job SET wake_at = NULL, claim = NULL, claimed_by = NULL, claimed_at = NULL, last_error = ?, \
                 given_up_at = ? WHERE id = ?",
                &[error.into(), now.into(), id.into()],
            )?;
            sql.exec(
                "DELETE FROM job WHERE wake_at IS NULL AND id NOT IN (SELECT id FROM job WHERE wake_at IS NULL \
                 ORDER BY given_up_at DESC, id LIMIT ?)",
                &[GIVEN_UP_KEPT.into()],
            )?;
        }
        Next::Wake(wake) => {
            let claim = match wake.held {
                Held::ByNobody => "claim = NULL, claimed_by = NULL, claimed_at = NULL",
                Held::ByALostProcess => "claimed_by = ''",
            };
            sql.exec(
                &format!(
                    "UPDATE job SET due_at = ?, wake_at = ?, attempt = ?, deferrals = ?, strikes = ?, last_error = ?, \
                     {claim} WHERE id = ?"
                ),
                &[
                    wake.due_at.into(),
                    wake.wake_at.into(),
                    wake.attempt.into(),
                    wake.deferrals.into(),
                    wake.strikes.into(),
                    wake.error.into(),
                    id.into(),
                ],
            )?;
        }
    }
    Ok(())
}
