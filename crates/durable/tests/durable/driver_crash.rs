//! The whole driver over processes that die anywhere: everything ends, and then there is no alarm.

use crate::common::Dice;
use crate::stage::{Stage, next_process, stage};
use flarebot_durable::driver::{Clock, Completion, Spawn};
use flarebot_durable::fiber::{self, FiberStatus, ListFibers, NewFiber};
use flarebot_durable::job::{self, JobFilter, JobState, NewJob, When};
use flarebot_sql::Sql;

/// Starts some work; what could not be accepted is no promise.
fn begin_work(stage: &Stage, dice: &mut Dice, round: u32, promised: &mut Vec<String>) {
    let platform = stage.platform().clone();
    for number in 0..2 {
        let id = format!("job {round}-{number}");
        let callback = ["ok", "slow", "fail"][dice.below(3) as usize];
        let delay = i64::try_from(dice.below(50_000)).unwrap();
        let scheduled = platform.run(stage.schedule_as(&id, &NewJob::new(callback, When::After(delay))));
        if let Some(Ok(_)) = scheduled {
            promised.push(id);
        }
    }
    let sleep = i64::try_from(dice.below(40_000)).unwrap();
    let sleeper = platform.clone();
    let key = format!("fiber {round}");
    let start = stage.start(
        NewFiber::new("resolve").with_key(key.as_str()),
        Completion::Background,
        move |context| async move {
            context.stash("step 1")?;
            sleeper.sleep(sleep).await;
            context.stash("step 2")
        },
    );
    if let Some(Ok(_)) = platform.run(start) {
        promised.push(key);
    }
    let driver = stage.clone();
    let sleeper = platform.clone();
    platform.spawn(async move {
        let run = driver.run("work", |_| async move {
            sleeper.sleep(sleep).await;
            Ok::<(), String>(())
        });
        let _ = run.await;
    });
}

#[test]
fn after_any_number_of_deaths_everything_has_ended_and_the_object_sleeps() {
    let mut deaths = 0;
    for seed in 0..15 {
        let mut dice = Dice::new(seed);
        let mut stage = stage();
        let mut promised = Vec::new();
        for round in 0..6 {
            let platform = stage.platform().clone();
            stage
                .database()
                .fail_after(usize::try_from(dice.below(150)).unwrap());
            let _ = platform.run(stage.wake());
            begin_work(&stage, &mut dice, round, &mut promised);
            for _ in 0..dice.below(8) {
                platform.run_until_idle();
                if let Some(at) = platform.alarm() {
                    platform.advance_to(at);
                }
                if platform.take_due_alarm() {
                    let _ = platform.run(stage.wake());
                }
            }
            platform.run_until_idle();
            deaths += u32::from(stage.database().has_stopped());
            stage = next_process(&stage);
        }
        settle(&stage);
        check(&stage, &promised, seed);
    }
    assert!(deaths > 30, "the test must kill to mean anything: {deaths}");
}

#[test]
fn what_a_job_writes_with_its_end_is_written_once_wherever_its_process_dies() {
    for statements in 0.. {
        let stage = stage();
        let platform = stage.platform().clone();
        stage
            .database()
            .exec("CREATE TABLE effect (id TEXT PRIMARY KEY) STRICT", &[])
            .unwrap();
        let job = NewJob::new("atomic", When::After(0));
        platform.run(stage.schedule_as("a", &job)).unwrap().unwrap();
        stage.database().fail_after(statements);
        let _ = platform.run(stage.wake());
        platform.advance_to(1);
        let _ = platform.run(stage.wake());
        platform.run_until_idle();
        let died = stage.database().has_stopped();
        let stage = next_process(&stage);
        settle(&stage);
        let effects = stage.database().exec("SELECT id FROM effect", &[]).unwrap();
        assert_eq!(effects.len(), 1, "{statements}");
        assert_eq!(
            job::list(stage.database(), &JobFilter::default(), 10).unwrap(),
            []
        );
        if !died {
            return;
        }
    }
}

/// From here on no process dies.
fn settle(stage: &Stage) {
    let platform = stage.platform();
    platform.run(stage.wake()).unwrap().unwrap();
    for _ in 0..300 {
        platform.run_until_idle();
        let Some(at) = platform.alarm() else {
            return;
        };
        platform.advance_to(at);
        platform.run_until_idle();
        if platform.take_due_alarm() {
            platform.run(stage.wake()).unwrap().unwrap();
        }
    }
    panic!("the alarm of {} never stops", platform.now());
}

fn check(stage: &Stage, promised: &[String], seed: u64) {
    let jobs = job::list(stage.database(), &JobFilter::default(), 1_000).unwrap();
    assert!(
        jobs.iter().all(|job| job.state == JobState::GivenUp),
        "{seed} {jobs:?}"
    );
    let options = ListFibers {
        limit: 100,
        ..ListFibers::default()
    };
    let fibers = fiber::list(stage.database(), &options).unwrap();
    for fiber in &fibers {
        // Interrupted only when three processes died in its recovery.
        let ended = fiber.status.is_terminal() || fiber.error.is_some();
        assert!(ended && !fiber.status.is_active(), "{seed} {fiber:?}");
        assert!(
            fiber.status != FiberStatus::Completed || fiber.snapshot.is_some(),
            "{seed} {fiber:?}"
        );
    }
    let lines = stage.application().diary.take();
    for promise in promised {
        let is_kept = match promise.strip_prefix("fiber ") {
            Some(_) => fibers
                .iter()
                .any(|fiber| fiber.idempotency_key.as_deref() == Some(promise)),
            None => lines.iter().any(|line| line.starts_with(promise)),
        };
        assert!(is_kept, "{seed}: {promise} was accepted and nothing came of it");
    }
    let runs = stage.database().exec("SELECT 1 FROM fiber_run", &[]).unwrap();
    assert_eq!(runs.len(), 0, "{seed}");
    assert_eq!(stage.platform().alarm(), None, "{seed}");
}
