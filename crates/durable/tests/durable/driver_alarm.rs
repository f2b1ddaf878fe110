//! The one alarm: armed before work, restored after it, absent when nothing is owed.

use crate::stage::{next_process, ring, ring_until_idle, stage, stage_with, wake};
use flarebot_durable::driver::{Clock, DriverError, Event, Settings};
use flarebot_durable::job::{self, Idempotency, JobFilter, NewJob, When};
use flarebot_durable::lease::{self, Lease};
use flarebot_sql::Sql;

#[test]
fn an_object_that_owes_nothing_has_no_alarm() {
    let stage = stage();
    wake(&stage);
    assert_eq!(stage.platform().alarm(), None);
}

#[test]
fn a_job_runs_at_its_instant_and_leaves_no_alarm() {
    let stage = stage();
    let platform = stage.platform();
    platform
        .run(stage.schedule_as("a", &NewJob::new("ok", When::After(500))))
        .unwrap()
        .unwrap();
    assert_eq!(platform.alarm(), Some(500));
    assert!(ring(&stage));
    assert_eq!(stage.application().diary.take(), ["a at 500"]);
    assert_eq!(platform.alarm(), None);
}

#[test]
fn a_failing_job_is_tried_three_times_by_the_alarm_and_somebody_hears_of_it() {
    let stage = stage();
    let platform = stage.platform();
    platform
        .run(stage.schedule_as("a", &NewJob::new("fail", When::After(0))))
        .unwrap()
        .unwrap();
    ring_until_idle(&stage);
    assert_eq!(
        stage.application().diary.take(),
        ["a at 1", "a at 101", "a at 301"]
    );
    let events = stage.application().diary.events.take();
    let [Event::OneShotAtStart(_), Event::JobGivenUp(job, error)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!((job.id.as_str(), error.as_str()), ("a", "it broke"));
}

#[test]
fn a_wake_arms_the_alarm_before_it_touches_anything() {
    let stage = stage();
    stage.database().exec("DROP TABLE job", &[]).unwrap();
    let result = stage.platform().run(stage.wake()).unwrap();
    assert!(matches!(result, Err(DriverError::Sql(_))));
    assert_eq!(
        stage.platform().alarm(),
        Some(30_000),
        "whatever happened, it rings again"
    );
}

#[test]
fn a_process_that_dies_in_a_wake_is_followed_by_another_alarm() {
    for statements in 0.. {
        let stage = stage();
        let platform = stage.platform();
        platform
            .run(stage.schedule_as("a", &NewJob::new("ok", When::After(500))))
            .unwrap()
            .unwrap();
        platform.advance_to(500);
        assert!(platform.take_due_alarm());
        stage.database().fail_after(statements);
        let woken = platform.run(stage.wake()).unwrap();
        platform.run_until_idle();
        let died = stage.database().has_stopped();
        let left = stage.database().copy().unwrap();
        let owed = job::next_wake(&left).unwrap().is_some();
        assert!(!owed || platform.alarm().is_some(), "{statements} {woken:?}");
        let stage = next_process(&stage);
        ring_until_idle(&stage);
        let lines = stage.application().diary.take();
        assert!((1..=2).contains(&lines.len()), "{statements} {lines:?}");
        assert_eq!(
            job::list(stage.database(), &JobFilter::default(), 10).unwrap(),
            []
        );
        if !died {
            return;
        }
    }
}

#[test]
fn a_slow_job_is_not_awaited_and_keeps_the_alarm_as_a_watch() {
    let stage = stage();
    let platform = stage.platform();
    platform
        .run(stage.schedule_as("a", &NewJob::new("slow", When::After(0))))
        .unwrap()
        .unwrap();
    ring(&stage);
    assert_eq!(stage.application().diary.take(), ["a at 1"], "the wake came back");
    assert_eq!(platform.alarm(), Some(30_001));
    ring_until_idle(&stage);
    assert_eq!(stage.application().diary.take(), ["a ends"]);
}

#[test]
fn a_job_lost_with_its_process_is_run_again_by_the_next() {
    let stage = stage();
    stage
        .platform()
        .run(stage.schedule_as("a", &NewJob::new("hang", When::After(0))))
        .unwrap()
        .unwrap();
    ring(&stage);
    let second = next_process(&stage);
    wake(&second);
    let third = next_process(&second);
    wake(&third);
    let last = next_process(&third);
    wake(&last);
    assert_eq!(last.application().diary.take().len(), 3);
    assert_eq!(last.platform().alarm(), None);
    assert!(matches!(
        last.application().diary.events.take().last(),
        Some(Event::JobGivenUp(_, _))
    ));
}

#[test]
fn finding_a_job_again_repairs_a_lost_alarm() {
    let stage = stage();
    let platform = stage.platform();
    let sweep = NewJob::new("ok", When::Every(1_000));
    let schedule = || platform.run(stage.schedule(&sweep)).unwrap().unwrap();
    schedule();
    platform.lose_alarm();
    schedule();
    assert_eq!(platform.alarm(), Some(1_000));
    platform.lose_alarm();
    platform.advance_to(5_000);
    schedule();
    assert_eq!(platform.alarm(), Some(5_001), "what is overdue rings at once");
}

#[test]
fn an_alarm_that_is_right_is_not_set_again() {
    let stage = stage();
    let platform = stage.platform();
    let daily = NewJob::new("ok", When::Every(1_000_000));
    platform.run(stage.schedule(&daily)).unwrap().unwrap();
    let before = platform.alarms_set();
    for _ in 0..10 {
        platform.run(stage.rearm()).unwrap().unwrap();
    }
    assert_eq!(platform.alarms_set(), before);
}

#[test]
fn jobs_beyond_the_limit_follow_as_soon_as_others_end() {
    let stage = stage_with(Settings {
        jobs_at_once: 1,
        ..Settings::default()
    });
    let platform = stage.platform();
    for id in ["a", "b", "c"] {
        platform
            .run(stage.schedule_as(id, &NewJob::new("slow", When::After(0))))
            .unwrap()
            .unwrap();
    }
    let rings = ring_until_idle(&stage);
    let lines = stage.application().diary.take();
    assert_eq!(lines.len(), 6);
    for pair in lines.chunks(2) {
        assert_eq!(pair[0].get(..1), pair[1].get(..1), "one after the other");
    }
    assert!(
        rings < 20,
        "waiting for a place is not ringing all the time: {rings}"
    );
}

#[test]
fn a_hanging_interval_does_not_end_the_others() {
    let stage = stage();
    let platform = stage.platform();
    for (id, callback) in [("hangs", "hang"), ("works", "ok")] {
        platform
            .run(stage.schedule_as(id, &NewJob::new(callback, When::Every(10_000))))
            .unwrap()
            .unwrap();
    }
    while platform.now() < 60_000 {
        ring(&stage);
    }
    let lines = stage.application().diary.take();
    let count = |id: &str| lines.iter().filter(|line| line.starts_with(id)).count();
    assert_eq!(count("hangs"), 2, "run anew after 30 seconds: {lines:?}");
    assert!(count("works") >= 6, "{lines:?}");
}

#[test]
fn a_single_job_scheduled_on_every_start_is_noticed() {
    let stage = stage();
    let once = NewJob::new("ok", When::After(10));
    let idempotent = NewJob {
        idempotency: Idempotency::Always,
        ..once.clone()
    };
    stage
        .platform()
        .run(stage.schedule(&idempotent))
        .unwrap()
        .unwrap();
    assert_eq!(stage.application().diary.events.borrow().len(), 0);
    stage.platform().run(stage.schedule(&once)).unwrap().unwrap();
    assert_eq!(stage.application().diary.events.take().len(), 1);
    wake(&stage);
    stage.platform().run(stage.schedule(&once)).unwrap().unwrap();
    assert_eq!(stage.application().diary.events.take().len(), 0);
}

#[test]
fn keeping_alive_beats_invisibly_and_the_last_release_restores_the_alarm() {
    let stage = stage();
    let platform = stage.platform();
    wake(&stage);
    platform
        .run(stage.schedule_as("a", &NewJob::new("ok", When::After(100_000))))
        .unwrap()
        .unwrap();
    let first = platform.run(stage.keep_alive()).unwrap().unwrap();
    let second = platform.run(stage.keep_alive()).unwrap().unwrap();
    assert_eq!(platform.alarm(), Some(30_000));
    assert_eq!(
        job::list(stage.database(), &JobFilter::default(), 10)
            .unwrap()
            .len(),
        1
    );
    ring(&stage);
    assert_eq!(platform.alarm(), Some(60_000));
    first.release();
    first.release();
    drop(first);
    platform.run_until_idle();
    assert_eq!(platform.alarm(), Some(60_000), "one holder counts once");
    drop(second);
    platform.run_until_idle();
    assert_eq!(platform.alarm(), Some(100_000));
    platform.run(stage.cancel_job("", "a")).unwrap().unwrap();
    assert_eq!(platform.alarm(), None);
}

#[test]
fn keeping_alive_while_something_runs_ends_with_it() {
    let stage = stage_with(Settings {
        keep_alive_interval: 2_000,
        ..Settings::default()
    });
    let platform = stage.platform();
    let value = platform.run(stage.keep_alive_while(async {
        assert_eq!(platform.alarm(), Some(2_000));
        42
    }));
    assert_eq!(value, Some(Ok(42)));
    platform.run_until_idle();
    assert_eq!(platform.alarm(), None);
    platform.refuse_alarms(true);
    let refused = platform.run(stage.keep_alive_while(async { panic!("it must not begin") }));
    assert!(matches!(refused, Some(Err::<(), _>(DriverError::Alarm(_)))));
    platform.refuse_alarms(false);
    platform.run_until_idle();
    assert_eq!(stage.platform().alarm(), None, "nobody holds it");
}

#[test]
fn leases_are_dealt_with_when_they_are_due() {
    let stage = stage();
    for (kind, id) in [("once", "a"), ("again", "b"), ("fail", "c")] {
        let lease = Lease {
            owner: "child".to_owned(),
            kind: kind.to_owned(),
            id: id.to_owned(),
            due_at: 100,
        };
        lease::put(stage.database(), &lease).unwrap();
    }
    stage.platform().run(stage.rearm()).unwrap().unwrap();
    ring_until_idle(&stage);
    let mut lines = stage.application().diary.take();
    lines.sort();
    assert_eq!(
        lines,
        [
            "lease a at 100",
            "lease b at 100",
            "lease b at 1000",
            "lease c at 100",
            "lease c at 30100"
        ]
    );
}
