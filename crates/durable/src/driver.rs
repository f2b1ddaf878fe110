//! The small asynchronous part: it sets the alarm, hands out what is due, and runs fibers.
//!
//! [`Driver::wake`] is to be called when the object is made and whenever its alarm rings. It first sets the alarm anew,
//! should anything after that kill the process; it then takes what is due, leaves each piece of work to a future of its
//! own, derives the next alarm and returns. It never awaits work.
//!
//! ```
//! use flarebot_durable::driver::{Application, Driver, Settings};
//! use flarebot_durable::failure::Failure;
//! use flarebot_durable::job::{JobRun, NewJob, Outcome, When};
//! use flarebot_durable::simulation::Simulation;
//! use flarebot_durable::{COMPONENT, MIGRATIONS};
//! use flarebot_sql::{migrate, native::Database};
//!
//! struct Greeter;
//!
//! impl Application for Greeter {
//!     type Database = Database;
//!     type Platform = Simulation;
//!
//!     async fn run_job(&self, _driver: &Driver<Self>, run: JobRun) -> Result<Outcome, Failure> {
//!         println!("hello, {}", run.job.payload);
//!         Ok(Outcome::Completed)
//!     }
//! }
//!
//! let database = Database::in_memory()?;
//! migrate(&database, COMPONENT, MIGRATIONS, 0)?;
//! let platform = Simulation::new(1_000);
//! let driver = Driver::new(database, platform.clone(), Greeter, Settings::default());
//!
//! let greeting = NewJob {
//!     payload: "world".to_owned(),
//!     ..NewJob::new("greet", When::After(500))
//! };
//! platform.run(driver.schedule(&greeting)).unwrap()?;
//! assert_eq!(platform.alarm(), Some(1_500));
//!
//! platform.advance_to(1_500);
//! assert!(platform.take_due_alarm());
//! platform.run(driver.wake()).unwrap()?;
//! platform.run_until_idle();
//! assert_eq!(platform.alarm(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod application;
mod fibers;
mod hold;
mod jobs;
mod latch;
mod leases;
mod platform;
mod scan;

pub use application::{Application, Event, LeaseOutcome};
pub use fibers::{Completion, FiberContext, RunError};
pub use hold::KeepAlive;
pub use platform::{AlarmClock, Clock, Entropy, Platform, Spawn};

use crate::alarm;
use crate::fiber::{self, FiberError, RecoveryLimits};
use crate::job::{self, JobError, WATCH_INTERVAL};
use crate::keep_alive::{Heartbeat, KEEP_ALIVE_INTERVAL};
use crate::lease;
use fibers::Live;
use flarebot_sql::SqlError;
use latch::{Latch, Turns};
use scan::Flight;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How the driver behaves. Lengths of time are milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How far apart beats are while the object is kept alive: 30 seconds.
    pub keep_alive_interval: i64,
    /// How soon the alarm rings again if a wake does not come to its end, or something failed: 30 seconds.
    pub dead_man: i64,
    /// How many jobs run at a time: 32.
    pub jobs_at_once: u32,
    /// How long one scan goes on calling recovery hooks: 10 seconds.
    pub scan_deadline: i64,
    /// The bounds of recovery.
    pub recovery: RecoveryLimits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            keep_alive_interval: KEEP_ALIVE_INTERVAL,
            dead_man: 30_000,
            jobs_at_once: 32,
            scan_deadline: 10_000,
            recovery: RecoveryLimits::default(),
        }
    }
}

/// Why a call of the driver failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// The job was refused.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The fiber was refused.
    #[error(transparent)]
    Fiber(#[from] FiberError),
    /// The database refused something.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The platform refused to set the alarm.
    #[error("the alarm could not be set: {0}")]
    Alarm(String),
}

/// Drives the durable work of one object in one process. Clones are the same driver.
pub struct Driver<A: Application>(Rc<Inner<A>>);

struct Inner<A: Application> {
    database: A::Database,
    platform: A::Platform,
    application: A,
    settings: Settings,
    /// Names this process, so that what an earlier one held is seen to be lost.
    instance: String,
    has_woken: Cell<bool>,
    heartbeat: Cell<Heartbeat>,
    armed: Cell<Armed>,
    alarm_turns: Turns,
    jobs_running: Cell<u32>,
    live: RefCell<BTreeMap<String, Live>>,
    recovering: RefCell<BTreeMap<String, Latch>>,
    flight: Cell<Option<Flight>>,
    flights: Cell<u64>,
    unwritten: RefCell<Vec<Write<A>>>,
}

/// A write that failed and is tried again at each wake until it succeeds.
type Write<A> = Box<dyn Fn(&Driver<A>) -> Result<(), SqlError>>;

/// What the platform's alarm was last set to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Armed {
    Unknown,
    To(Option<i64>),
}

/// Whether the alarm that was set last is believed to be there still.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Belief {
    Trust,
    Doubt,
}

impl<A: Application> Clone for Driver<A> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<A: Application> Driver<A> {
    /// A driver for the process that calls this. Nothing happens until [`Driver::wake`].
    pub fn new(database: A::Database, platform: A::Platform, application: A, settings: Settings) -> Self {
        let instance = platform.name();
        Self(Rc::new(Inner {
            database,
            platform,
            application,
            settings,
            instance,
            has_woken: Cell::new(false),
            heartbeat: Cell::new(Heartbeat::new(settings.keep_alive_interval)),
            armed: Cell::new(Armed::Unknown),
            alarm_turns: Turns::default(),
            jobs_running: Cell::new(0),
            live: RefCell::default(),
            recovering: RefCell::default(),
            flight: Cell::new(None),
            flights: Cell::new(0),
            unwritten: RefCell::default(),
        }))
    }

    /// The database, for the functions of [`crate::job`], [`crate::fiber`] and [`crate::lease`] that read, resolve or
    /// delete. After writing a lease, call [`Driver::rearm`].
    #[must_use]
    pub fn database(&self) -> &A::Database {
        &self.0.database
    }

    /// The application.
    #[must_use]
    pub fn application(&self) -> &A {
        &self.0.application
    }

    /// Where it runs.
    #[must_use]
    pub fn platform(&self) -> &A::Platform {
        &self.0.platform
    }

    /// Takes up what is due. To be called when the object is made, and by its alarm.
    ///
    /// # Errors
    /// When the database or the alarm failed. The platform then rings again by itself, or the alarm that was set first
    /// does.
    pub async fn wake(&self) -> Result<(), DriverError> {
        let dead_man = self.now().saturating_add(self.0.settings.dead_man);
        {
            let _turn = self.0.alarm_turns.take().await;
            self.set_alarm(Some(dead_man)).await?;
        }
        let taken_up = self.take_up();
        let armed = self.arm(Belief::Doubt).await;
        taken_up.and(armed)
    }

    /// Sets the alarm to what is owed next.
    ///
    /// # Errors
    /// When the database or the alarm failed.
    pub async fn rearm(&self) -> Result<(), DriverError> {
        self.arm(Belief::Trust).await
    }

    /// Each part is tried, whatever became of the others; the first error is the answer.
    fn take_up(&self) -> Result<(), DriverError> {
        let now = self.now();
        let found = self.find_lost(now);
        self.write_again();
        let mut heartbeat = self.0.heartbeat.get();
        heartbeat.beat(now);
        self.0.heartbeat.set(heartbeat);
        let jobs = self.take_jobs(now);
        let leases = self.take_leases(now);
        let scan = self.scan(now);
        found.and(jobs).and(leases).and(scan)
    }

    /// What earlier processes left, once in the life of this one.
    fn find_lost(&self, now: i64) -> Result<(), DriverError> {
        if !self.0.has_woken.get() {
            job::release_lost(&self.0.database, &self.0.instance, now)?;
            fiber::find_lost(&self.0.database, &self.0.instance, now)?;
            self.0.has_woken.set(true);
        }
        Ok(())
    }

    async fn arm(&self, belief: Belief) -> Result<(), DriverError> {
        // One at a time, each deriving anew, so that the last one set is the latest one derived.
        let _turn = self.0.alarm_turns.take().await;
        let wanted = self.next_alarm()?;
        if belief == Belief::Trust && self.0.armed.get() == Armed::To(wanted) {
            return Ok(());
        }
        self.set_alarm(wanted).await
    }

    async fn set_alarm(&self, wanted: Option<i64>) -> Result<(), DriverError> {
        self.0.armed.set(Armed::Unknown);
        self.0.platform.set(wanted).await.map_err(DriverError::Alarm)?;
        self.0.armed.set(Armed::To(wanted));
        Ok(())
    }

    fn next_alarm(&self) -> Result<Option<i64>, DriverError> {
        let now = self.now();
        let database = &self.0.database;
        let in_a_while = now.saturating_add(self.0.settings.dead_man);
        let mut jobs = job::next_wake(database)?;
        if self.free_slots() == 0 {
            // The next run that ends takes up what is due; the alarm is for the case that none does.
            jobs = jobs.map(|at| at.max(now.saturating_add(WATCH_INTERVAL)));
        }
        let mut orphans = fiber::next_orphan_due(database, &self.0.instance)?;
        if self.0.flight.get().is_some() {
            // The scan that is under way goes on by itself; the alarm is for the case that a hook hangs.
            orphans = orphans.map(|at| at.max(in_a_while));
        }
        let unwritten = (!self.0.unwritten.borrow().is_empty()).then_some(in_a_while);
        let contributions = [
            jobs,
            orphans,
            unwritten,
            lease::next_due(database)?,
            self.0.heartbeat.get().next(),
        ];
        Ok(alarm::next(contributions, now))
    }

    /// Sets the alarm where nobody waits for it to be set.
    async fn arm_unattended(&self) {
        if let Err(error) = self.rearm().await {
            self.observe(&Event::Faulty(error.to_string()));
        }
    }

    /// Writes something that must not be lost in this process: now, or at a later wake.
    fn write(&self, write: impl Fn(&Self) -> Result<(), SqlError> + 'static) {
        if let Err(error) = write(self) {
            self.observe(&Event::Faulty(error.to_string()));
            self.0.unwritten.borrow_mut().push(Box::new(write));
        }
    }

    fn write_again(&self) {
        for write in self.0.unwritten.take() {
            if write(self).is_err() {
                self.0.unwritten.borrow_mut().push(write);
            }
        }
    }

    fn now(&self) -> i64 {
        self.0.platform.now()
    }

    fn observe(&self, event: &Event) {
        self.0.application.observe(event);
    }
}
