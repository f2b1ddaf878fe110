//! Running jobs: claims, attempts, hanging and lost runs.

use crate::common::{calendar, database};
use crate::job_steps::{HERE, LATER, claim, find, schedule, settle, start, take, token};
use flarebot_durable::job::{self, Claims, JobState, NewJob, Notice, Outcome, Settlement, When};
use flarebot_durable::retry::RetryPolicy;
use flarebot_sql::Sql;

#[test]
fn what_has_run_is_over_or_waits_for_its_next_occurrence() {
    let cases = [
        (When::After(10), None),
        (When::At(10), None),
        (When::Every(10), Some(35)),
        (When::Cron("every 10".to_owned()), Some(30)),
    ];
    for (when, next) in cases {
        let sql = database();
        schedule(&sql, "a", &NewJob::new("work", when), 0);
        let (claim, run) = start(&sql, 20);
        assert_eq!((run.attempt, run.occurrence()), (1, "a@10".to_owned()));
        assert_eq!(run.job.state, JobState::Running);
        assert_eq!(
            settle(&sql, &claim, Ok(Outcome::Completed), 25),
            Settlement::Completed
        );
        assert_eq!(job::next_wake(&sql).unwrap(), next);
        assert_eq!(find(&sql, "a").map(|job| job.due_at), next);
    }
}

#[test]
fn a_running_job_is_not_run_a_second_time() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    take(&sql, 0);
    for now in [1, 30_000, 60_000, 600_000] {
        assert_eq!(claim(&sql, HERE, now), Claims::default());
    }
    assert_eq!(
        job::next_wake(&sql).unwrap(),
        Some(630_000),
        "it is looked at now and then"
    );
}

#[test]
fn a_job_may_ask_to_be_run_again() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    let claim = take(&sql, 0);
    settle(&sql, &claim, Ok(Outcome::RescheduleAt(500)), 5);
    assert_eq!(job::next_wake(&sql).unwrap(), Some(500));
    let (claim, run) = start(&sql, 500);
    assert_eq!((run.attempt, run.occurrence()), (1, "a@500".to_owned()));
    settle(&sql, &claim, Ok(Outcome::RescheduleAt(0)), 510);
    assert_eq!(
        job::next_wake(&sql).unwrap(),
        Some(510),
        "yielding is not waiting"
    );
}

#[test]
fn an_attempt_is_charged_when_its_process_dies_in_it() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    for process in 1..=3 {
        let instance = format!("process {process}");
        job::release_lost(&sql, &instance, process).unwrap();
        let claims = claim(&sql, &instance, process);
        let run = job::begin(&sql, &claims.taken[0]).unwrap().unwrap();
        assert_eq!(i64::from(run.attempt), process);
    }
    job::release_lost(&sql, "process 4", 4).unwrap();
    let claims = claim(&sql, "process 4", 4);
    assert_eq!(claims.taken, []);
    let [Notice::Lost(lost)] = claims.notices.as_slice() else {
        panic!("{claims:?}");
    };
    assert_eq!(lost.id, "a");
    assert_eq!(find(&sql, "a").unwrap().state, JobState::GivenUp);
}

#[test]
fn a_single_attempt_is_single_even_if_the_process_dies() {
    let sql = database();
    let job = NewJob {
        retry: RetryPolicy::once(),
        ..NewJob::new("pay", When::After(0))
    };
    schedule(&sql, "a", &job, 0);
    start(&sql, 0);
    job::release_lost(&sql, LATER, 1).unwrap();
    assert_eq!(claim(&sql, LATER, 1).taken, []);
}

#[test]
fn a_run_that_was_taken_and_not_begun_is_not_charged_when_its_process_dies() {
    let sql = database();
    let job = NewJob {
        retry: RetryPolicy::once(),
        ..NewJob::new("pay", When::After(0))
    };
    schedule(&sql, "a", &job, 0);
    take(&sql, 0);
    job::release_lost(&sql, LATER, 1).unwrap();
    let claims = claim(&sql, LATER, 1);
    assert_eq!(job::begin(&sql, &claims.taken[0]).unwrap().unwrap().attempt, 1);
}

#[test]
fn a_lost_run_is_noticed_without_a_start_as_well() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    take(&sql, 0);
    assert_eq!(job::next_wake(&sql).unwrap(), Some(30_000));
    assert_eq!(claim(&sql, LATER, 30_000).taken.len(), 1);
}

#[test]
fn a_hanging_interval_is_run_anew_and_its_late_end_changes_nothing() {
    let sql = database();
    let job = NewJob {
        hung_after: 5_000,
        ..NewJob::new("poll", When::Every(1_000))
    };
    schedule(&sql, "a", &job, 0);
    let first = take(&sql, 1_000);
    assert_eq!(claim(&sql, HERE, 3_000), Claims::default(), "one tick is skipped");
    assert_eq!(job::next_wake(&sql).unwrap(), Some(6_000));
    let claims = claim(&sql, HERE, 6_000);
    assert!(matches!(claims.notices.as_slice(), [Notice::Hung(_)]));
    let second = &claims.taken[0];
    assert_eq!(
        settle(&sql, &first, Ok(Outcome::Completed), 6_001),
        Settlement::Overtaken
    );
    assert!(job::begin(&sql, &first).unwrap().is_none());
    assert_eq!(
        settle(&sql, second, Ok(Outcome::Completed), 6_002),
        Settlement::Completed
    );
    assert_eq!(job::next_wake(&sql).unwrap(), Some(7_002));
}

#[test]
fn a_run_that_nobody_knows_the_beginning_of_hangs() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("poll", When::Every(1_000)), 0);
    take(&sql, 1_000);
    sql.exec("UPDATE job SET claimed_at = NULL, wake_at = 1001", &[])
        .unwrap();
    assert_eq!(claim(&sql, HERE, 1_001).taken.len(), 1);
}

#[test]
fn what_is_cancelled_or_replaced_while_it_runs_is_not_touched_by_its_run() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    let claim = take(&sql, 0);
    assert!(job::cancel(&sql, "", "a").unwrap());
    assert!(!job::cancel(&sql, "", "a").unwrap());
    assert_eq!(
        job::begin(&sql, &claim).unwrap(),
        None,
        "it is read again before it starts"
    );
    let other = schedule(&sql, "a", &NewJob::new("other", When::After(900)), 0);
    assert_eq!(
        settle(&sql, &claim, Ok(Outcome::Completed), 1),
        Settlement::Overtaken
    );
    assert_eq!(find(&sql, "a"), Some(other.job));
}

#[test]
fn more_due_jobs_than_fit_wait_for_the_next_ring_in_order() {
    let sql = database();
    for number in (0..5).rev() {
        schedule(
            &sql,
            &format!("{number}"),
            &NewJob::new("work", When::At(number)),
            0,
        );
    }
    let first = job::claim_due(&sql, HERE, 10, 3, token, &calendar).unwrap();
    let ids: Vec<&str> = first.taken.iter().map(|claim| claim.job_id.as_str()).collect();
    assert_eq!(ids, ["0", "1", "2"]);
    assert_eq!(job::next_wake(&sql).unwrap(), Some(3));
}

#[test]
fn a_callback_that_wiped_the_storage_gets_an_error_and_no_panic() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("destroy", When::After(0)), 0);
    let claim = take(&sql, 0);
    sql.exec("DROP TABLE job", &[]).unwrap();
    assert!(job::settle(&sql, &claim, &Ok(Outcome::Completed), 0, 0.0, &calendar).is_err());
}
