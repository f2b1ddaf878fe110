//! Recovering what an earlier process left: when, how often, and what ends it.

use crate::common::database;
use flarebot_durable::fiber::{
    self, FiberEnd, FiberStatus, GivenUpReason, NewFiber, Orphan, Recovery, RecoveryLimits, Resolution,
    Thrown,
};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;

const OLD: &str = "process 1";
const HERE: &str = "process 2";
const DAY: i64 = 24 * 60 * 60 * 1_000;

fn take(sql: &Database, instance: &str, now: i64) -> Option<Orphan> {
    fiber::take_orphan(sql, instance, &RecoveryLimits::default(), now).unwrap()
}

fn recovery(sql: &Database, instance: &str, now: i64) -> Recovery {
    match take(sql, instance, now) {
        Some(Orphan::Recover(recovery)) => *recovery,
        other @ (Some(Orphan::Ended | Orphan::GivenUp(_)) | None) => panic!("{other:?}"),
    }
}

fn threw(sql: &Database, id: &str, now: i64) -> Thrown {
    fiber::threw(sql, id, "the hook failed", &RecoveryLimits::default(), now).unwrap()
}

fn managed(sql: &Database, id: &str) {
    fiber::accept(sql, &NewFiber::new("managed").with_key(id), id, OLD, 5).unwrap();
}

fn runs(sql: &Database) -> usize {
    sql.exec("SELECT 1 FROM fiber_run", &[]).unwrap().len()
}

#[test]
fn the_hook_gets_the_name_and_the_last_checkpoint_once() {
    let sql = database();
    fiber::register(&sql, "a", "research", OLD, 5).unwrap();
    fiber::stash(&sql, "a", "step 1").unwrap();
    fiber::find_lost(&sql, HERE, 10).unwrap();
    assert_eq!(fiber::next_orphan_due(&sql, HERE).unwrap(), Some(5));
    let recovery = recovery(&sql, HERE, 10);
    assert_eq!((recovery.id.as_str(), recovery.name.as_str()), ("a", "research"));
    assert_eq!(recovery.snapshot.as_deref(), Some("step 1"));
    assert_eq!((recovery.record, recovery.created_at), (None, 5));
    assert_eq!(take(&sql, HERE, 10), None, "while its hook runs");
    fiber::recovered(&sql, "a", None, 11).unwrap();
    assert_eq!(runs(&sql), 0);
    assert_eq!(
        fiber::next_orphan_due(&sql, HERE).unwrap(),
        None,
        "nothing is owed then"
    );
}

#[test]
fn a_fiber_of_this_process_is_no_orphan() {
    let sql = database();
    fiber::register(&sql, "a", "work", HERE, 5).unwrap();
    fiber::find_lost(&sql, HERE, 10).unwrap();
    assert_eq!(take(&sql, HERE, i64::MAX), None);
    assert_eq!(fiber::next_orphan_due(&sql, HERE).unwrap(), None);
    fiber::release(&sql, "a").unwrap();
    assert_eq!(recovery(&sql, HERE, 10).id, "a", "unless its body was dropped");
}

#[test]
fn all_orphans_are_recovered_the_longest_waiting_first() {
    let sql = database();
    for number in (0..20).rev() {
        fiber::register(&sql, &format!("{number:02}"), "work", OLD, number).unwrap();
    }
    for number in 0..20 {
        let id = recovery(&sql, HERE, 100).id;
        assert_eq!(id, format!("{number:02}"));
        fiber::recovered(&sql, &id, None, 100).unwrap();
    }
    assert_eq!(runs(&sql), 0);
}

#[test]
fn what_has_ended_is_never_revived() {
    let sql = database();
    fiber::register(&sql, "unmanaged", "work", OLD, 5).unwrap();
    assert!(fiber::finish(&sql, "unmanaged", 6).unwrap());
    assert!(!fiber::finish(&sql, "unmanaged", 6).unwrap());
    for id in ["completed", "cancelled", "deleted"] {
        managed(&sql, id);
        fiber::begin(&sql, id, OLD, 5).unwrap();
    }
    fiber::settle(&sql, "completed", &FiberEnd::Completed, 6).unwrap();
    fiber::cancel(&sql, "cancelled", None, 6).unwrap();
    sql.exec("DELETE FROM fiber WHERE id = 'deleted'", &[]).unwrap();
    fiber::find_lost(&sql, HERE, 10).unwrap();
    for _ in 0..4 {
        assert_eq!(take(&sql, HERE, 10), Some(Orphan::Ended));
    }
    assert_eq!(take(&sql, HERE, 10), None);
    assert_eq!(runs(&sql), 0);
}

#[test]
fn a_managed_fiber_is_interrupted_before_its_hook_runs() {
    let sql = database();
    managed(&sql, "a");
    fiber::begin(&sql, "a", OLD, 5).unwrap();
    fiber::stash(&sql, "a", "step 1").unwrap();
    let recovery = recovery(&sql, HERE, 10);
    let record = recovery.record.unwrap();
    assert_eq!(record.status, FiberStatus::Interrupted);
    assert_eq!(record.idempotency_key.as_deref(), Some("a"));
    assert_eq!(recovery.snapshot.as_deref(), Some("step 1"));
}

#[test]
fn what_the_hook_says_becomes_of_a_managed_fiber() {
    let failed = Resolution::Error {
        error: "no".to_owned(),
        snapshot: None,
    };
    for (resolution, expected) in [
        (None, FiberStatus::Interrupted),
        (Some(failed), FiberStatus::Error),
    ] {
        let sql = database();
        managed(&sql, "a");
        fiber::begin(&sql, "a", OLD, 5).unwrap();
        recovery(&sql, HERE, 10);
        fiber::recovered(&sql, "a", resolution.as_ref(), 11).unwrap();
        assert_eq!(fiber::inspect(&sql, "a").unwrap().unwrap().status, expected);
        assert_eq!(runs(&sql), 0);
        fiber::find_lost(&sql, "process 3", 20).unwrap();
        assert_eq!(take(&sql, "process 3", 20), None, "the hook is called once");
    }
}

#[test]
fn a_managed_fiber_whose_hook_fails_stays_interrupted_with_the_error() {
    let sql = database();
    managed(&sql, "a");
    fiber::begin(&sql, "a", OLD, 5).unwrap();
    recovery(&sql, HERE, 10);
    assert_eq!(threw(&sql, "a", 11), Thrown::Interrupted);
    let record = fiber::inspect(&sql, "a").unwrap().unwrap();
    assert_eq!(record.status, FiberStatus::Interrupted);
    assert_eq!(record.error.as_deref(), Some("the hook failed"));
    assert_eq!(runs(&sql), 0);
    assert_eq!(take(&sql, "process 3", DAY), None);
}

#[test]
fn a_record_without_a_run_is_recovered_as_well() {
    let sql = database();
    managed(&sql, "pending");
    managed(&sql, "running");
    fiber::begin(&sql, "running", OLD, 5).unwrap();
    fiber::stash(&sql, "running", "step 1").unwrap();
    fiber::clear(&sql, "running").unwrap();
    fiber::find_lost(&sql, OLD, 9).unwrap();
    assert_eq!(runs(&sql), 0, "in its own process it is not lost");
    fiber::find_lost(&sql, HERE, 10).unwrap();
    fiber::find_lost(&sql, HERE, 10).unwrap();
    for id in ["pending", "running"] {
        let recovery = recovery(&sql, HERE, 10);
        assert_eq!(recovery.id, id);
        assert_eq!(
            recovery.snapshot.is_some(),
            id == "running",
            "the checkpoint is in the ledger too"
        );
        fiber::recovered(&sql, id, None, 10).unwrap();
        assert_eq!(
            fiber::inspect(&sql, id).unwrap().unwrap().status,
            FiberStatus::Interrupted
        );
    }
}

#[test]
fn a_failing_hook_is_tried_at_growing_distances_until_the_fiber_is_too_old() {
    let sql = database();
    fiber::register(&sql, "a", "work", OLD, 0).unwrap();
    let mut now = 0;
    let mut waits = Vec::new();
    let given_up = loop {
        if let Some(Orphan::GivenUp(given_up)) = take(&sql, HERE, now) {
            break given_up;
        }
        match threw(&sql, "a", now) {
            Thrown::Repeated { at } => {
                assert_eq!(take(&sql, HERE, at - 1), None);
                assert_eq!(fiber::next_orphan_due(&sql, HERE).unwrap(), Some(at));
                waits.push(at - now);
                now = at;
            }
            other @ (Thrown::GivenUp(_) | Thrown::Interrupted) => panic!("{other:?}"),
        }
    };
    assert_eq!(&waits[..5], [30_000, 60_000, 120_000, 240_000, 300_000]);
    assert!(waits[5..].iter().all(|wait| *wait == 300_000));
    assert!((DAY..DAY + 300_000).contains(&now));
    assert_eq!(given_up.reason, GivenUpReason::MaximumAgeExceeded);
    assert_eq!(
        (runs(&sql), fiber::next_orphan_due(&sql, HERE).unwrap()),
        (0, None)
    );
}

#[test]
fn an_age_of_zero_is_for_ever() {
    let limits = RecoveryLimits {
        maximum_age: 0,
        ..RecoveryLimits::default()
    };
    let sql = database();
    fiber::register(&sql, "a", "work", OLD, 0).unwrap();
    for year in 1..50 {
        let now = year * 365 * DAY;
        let orphan = fiber::take_orphan(&sql, HERE, &limits, now).unwrap();
        assert!(matches!(orphan, Some(Orphan::Recover(_))));
        assert!(matches!(
            fiber::threw(&sql, "a", "no", &limits, now).unwrap(),
            Thrown::Repeated { .. }
        ));
    }
}

#[test]
fn an_old_fiber_gets_one_attempt_at_least() {
    let sql = database();
    fiber::register(&sql, "a", "work", OLD, 0).unwrap();
    recovery(&sql, HERE, 10 * DAY);
    assert!(matches!(threw(&sql, "a", 10 * DAY), Thrown::GivenUp(_)));
    let sql = database();
    fiber::register(&sql, "b", "work", OLD, 0).unwrap();
    recovery(&sql, HERE, 10);
    threw(&sql, "b", 10);
    let Some(Orphan::GivenUp(given_up)) = take(&sql, HERE, 10 * DAY) else {
        panic!("it had failed before it became too old");
    };
    assert_eq!(given_up.reason, GivenUpReason::MaximumAgeExceeded);
}

#[test]
fn a_start_tries_every_orphan_without_waiting() {
    let sql = database();
    fiber::register(&sql, "a", "work", OLD, 0).unwrap();
    recovery(&sql, HERE, 0);
    threw(&sql, "a", 0);
    fiber::find_lost(&sql, "process 3", 5).unwrap();
    assert_eq!(recovery(&sql, "process 3", 5).id, "a");
}

#[test]
fn one_that_succeeds_brings_the_others_nearer() {
    let sql = database();
    for id in ["a", "b"] {
        fiber::register(&sql, id, "work", OLD, 0).unwrap();
    }
    let mut now = 0;
    for _ in 0..5 {
        for _ in 0..2 {
            let id = recovery(&sql, HERE, now).id;
            threw(&sql, &id, now);
        }
        now = fiber::next_orphan_due(&sql, HERE).unwrap().unwrap();
    }
    let id = recovery(&sql, HERE, now).id;
    let other = recovery(&sql, HERE, now).id;
    assert_eq!(threw(&sql, &other, now), Thrown::Repeated { at: now + 300_000 });
    fiber::recovered(&sql, &id, None, now).unwrap();
    assert_eq!(fiber::next_orphan_due(&sql, HERE).unwrap(), Some(now + 30_000));
    recovery(&sql, HERE, now + 30_000);
    assert_eq!(
        threw(&sql, &other, now + 30_000),
        Thrown::Repeated { at: now + 60_000 }
    );
}

#[test]
fn processes_that_die_in_a_hook_are_counted_and_hooks_that_fail_are_not() {
    for is_managed in [false, true] {
        let sql = database();
        if is_managed {
            managed(&sql, "a");
            fiber::begin(&sql, "a", OLD, 0).unwrap();
        } else {
            fiber::register(&sql, "a", "work", OLD, 0).unwrap();
            for failure in 1..10 {
                recovery(&sql, HERE, failure * 1_000_000);
                threw(&sql, "a", failure * 1_000_000);
            }
        }
        let mut now = 20_000_000;
        for death in 1..=3 {
            let instance = format!("process {death} that dies");
            fiber::find_lost(&sql, &instance, now).unwrap();
            assert_eq!(recovery(&sql, &instance, now).id, "a");
            now += 1_000;
        }
        fiber::find_lost(&sql, "the next", now).unwrap();
        let Some(Orphan::GivenUp(given_up)) = take(&sql, "the next", now) else {
            panic!("three processes are enough");
        };
        assert_eq!(given_up.reason, GivenUpReason::ProcessesDied);
        assert_eq!(runs(&sql), 0);
        if is_managed {
            let record = fiber::inspect(&sql, "a").unwrap().unwrap();
            assert_eq!(
                record.status,
                FiberStatus::Interrupted,
                "somebody may still decide"
            );
            assert!(record.error.is_some());
        }
    }
}
