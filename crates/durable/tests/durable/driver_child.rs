//! A child object without an alarm of its own: its alarm is a lease at the parent, whose alarm wakes it.

use crate::common::database;
use flarebot_durable::driver::{
    AlarmClock, Application, Clock, Driver, Entropy, LeaseOutcome, Settings, Spawn,
};
use flarebot_durable::failure::Failure;
use flarebot_durable::fiber::{Recovery, Resolution};
use flarebot_durable::job::{JobRun, NewJob, Outcome, When};
use flarebot_durable::lease::{self, Lease};
use flarebot_durable::simulation::Simulation;
use flarebot_sql::native::Database;
use std::cell::RefCell;
use std::future::{Future, pending};
use std::rc::Rc;

const CHILD: &str = "conversation 1";

type Log = Rc<RefCell<Vec<String>>>;
type Place = Rc<RefCell<Option<Driver<Child>>>>;

/// The parent knows its child and wakes it.
struct Parent {
    child: Place,
}

impl Application for Parent {
    type Database = Database;
    type Platform = Simulation;

    async fn lease_due(&self, _driver: &Driver<Self>, lease: &Lease) -> Result<LeaseOutcome, Failure> {
        let child = self.child.borrow().clone();
        let child = child.filter(|_| lease.owner == CHILD);
        let child = child.ok_or_else(|| Failure::application("the child cannot be reached"))?;
        child
            .wake()
            .await
            .map_err(|error| Failure::application(error.to_string()))?;
        // The child has written the lease again, or removed it, as it needs.
        Ok(LeaseOutcome::Settled)
    }
}

struct Child {
    log: Log,
}

impl Application for Child {
    type Database = Database;
    type Platform = ChildPlatform;

    async fn run_job(&self, driver: &Driver<Self>, run: JobRun) -> Result<Outcome, Failure> {
        let line = format!("{} at {}", run.job.callback, driver.platform().now());
        self.log.borrow_mut().push(line);
        Ok(Outcome::Completed)
    }

    async fn fiber_recovered(
        &self,
        _driver: &Driver<Self>,
        recovery: Recovery,
    ) -> Result<Option<Resolution>, String> {
        self.log.borrow_mut().push(format!("recover {}", recovery.name));
        Ok(None)
    }
}

/// The child's platform: everything but the alarm is its own.
struct ChildPlatform {
    simulation: Simulation,
    parent: Driver<Parent>,
}

impl AlarmClock for ChildPlatform {
    async fn set(&self, instant: Option<i64>) -> Result<(), String> {
        let database = self.parent.database();
        let written = match instant {
            Some(due_at) => lease::put(
                database,
                &Lease {
                    owner: CHILD.to_owned(),
                    kind: "wake".to_owned(),
                    id: String::new(),
                    due_at,
                },
            ),
            None => lease::remove(database, CHILD, "wake", ""),
        };
        written.map_err(|error| error.to_string())?;
        self.parent.rearm().await.map_err(|error| error.to_string())
    }
}

impl Spawn for ChildPlatform {
    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.simulation.spawn(task);
    }
}

impl Clock for ChildPlatform {
    fn now(&self) -> i64 {
        self.simulation.now()
    }
}

impl Entropy for ChildPlatform {
    fn fraction(&self) -> f64 {
        self.simulation.fraction()
    }

    fn name(&self) -> String {
        self.simulation.name()
    }
}

struct Family {
    parent: Driver<Parent>,
    child: Driver<Child>,
    platform: Simulation,
    log: Log,
}

impl Family {
    fn new(parent: Database, child: Database, platform: Simulation) -> Self {
        let place = Place::default();
        let log = Log::default();
        let parent = Driver::new(
            parent,
            platform.clone(),
            Parent {
                child: Rc::clone(&place),
            },
            Settings::default(),
        );
        let child = Driver::new(
            child,
            ChildPlatform {
                simulation: platform.clone(),
                parent: parent.clone(),
            },
            Child { log: Rc::clone(&log) },
            Settings::default(),
        );
        *place.borrow_mut() = Some(child.clone());
        Self {
            parent,
            child,
            platform,
            log,
        }
    }

    /// The next process, with the parent alone awake.
    fn next_process(&self) -> Self {
        let parent = self.parent.database().copy().unwrap();
        let child = self.child.database().copy().unwrap();
        self.platform.end_process();
        Self::new(parent, child, self.platform.clone())
    }

    /// Rings the parent's alarm until there is none; how often.
    fn ring_until_idle(&self) -> u32 {
        for rings in 0..100 {
            self.platform.run_until_idle();
            let Some(at) = self.platform.alarm() else {
                return rings;
            };
            self.platform.advance_to(at);
            self.platform.run_until_idle();
            if self.platform.take_due_alarm() {
                self.platform.run(self.parent.wake()).unwrap().unwrap();
            }
        }
        panic!("the alarm never stops");
    }
}

fn family() -> Family {
    Family::new(database(), database(), Simulation::new(0))
}

#[test]
fn a_job_of_the_child_rings_at_the_parent_and_leaves_nothing_there() {
    let family = family();
    let job = NewJob::new("remind", When::After(500));
    family.platform.run(family.child.schedule(&job)).unwrap().unwrap();
    assert_eq!(family.platform.alarm(), Some(500));
    family.ring_until_idle();
    assert_eq!(family.log.take(), ["remind at 500"]);
    assert_eq!(lease::next_due(family.parent.database()).unwrap(), None);
}

#[test]
fn a_fiber_of_a_child_is_recovered_by_the_parents_alarm_alone() {
    let family = family();
    let child = family.child.clone();
    family.platform.spawn(async move {
        let run = child.run("turn", |_| pending::<Result<(), String>>());
        let _ = run.await;
    });
    family.platform.run_until_idle();
    assert_eq!(
        lease::next_due(family.parent.database()).unwrap(),
        Some(30_000),
        "the child's beat is the parent's lease"
    );
    let next = family.next_process();
    assert_eq!(next.platform.alarm(), Some(30_000));
    next.ring_until_idle();
    assert_eq!(next.log.take(), ["recover turn"]);
    assert_eq!(lease::next_due(next.parent.database()).unwrap(), None);
}

#[test]
fn a_child_keeps_beating_at_the_parent_for_as_long_as_its_fiber_runs() {
    let family = family();
    let child = family.child.clone();
    let simulation = family.platform.clone();
    family.platform.spawn(async move {
        let run = child.run("turn", |_| async move {
            simulation.sleep(300_000).await;
            Ok::<(), String>(())
        });
        run.await.unwrap();
    });
    let rings = family.ring_until_idle();
    assert_eq!(rings, 10, "every 30 seconds, and then no more");
    assert_eq!(family.platform.now(), 300_000);
    assert_eq!(lease::next_due(family.parent.database()).unwrap(), None);
}

#[test]
fn a_child_that_cannot_be_reached_is_tried_again_until_it_is_pruned() {
    let family = family();
    let job = NewJob::new("remind", When::After(500));
    family.platform.run(family.child.schedule(&job)).unwrap().unwrap();
    family.parent.application().child.take();
    family.platform.advance_to(500);
    assert!(family.platform.take_due_alarm());
    family.platform.run(family.parent.wake()).unwrap().unwrap();
    family.platform.run_until_idle();
    assert_eq!(family.platform.alarm(), Some(30_500));
    lease::remove_owner(family.parent.database(), CHILD).unwrap();
    family.platform.run(family.parent.rearm()).unwrap().unwrap();
    assert_eq!(family.platform.alarm(), None);
}
