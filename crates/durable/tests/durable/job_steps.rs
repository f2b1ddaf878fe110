//! One step of a job at a time, with what tests need filled in.

use crate::common::calendar;
use flarebot_durable::failure::{Failure, FailureClass};
use flarebot_durable::job::{self, Claim, Claims, Job, JobRun, NewJob, Outcome, Scheduled, Settlement};
use flarebot_sql::native::Database;
use std::cell::Cell;

pub(crate) const HERE: &str = "process 1";
pub(crate) const LATER: &str = "process 2";

thread_local! {
    static TOKENS: Cell<u32> = const { Cell::new(0) };
}

pub(crate) fn token() -> String {
    TOKENS.set(TOKENS.get() + 1);
    format!("run {}", TOKENS.get())
}

pub(crate) fn schedule(sql: &Database, id: &str, job: &NewJob, now: i64) -> Scheduled {
    job::schedule(sql, id, job, now, &calendar).unwrap()
}

pub(crate) fn claim(sql: &Database, instance: &str, now: i64) -> Claims {
    job::claim_due(sql, instance, now, 100, token, &calendar).unwrap()
}

/// Claims the one job that is due.
pub(crate) fn take(sql: &Database, now: i64) -> Claim {
    let claims = claim(sql, HERE, now);
    assert_eq!(claims.notices, []);
    let [claim] = claims.taken.as_slice() else {
        panic!("one job should be due at {now}: {claims:?}");
    };
    claim.clone()
}

pub(crate) fn settle(
    sql: &Database,
    claim: &Claim,
    result: Result<Outcome, Failure>,
    now: i64,
) -> Settlement {
    job::settle(sql, claim, &result, now, 0.5, &calendar).unwrap()
}

pub(crate) fn find(sql: &Database, id: &str) -> Option<Job> {
    job::get(sql, "", id).unwrap()
}

pub(crate) fn failure(class: FailureClass) -> Failure {
    Failure {
        class,
        ..Failure::application("it broke")
    }
}

/// Claims the one job that is due and begins its run.
pub(crate) fn start(sql: &Database, now: i64) -> (Claim, JobRun) {
    let claim = take(sql, now);
    let run = job::begin(sql, &claim).unwrap().unwrap();
    (claim, run)
}

/// A whole attempt at the one job that is due.
pub(crate) fn attempt(sql: &Database, now: i64, result: Result<Outcome, Failure>) -> Settlement {
    let (claim, _) = start(sql, now);
    settle(sql, &claim, result, now)
}
