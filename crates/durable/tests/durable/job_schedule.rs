//! Scheduling jobs, finding them again, looking them up and taking them away.

use crate::common::{calendar, database};
use crate::job_steps::{attempt, find, schedule};
use flarebot_durable::Acceptance;
use flarebot_durable::failure::Failure;
use flarebot_durable::job::{
    self, GIVEN_UP_KEPT, Idempotency, JobError, JobFilter, LONGEST_INTERVAL, NewJob, When,
};
use flarebot_durable::retry::{RetryPolicy, RetryPolicyError};

#[test]
fn each_kind_of_job_is_due_when_its_rule_says() {
    let cases = [
        (When::After(500), 1_500),
        (When::At(700), 700),
        (When::At(9_000), 9_000),
        (When::Every(60_000), 61_000),
        (When::Cron("every 400".to_owned()), 1_200),
    ];
    for (when, due_at) in cases {
        let sql = database();
        let scheduled = schedule(&sql, "a", &NewJob::new("work", when.clone()), 1_000);
        assert_eq!(scheduled.acceptance, Acceptance::Accepted);
        assert_eq!(scheduled.job.when, when);
        assert_eq!(scheduled.job.due_at, due_at);
        assert_eq!(job::next_wake(&sql).unwrap(), Some(due_at));
        assert_eq!(find(&sql, "a"), Some(scheduled.job));
    }
}

#[test]
fn a_recurring_job_scheduled_on_every_start_is_one_job() {
    for when in [When::Every(1_000), When::Cron("every 1000".to_owned())] {
        let sql = database();
        let job = NewJob::new("sweep", when);
        for start in 0..50 {
            let scheduled = schedule(&sql, &format!("job {start}"), &job, start);
            assert_eq!(scheduled.job.id, "job 0");
        }
        let other = NewJob {
            payload: "other".to_owned(),
            ..job.clone()
        };
        assert_eq!(
            schedule(&sql, "other", &other, 50).acceptance,
            Acceptance::Accepted
        );
        let duplicate = NewJob {
            idempotency: Idempotency::Never,
            ..job
        };
        assert_eq!(
            schedule(&sql, "duplicate", &duplicate, 50).acceptance,
            Acceptance::Accepted
        );
        assert_eq!(job::list(&sql, &JobFilter::default(), 100).unwrap().len(), 3);
    }
}

#[test]
fn another_interval_or_expression_is_another_job() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("sweep", When::Every(1_000)), 0);
    schedule(&sql, "b", &NewJob::new("sweep", When::Every(2_000)), 0);
    schedule(
        &sql,
        "c",
        &NewJob::new("sweep", When::Cron("every 1000".to_owned())),
        0,
    );
    schedule(
        &sql,
        "d",
        &NewJob::new("sweep", When::Cron("every 2000".to_owned())),
        0,
    );
    assert_eq!(job::list(&sql, &JobFilter::default(), 100).unwrap().len(), 4);
}

#[test]
fn a_job_that_runs_once_is_found_again_only_if_it_asks_for_it() {
    let sql = database();
    let mut job = NewJob::new("remind", When::After(10));
    schedule(&sql, "a", &job, 0);
    schedule(&sql, "b", &job, 0);
    job.idempotency = Idempotency::Always;
    schedule(&sql, "c", &job, 0);
    job.when = When::At(99);
    let found = schedule(&sql, "d", &job, 0);
    assert_eq!(found.acceptance, Acceptance::Existing);
    assert_eq!(
        (found.job.id.as_str(), found.job.due_at),
        ("c", 10),
        "the instant is no part of it"
    );
}

#[test]
fn a_job_without_sense_is_refused_before_anything_is_written() {
    let valid = NewJob::new("work", When::After(0));
    let with = |when| NewJob::new("work", when);
    let cases = [
        ("a", NewJob::new(" ", When::After(0)), JobError::Blank("callback")),
        ("", valid.clone(), JobError::Blank("id")),
        ("a", with(When::After(-1)), JobError::NegativeDelay),
        ("a", with(When::Every(0)), JobError::Interval),
        ("a", with(When::Every(LONGEST_INTERVAL + 1)), JobError::Interval),
        (
            "a",
            with(When::Cron("never".to_owned())),
            JobError::NoOccurrence("never".to_owned()),
        ),
        (
            "a",
            NewJob {
                retry: RetryPolicy {
                    maximum_attempts: 0,
                    ..RetryPolicy::default()
                },
                ..valid.clone()
            },
            JobError::Retry(RetryPolicyError::NoAttempt),
        ),
        (
            "a",
            NewJob {
                payload: "x".repeat(flarebot_sql::MAXIMUM_VALUE_BYTES + 1),
                ..valid
            },
            JobError::PayloadTooLarge {
                maximum: flarebot_sql::MAXIMUM_VALUE_BYTES,
            },
        ),
    ];
    let sql = database();
    for (id, job, expected) in cases {
        assert_eq!(
            job::schedule(&sql, id, &job, 1_000, &calendar).unwrap_err(),
            expected
        );
    }
    assert_eq!(job::next_wake(&sql).unwrap(), None);
}

#[test]
fn a_given_up_job_makes_room_for_the_same_job() {
    let sql = database();
    let job = NewJob {
        idempotency: Idempotency::Always,
        ..NewJob::new("work", When::After(0))
    };
    schedule(&sql, "a", &job, 0);
    attempt(&sql, 0, Err(Failure::pointless("no")));
    let again = schedule(&sql, "b", &job, 1);
    assert_eq!(again.acceptance, Acceptance::Accepted);
    assert_eq!(find(&sql, "a"), None);
}

#[test]
fn given_up_jobs_are_kept_up_to_a_number() {
    let sql = database();
    for number in 0..GIVEN_UP_KEPT + 5 {
        let now = i64::from(number);
        schedule(
            &sql,
            &format!("{number}"),
            &NewJob::new("work", When::After(0)),
            now,
        );
        attempt(&sql, now, Err(Failure::pointless("no")));
    }
    assert_eq!(
        job::list(&sql, &JobFilter::default(), 1_000).unwrap().len() as u32,
        GIVEN_UP_KEPT
    );
    assert_eq!(find(&sql, "4"), None);
    assert!(find(&sql, "5").is_some());
}

#[test]
fn each_owner_sees_and_cancels_its_own_jobs_alone() {
    let sql = database();
    let of = |owner: &str| NewJob {
        owner: owner.to_owned(),
        ..NewJob::new("work", When::After(0))
    };
    schedule(&sql, "first", &of("one"), 0);
    schedule(&sql, "second", &of("two"), 0);
    assert!(!job::cancel(&sql, "two", "first").unwrap());
    assert_eq!(job::get(&sql, "two", "first").unwrap(), None);
    assert_eq!(
        job::schedule(&sql, "first", &of("two"), 0, &calendar).unwrap_err(),
        JobError::OwnedByAnother
    );
    job::cancel_owner(&sql, "one").unwrap();
    let filter = |owner: &str| JobFilter {
        owner: owner.to_owned(),
        ..JobFilter::default()
    };
    assert_eq!(job::list(&sql, &filter("one"), 10).unwrap(), []);
    assert_eq!(job::list(&sql, &filter("two"), 10).unwrap().len(), 1);
}

#[test]
fn jobs_are_listed_by_callback_and_time() {
    let sql = database();
    for (id, callback, at) in [("a", "x", 10), ("b", "y", 20), ("c", "x", 30)] {
        schedule(&sql, id, &NewJob::new(callback, When::At(at)), 0);
    }
    let ids = |callback: Option<&str>, due_from, due_before| {
        let filter = JobFilter {
            callback: callback.map(str::to_owned),
            due_from,
            due_before,
            ..JobFilter::default()
        };
        let jobs = job::list(&sql, &filter, 10).unwrap();
        jobs.into_iter().map(|job| job.id).collect::<String>()
    };
    assert_eq!(ids(None, None, None), "abc");
    assert_eq!(ids(Some("x"), None, None), "ac");
    assert_eq!(ids(None, Some(20), None), "bc");
    assert_eq!(ids(None, None, Some(20)), "a");
}
