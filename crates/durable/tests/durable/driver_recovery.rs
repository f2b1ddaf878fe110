//! Fibers after the process that ran them.

use crate::stage::{Stage, next_process, ring, ring_until_idle, stage, wake};
use flarebot_durable::driver::{Clock, Completion, Event, Spawn};
use flarebot_durable::fiber::{self, FiberStatus, ListFibers, NewFiber};
use flarebot_sql::Sql;
use std::future::pending;

/// Leaves an unmanaged fiber running.
fn leave(stage: &Stage, name: &'static str) {
    let driver = stage.clone();
    stage.platform().spawn(async move {
        let run = driver.run(name, |context| async move {
            context.stash("step 1").unwrap();
            pending::<Result<(), String>>().await
        });
        let _ = run.await;
    });
    stage.platform().run_until_idle();
}

/// Leaves a managed fiber running.
fn leave_managed(stage: &Stage, name: &str, key: &str) {
    let start = stage.start(
        NewFiber::new(name).with_key(key),
        Completion::Background,
        |context| async move {
            context.stash("step 1").unwrap();
            pending::<Result<(), String>>().await
        },
    );
    stage.platform().run(start).unwrap().unwrap();
    stage.platform().run_until_idle();
}

fn runs(stage: &Stage) -> usize {
    stage
        .database()
        .exec("SELECT 1 FROM fiber_run", &[])
        .unwrap()
        .len()
}

/// A body that must not begin.
async fn never() -> Result<(), String> {
    panic!("a body was begun that must not be")
}

#[test]
fn fibers_of_a_dead_process_are_recovered_once_by_the_alarm_alone() {
    let first = stage();
    for _ in 0..5 {
        leave(&first, "work");
    }
    let second = next_process(&first);
    assert!(ring(&second), "the alarm outlives the process");
    assert_eq!(second.application().diary.take(), vec!["recover work step 1"; 5]);
    assert_eq!((runs(&second), second.platform().alarm()), (0, None));
    let third = next_process(&second);
    wake(&third);
    assert_eq!(third.application().diary.take(), Vec::<String>::new());
}

#[test]
fn a_hook_may_go_on_in_a_new_fiber() {
    let first = stage();
    leave(&first, "again");
    let second = next_process(&first);
    wake(&second);
    assert_eq!(
        second.application().diary.take(),
        ["recover again step 1", "went on"]
    );
    ring_until_idle(&second);
    assert_eq!(runs(&second), 0);
}

#[test]
fn a_failing_hook_is_called_at_growing_distances_for_a_day() {
    let first = stage();
    leave(&first, "fail");
    let second = next_process(&first);
    wake(&second);
    let mut waits = Vec::new();
    let mut now = second.platform().now();
    while ring(&second) {
        waits.push(second.platform().now() - now);
        now = second.platform().now();
    }
    assert_eq!(&waits[..5], [30_000, 60_000, 120_000, 240_000, 300_000]);
    assert!(waits.len() > 200 && now >= 24 * 60 * 60 * 1_000);
    assert!(matches!(
        second.application().diary.events.take().last(),
        Some(Event::FiberGivenUp(_))
    ));
}

#[test]
fn a_scan_stops_at_its_deadline_and_the_alarm_goes_on_with_it() {
    let first = stage();
    for _ in 0..10 {
        leave(&first, "slow");
    }
    let second = next_process(&first);
    let platform = second.platform();
    wake(&second);
    // The clock moves on by itself while hooks sleep.
    for _ in 0..200 {
        platform.advance_to(platform.now() + 1_000);
        platform.run_until_idle();
        if platform.take_due_alarm() {
            wake(&second);
        }
    }
    assert_eq!(second.application().diary.take().len(), 10);
    let deadlines = second.application().diary.events.take();
    assert!(deadlines.len() >= 3 && deadlines.iter().all(|event| *event == Event::ScanDeadline));
    assert_eq!((runs(&second), platform.alarm()), (0, None));
}

#[test]
fn a_hanging_hook_starves_nobody_and_is_counted_when_its_process_ends() {
    let first = stage();
    leave(&first, "hang");
    leave(&first, "work");
    let mut process = next_process(&first);
    wake(&process);
    assert_eq!(process.application().diary.take(), ["recover hang step 1"]);
    ring(&process);
    assert_eq!(process.application().diary.take(), ["recover work step 1"]);
    for _ in 0..2 {
        process = next_process(&process);
        wake(&process);
        assert_eq!(process.application().diary.take(), ["recover hang step 1"]);
    }
    process = next_process(&process);
    wake(&process);
    assert_eq!(process.application().diary.take(), Vec::<String>::new());
    assert!(matches!(
        process.application().diary.events.take().last(),
        Some(Event::FiberGivenUp(_))
    ));
    assert_eq!(process.platform().alarm(), None);
}

#[test]
fn a_managed_fiber_becomes_what_its_hook_says() {
    let cases = [
        ("resolve", FiberStatus::Completed, Some("recovered"), None),
        (
            "fail",
            FiberStatus::Interrupted,
            Some("step 1"),
            Some("the hook failed"),
        ),
        ("work", FiberStatus::Interrupted, Some("step 1"), None),
    ];
    for (name, status, snapshot, error) in cases {
        let first = stage();
        leave_managed(&first, name, "key");
        let second = next_process(&first);
        wake(&second);
        let record = fiber::inspect_by_key(second.database(), "key").unwrap().unwrap();
        assert_eq!(record.status, status);
        assert_eq!(record.snapshot.as_deref(), snapshot);
        assert_eq!(record.error.as_deref(), error);
        assert_eq!((runs(&second), second.platform().alarm()), (0, None));
    }
}

#[test]
fn a_start_that_waits_recovers_what_an_earlier_process_left() {
    let first = stage();
    leave_managed(&first, "resolve", "webhook:1");
    let second = next_process(&first);
    let fiber = NewFiber::new("resolve").with_key("webhook:1");
    let again = second.start(fiber.clone(), Completion::Wait, |_| never());
    let receipt = second.platform().run(again).unwrap().unwrap();
    assert_eq!(receipt.fiber.status, FiberStatus::Completed);
    wake(&second);
    assert_eq!(
        second.application().diary.take(),
        ["recover resolve step 1"],
        "once"
    );
}

#[test]
fn a_fiber_that_was_accepted_and_not_begun_is_recovered() {
    let first = stage();
    let start = first.start(NewFiber::new("work"), Completion::Background, |_| async {
        Ok::<(), String>(())
    });
    // The process ends before anything spawned is run.
    let driver = first.clone();
    drop(start);
    fiber::accept(driver.database(), &NewFiber::new("work"), "a", "gone", 0).unwrap();
    let second = next_process(&first);
    wake(&second);
    assert_eq!(second.application().diary.take(), ["recover work "]);
    let fibers = fiber::list(second.database(), &ListFibers::default()).unwrap();
    assert_eq!(fibers[0].status, FiberStatus::Interrupted);
}
