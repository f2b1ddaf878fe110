//! A driver on a simulated platform, with an application that does what its callbacks and names say and writes down what
//! happened.

use crate::common::{calendar, database};
use flarebot_durable::driver::{Application, Clock, Driver, Event, LeaseOutcome, Settings};
use flarebot_durable::failure::Failure;
use flarebot_durable::fiber::{Recovery, Resolution};
use flarebot_durable::job::{JobRun, Outcome};
use flarebot_durable::lease::Lease;
use flarebot_durable::simulation::Simulation;
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use std::cell::RefCell;
use std::future::pending;
use std::rc::Rc;

/// What happened, shared by the processes of a test.
#[derive(Clone, Default)]
pub(crate) struct Diary {
    pub(crate) lines: Rc<RefCell<Vec<String>>>,
    pub(crate) events: Rc<RefCell<Vec<Event>>>,
}

impl Diary {
    pub(crate) fn take(&self) -> Vec<String> {
        self.lines.take()
    }

    pub(crate) fn write(&self, line: impl Into<String>) {
        self.lines.borrow_mut().push(line.into());
    }
}

pub(crate) struct Actor {
    platform: Simulation,
    pub(crate) diary: Diary,
}

pub(crate) type Stage = Driver<Actor>;

/// A first process.
pub(crate) fn stage() -> Stage {
    stage_with(Settings::default())
}

pub(crate) fn stage_with(settings: Settings) -> Stage {
    process(database(), Simulation::new(0), Diary::default(), settings)
}

fn process(database: Database, platform: Simulation, diary: Diary, settings: Settings) -> Stage {
    let actor = Actor {
        platform: platform.clone(),
        diary,
    };
    Driver::new(database, platform, actor, settings)
}

/// Ends the process of `stage` and starts the next one on what it left.
pub(crate) fn next_process(stage: &Stage) -> Stage {
    let database = stage.database().copy().unwrap();
    stage.platform().end_process();
    process(
        database,
        stage.platform().clone(),
        stage.application().diary.clone(),
        Settings::default(),
    )
}

/// Wakes the driver now, and lets everything go on that can.
pub(crate) fn wake(stage: &Stage) {
    let platform = stage.platform().clone();
    platform.run(stage.wake()).unwrap().unwrap();
    platform.run_until_idle();
}

/// Goes on until the next alarm and rings it; `false` when there is none.
pub(crate) fn ring(stage: &Stage) -> bool {
    let platform = stage.platform();
    platform.run_until_idle();
    let Some(at) = platform.alarm() else {
        return false;
    };
    platform.advance_to(at);
    platform.run_until_idle();
    if platform.take_due_alarm() {
        wake(stage);
    }
    true
}

/// Rings until nothing is owed; how often.
pub(crate) fn ring_until_idle(stage: &Stage) -> u32 {
    for rings in 0..500 {
        if !ring(stage) {
            return rings;
        }
    }
    panic!("the alarm never stops");
}

impl Application for Actor {
    type Database = Database;
    type Platform = Simulation;

    async fn run_job(&self, driver: &Driver<Self>, run: JobRun) -> Result<Outcome, Failure> {
        let line = format!("{} at {}", run.job.id, self.platform.now());
        self.diary.write(line);
        match run.job.callback.as_str() {
            "ok" => Ok(Outcome::Completed),
            "slow" => {
                self.platform.sleep(100_000).await;
                self.diary.write(format!("{} ends", run.job.id));
                Ok(Outcome::Completed)
            }
            "atomic" => {
                let written = driver.complete_job(&run, || {
                    driver
                        .database()
                        .exec("INSERT INTO effect (id) VALUES (?)", &[run.occurrence().into()])
                });
                match written {
                    Ok(_) => Err(Failure::application("too late to fail")),
                    Err(error) => Err(Failure::from_error(&error)),
                }
            }
            "hang" => pending().await,
            "fail" => Err(Failure::application("it broke")),
            other => Err(Failure::pointless(format!("nobody knows {other}"))),
        }
    }

    async fn fiber_recovered(
        &self,
        driver: &Driver<Self>,
        recovery: Recovery,
    ) -> Result<Option<Resolution>, String> {
        let snapshot = recovery.snapshot.unwrap_or_default();
        self.diary.write(format!("recover {} {snapshot}", recovery.name));
        match recovery.name.as_str() {
            "hang" => pending().await,
            "fail" => Err("the hook failed".to_owned()),
            "slow" => {
                self.platform.sleep(4_000).await;
                Ok(None)
            }
            "again" => {
                let diary = self.diary.clone();
                let value = driver
                    .run("again", |_| async move {
                        diary.write("went on");
                        Ok::<u32, String>(7)
                    })
                    .await
                    .map_err(|error| error.to_string())?;
                assert_eq!(value, 7);
                Ok(None)
            }
            "resolve" => Ok(Some(Resolution::Completed {
                snapshot: Some("recovered".to_owned()),
                metadata: None,
            })),
            _ => Ok(None),
        }
    }

    async fn lease_due(&self, _driver: &Driver<Self>, lease: &Lease) -> Result<LeaseOutcome, Failure> {
        self.diary
            .write(format!("lease {} at {}", lease.id, self.platform.now()));
        match lease.kind.as_str() {
            "again" if self.platform.now() < 1_000 => Ok(LeaseOutcome::Again(1_000)),
            "fail" if self.platform.now() < 1_000 => Err(Failure::application("not yet")),
            _ => Ok(LeaseOutcome::Settled),
        }
    }

    fn next_occurrence(&self, expression: &str, after: i64) -> Option<i64> {
        calendar(expression, after)
    }

    fn observe(&self, event: &Event) {
        self.diary.events.borrow_mut().push(event.clone());
    }
}
