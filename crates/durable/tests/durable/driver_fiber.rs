//! Fibers in the process that runs them.

use crate::stage::{Stage, next_process, ring_until_idle, stage, wake};
use flarebot_durable::Acceptance;
use flarebot_durable::driver::{Completion, DriverError, RunError, Spawn};
use flarebot_durable::fiber::{self, FiberError, FiberStatus, NewFiber, Receipt};
use flarebot_sql::{Sql, SqlError};
use std::cell::Cell;
use std::rc::Rc;

fn runs(stage: &Stage) -> usize {
    stage
        .database()
        .exec("SELECT 1 FROM fiber_run", &[])
        .unwrap()
        .len()
}

fn start_sleeping(stage: &Stage, fiber: &NewFiber) -> Receipt {
    let platform = stage.platform().clone();
    let diary = stage.application().diary.clone();
    let receipt =
        stage.platform().run(
            stage.start(fiber.clone(), Completion::Background, move |context| async move {
                diary.write("body");
                context.stash("step 1")?;
                platform.sleep(5_000).await;
                diary.write("late");
                Ok::<(), FiberError>(())
            }),
        );
    let receipt = receipt.unwrap().unwrap();
    stage.platform().run_until_idle();
    receipt
}

fn status(stage: &Stage, id: &str) -> FiberStatus {
    fiber::inspect(stage.database(), id).unwrap().unwrap().status
}

/// A body that must not begin.
async fn never() -> Result<(), String> {
    panic!("a body was begun that must not be")
}

#[test]
fn a_row_and_a_beat_are_there_during_the_run_and_gone_after_it() {
    for fails in [false, true] {
        let stage = stage();
        let result = stage.platform().run(stage.run("work", |context| {
            let stage = stage.clone();
            async move {
                assert_eq!(runs(&stage), 1);
                assert_eq!(stage.platform().alarm(), Some(30_000));
                assert_eq!(context.snapshot(), Ok(None));
                context.stash("one").unwrap();
                context.stash("two").unwrap();
                assert_eq!(context.snapshot(), Ok(Some("two".to_owned())));
                if fails { Err("it broke") } else { Ok(7) }
            }
        }));
        let expected = if fails {
            Err(RunError::Body("it broke"))
        } else {
            Ok(7)
        };
        assert_eq!(result, Some(expected));
        stage.platform().run_until_idle();
        assert_eq!((runs(&stage), stage.platform().alarm()), (0, None));
    }
}

#[test]
fn a_clean_up_that_fails_neither_loses_the_result_nor_revives_the_work() {
    for refused in ["DELETE", "UPDATE"] {
        let stage = stage();
        let trigger = format!(
            "CREATE TRIGGER refuse BEFORE {refused} ON fiber_run BEGIN SELECT RAISE(ABORT, 'refused'); END"
        );
        stage.database().exec(&trigger, &[]).unwrap();
        let result = stage
            .platform()
            .run(stage.run("work", |_| async { Ok::<u32, String>(7) }));
        assert_eq!(result, Some(Ok(7)));
        stage.platform().run_until_idle();
        assert_eq!(runs(&stage), 1);
        wake(&stage);
        assert_eq!(stage.application().diary.take(), Vec::<String>::new());
        assert_eq!(
            stage.platform().alarm(),
            Some(30_000),
            "the clean-up is still owed"
        );
        let next = next_process(&stage);
        stage.database().exec("DROP TRIGGER refuse", &[]).unwrap();
        next.database().exec("DROP TRIGGER refuse", &[]).unwrap();
        wake(&stage);
        assert_eq!((runs(&stage), stage.platform().alarm()), (0, None));
        if refused == "DELETE" {
            wake(&next);
            assert_eq!(
                next.application().diary.take(),
                Vec::<String>::new(),
                "the mark is there"
            );
            assert_eq!(runs(&next), 0);
        }
    }
}

#[test]
fn a_body_that_is_dropped_is_recovered() {
    let stage = stage();
    wake(&stage);
    let platform = stage.platform();
    let body = stage.run("work", |context| async move {
        context.stash("step 1").unwrap();
        std::future::pending::<Result<(), String>>().await
    });
    assert_eq!(platform.run(body), None);
    platform.run_until_idle();
    assert_eq!(ring_until_idle(&stage), 1);
    assert_eq!(stage.application().diary.take(), ["recover work step 1"]);
    assert_eq!(runs(&stage), 0);
}

#[test]
fn a_fiber_whose_alarm_cannot_be_set_is_not_begun() {
    let stage = stage();
    stage.platform().refuse_alarms(true);
    let result = stage.platform().run(stage.run("work", |_| never()));
    assert!(matches!(
        result,
        Some(Err(RunError::NotStarted(DriverError::Alarm(_))))
    ));
    let fiber = NewFiber::new("work").with_key("key");
    let started = stage
        .platform()
        .run(stage.start(fiber.clone(), Completion::Wait, |_| never()));
    assert!(matches!(started, Some(Err(DriverError::Alarm(_)))));
    assert_eq!(runs(&stage), 0);
    let record = fiber::inspect_by_key(stage.database(), "key").unwrap().unwrap();
    assert_eq!(record.status, FiberStatus::Error, "not pending for ever");
}

#[test]
fn a_failure_before_the_body_is_an_error() {
    let stage = stage();
    stage
        .database()
        .exec(
            "CREATE TRIGGER refuse BEFORE INSERT ON fiber_run BEGIN SELECT RAISE(ABORT, 'refused'); END",
            &[],
        )
        .unwrap();
    let started = stage
        .platform()
        .run(stage.start(NewFiber::new("work"), Completion::Wait, |_| never()));
    assert_eq!(started.unwrap().unwrap().fiber.status, FiberStatus::Error);
    stage.platform().run_until_idle();
    assert_eq!(stage.platform().alarm(), None);
}

#[test]
fn a_start_returns_when_the_work_is_accepted_or_when_it_has_ended() {
    for (fails, expected) in [(false, FiberStatus::Completed), (true, FiberStatus::Error)] {
        let stage = stage();
        let body = move |_| async move { if fails { Err("it broke") } else { Ok(()) } };
        let start = |completion| {
            stage
                .platform()
                .run(stage.start(NewFiber::new("work"), completion, body))
                .unwrap()
                .unwrap()
        };
        let accepted = start(Completion::Background);
        assert_eq!(accepted.acceptance, Acceptance::Accepted);
        assert_eq!(accepted.fiber.status, FiberStatus::Pending);
        let ended = start(Completion::Wait);
        assert_eq!(ended.fiber.status, expected);
        assert_eq!(ended.fiber.error.is_some(), fails);
        stage.platform().run_until_idle();
        assert_eq!(status(&stage, &accepted.fiber.id), expected);
        assert_eq!((runs(&stage), stage.platform().alarm()), (0, None));
    }
}

#[test]
fn a_second_start_joins_the_first_and_runs_nothing() {
    let stage = stage();
    let fiber = NewFiber::new("work").with_key("webhook:1");
    let first = start_sleeping(&stage, &fiber);
    assert_eq!(first.acceptance, Acceptance::Accepted);
    let second = Rc::new(Cell::new(None));
    let waiting = {
        let (stage, fiber, second) = (stage.clone(), fiber.clone(), Rc::clone(&second));
        async move {
            let joined = stage.start(fiber.clone(), Completion::Wait, |_| never()).await;
            second.set(Some(joined.unwrap()));
        }
    };
    stage.platform().spawn(waiting);
    stage.platform().run_until_idle();
    assert!(second.take().is_none(), "it waits");
    stage.platform().advance_to(5_000);
    stage.platform().run_until_idle();
    let second = second.take().unwrap();
    assert_eq!(second.acceptance, Acceptance::Existing);
    assert_eq!(second.fiber.id, first.fiber.id);
    assert_eq!(second.fiber.status, FiberStatus::Completed);
    assert_eq!(stage.application().diary.take(), ["body", "late"]);
}

#[test]
fn a_cancel_wins_over_a_late_end_and_wakes_who_waits() {
    let stage = stage();
    let platform = stage.platform();
    let fiber = NewFiber::new("work").with_key("key");
    let receipt = start_sleeping(&stage, &fiber);
    let joined = Rc::new(Cell::new(None));
    platform.spawn({
        let (stage, fiber, joined) = (stage.clone(), fiber.clone(), Rc::clone(&joined));
        async move {
            let receipt = stage
                .start(fiber.clone(), Completion::Wait, |_| async {
                    Ok::<(), String>(())
                })
                .await;
            joined.set(Some(receipt.unwrap().fiber));
        }
    });
    platform.run_until_idle();
    assert!(stage.cancel_fiber_by_key("key", Some("not needed")).unwrap());
    assert!(!stage.cancel_fiber(&receipt.fiber.id, None).unwrap());
    assert!(!stage.cancel_fiber_by_key("other", None).unwrap());
    platform.run_until_idle();
    let joined = joined.take().unwrap();
    assert_eq!(joined.status, FiberStatus::Aborted);
    assert_eq!(joined.error.as_deref(), Some("not needed"));
    platform.advance_to(5_000);
    platform.run_until_idle();
    assert_eq!(stage.application().diary.take(), ["body", "late"]);
    assert_eq!(status(&stage, &receipt.fiber.id), FiberStatus::Aborted);
    assert_eq!((runs(&stage), platform.alarm()), (0, None));
}

#[test]
fn a_body_hears_of_its_cancel_and_one_that_was_not_begun_never_is() {
    let stage = stage();
    let platform = stage.platform();
    let diary = stage.application().diary.clone();
    let waits = stage.start(
        NewFiber::new("work").with_key("a"),
        Completion::Background,
        move |context| async move {
            assert!(!context.is_cancelled());
            context.cancelled().await;
            assert!(context.is_cancelled());
            diary.write("heard");
            context.stash("late")
        },
    );
    platform.run(waits).unwrap().unwrap();
    platform.run_until_idle();
    stage.cancel_fiber_by_key("a", None).unwrap();
    platform.run_until_idle();
    assert_eq!(stage.application().diary.take(), ["heard"]);
    let fiber = NewFiber::new("work").with_key("b");
    let early = {
        let stage = stage.clone();
        async move {
            let start = stage.start(fiber.clone(), Completion::Background, |_| never());
            start.await.unwrap();
            stage.cancel_fiber_by_key("b", None).unwrap();
        }
    };
    platform.run(early).unwrap();
    platform.run_until_idle();
    assert_eq!(platform.alarm(), None);
}

#[test]
fn an_end_with_its_result_is_one_transaction_or_nothing() {
    let stage = stage();
    let platform = stage.platform();
    stage
        .database()
        .exec("CREATE TABLE result (id TEXT) STRICT", &[])
        .unwrap();
    let results = || stage.database().exec("SELECT 1 FROM result", &[]).unwrap().len();
    let body = |stage: Stage| {
        move |context: flarebot_durable::driver::FiberContext<_>| async move {
            let done = context.complete(|| {
                stage.database().exec("INSERT INTO result VALUES ('a')", &[])?;
                Ok::<u32, SqlError>(1)
            })?;
            let again = context.complete(|| -> Result<(), SqlError> { panic!("twice") })?;
            assert_eq!(again, None);
            if done.is_none() {
                return Ok(());
            }
            // What comes after the end does not matter any more.
            Err(SqlError::Refused("too late".to_owned()))
        }
    };
    let ended = platform.run(stage.start(NewFiber::new("work"), Completion::Wait, body(stage.clone())));
    assert_eq!(ended.unwrap().unwrap().fiber.status, FiberStatus::Completed);
    assert_eq!(results(), 1);
    let cancelled = {
        let stage = stage.clone();
        async move {
            let fiber = NewFiber::new("work").with_key("key");
            let inner = body(stage.clone());
            let canceller = stage.clone();
            stage
                .start(fiber.clone(), Completion::Wait, move |context| {
                    canceller.cancel_fiber(context.id(), None).unwrap();
                    inner(context)
                })
                .await
        }
    };
    let receipt = platform.run(cancelled).unwrap().unwrap();
    assert_eq!(receipt.fiber.status, FiberStatus::Aborted);
    platform.run_until_idle();
    assert_eq!(results(), 1, "a cancelled fiber writes nothing");
}
