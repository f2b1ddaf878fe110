//! How a job fails: the four classes of failure and what follows each.

use crate::common::database;
use crate::job_steps::{attempt, claim, failure, find, schedule, settle, start};
use flarebot_durable::failure::{Failure, FailureClass, PlatformHint, Repetition};
use flarebot_durable::job::{self, Claims, JobState, NewJob, Outcome, Settlement, When};

#[test]
fn a_failure_of_the_work_is_repeated_and_then_given_up() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    let mut now = 0;
    for number in 1..=2 {
        let expected = now + (100 << number) / 2;
        let settlement = attempt(&sql, now, Err(failure(FailureClass::Application)));
        assert_eq!(settlement, Settlement::Repeated { at: expected });
        now = expected;
    }
    let (claim, run) = start(&sql, now);
    assert_eq!(
        (run.attempt, run.occurrence()),
        (3, "a@0".to_owned()),
        "one occurrence throughout"
    );
    let settlement = settle(&sql, &claim, Err(failure(FailureClass::Application)), now);
    assert!(matches!(settlement, Settlement::GivenUp { .. }));
    let job = find(&sql, "a").unwrap();
    assert_eq!(
        (job.state, job.last_error.as_deref()),
        (JobState::GivenUp, Some("it broke"))
    );
    assert_eq!(job::next_wake(&sql).unwrap(), None, "nothing is owed for it");
    assert!(job::cancel(&sql, "", "a").unwrap());
}

#[test]
fn a_failure_that_nothing_can_mend_is_not_repeated() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("unknown", When::Every(10)), 0);
    let settlement = attempt(&sql, 10, Err(Failure::pointless("no such callback")));
    assert!(matches!(settlement, Settlement::GivenUp { .. }));
    let job = find(&sql, "a").unwrap();
    assert_eq!(
        (job.state, job.due_at),
        (JobState::Waiting, 20),
        "an interval goes on"
    );
    assert_eq!(job.last_error.as_deref(), Some("no such callback"));
}

#[test]
fn a_platform_failure_is_repeated_and_then_put_off_for_as_long_as_it_takes() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..18 {
        match attempt(&sql, now, Err(failure(FailureClass::Transient))) {
            Settlement::Repeated { at } => now = at,
            Settlement::Deferred { at } => {
                waits.push(at - now);
                now = at;
            }
            other @ (Settlement::Completed | Settlement::GivenUp { .. } | Settlement::Overtaken) => {
                panic!("{other:?}")
            }
        }
    }
    assert_eq!(waits, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
    assert_eq!(find(&sql, "a").unwrap().state, JobState::Waiting);
    attempt(&sql, now, Ok(Outcome::Completed));
    assert_eq!(find(&sql, "a"), None);
}

#[test]
fn the_last_failure_decides_what_follows() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    for now in [0, 1_000] {
        attempt(&sql, now, Err(failure(FailureClass::Transient)));
    }
    let last = attempt(&sql, 2_000, Err(failure(FailureClass::Application)));
    assert!(matches!(last, Settlement::GivenUp { .. }));
}

#[test]
fn newer_code_takes_a_job_over_at_no_charge() {
    for when in [When::After(0), When::Every(1), When::Cron("every 1".to_owned())] {
        let sql = database();
        schedule(&sql, "a", &NewJob::new("work", when), 0);
        for deploy in 0..20 {
            let now = 1 + deploy * 100;
            let instance = format!("process {deploy}");
            job::release_lost(&sql, &instance, now).unwrap();
            let claims = claim(&sql, &instance, now);
            let [taken] = claims.taken.as_slice() else {
                panic!("the next process runs it at once: {claims:?}");
            };
            assert_eq!(job::begin(&sql, taken).unwrap().unwrap().attempt, 1);
            let failure = Failure::from_texts(["This script has been upgraded. Retry."], PlatformHint::None);
            assert_eq!(
                settle(&sql, taken, Err(failure), now),
                Settlement::Deferred { at: now + 30_000 }
            );
            assert_eq!(
                claim(&sql, &instance, now + 10),
                Claims::default(),
                "not in the same process"
            );
        }
    }
}

#[test]
fn work_that_uses_too_much_memory_is_put_off_twice_and_then_given_up() {
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::Every(10)), 0);
    let strike = |now| attempt(&sql, now, Err(failure(FailureClass::MemoryLimit)));
    assert_eq!(strike(10), Settlement::Deferred { at: 30_010 });
    // Something else ends well in between: that clears nothing of this job.
    schedule(&sql, "b", &NewJob::new("other", When::After(0)), 20);
    attempt(&sql, 20, Ok(Outcome::Completed));
    assert_eq!(strike(30_010), Settlement::Deferred { at: 90_010 });
    assert!(matches!(strike(90_010), Settlement::GivenUp { .. }));
    assert!(
        matches!(strike(90_020), Settlement::GivenUp { .. }),
        "the strikes stay until an occurrence succeeds"
    );
    attempt(&sql, 90_030, Ok(Outcome::Completed));
    assert!(matches!(strike(90_040), Settlement::Deferred { .. }));
}

#[test]
fn pointless_is_for_failures_of_the_work_alone() {
    let failure = Failure {
        class: FailureClass::Transient,
        repetition: Repetition::Pointless,
        message: "it broke".to_owned(),
    };
    let sql = database();
    schedule(&sql, "a", &NewJob::new("work", When::After(0)), 0);
    let settlement = attempt(&sql, 0, Err(failure));
    assert!(matches!(settlement, Settlement::Repeated { .. }));
}
