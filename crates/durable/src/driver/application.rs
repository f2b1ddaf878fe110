//! What the driver needs from whoever uses it: what to do when something is due, and whom to tell.

use super::{Driver, Platform};
use crate::failure::Failure;
use crate::fiber::{GivenUp, Recovery, Resolution};
use crate::job::{Job, JobRun, Outcome};
use crate::lease::Lease;
use flarebot_sql::Sql;

/// The work behind jobs, fibers and leases. Every method has a default, so an application names what it uses.
///
/// None of these futures is awaited by the alarm. Each may call the driver it is given.
#[expect(
    async_fn_in_trait,
    reason = "an object is single-threaded, so no future needs to be Send"
)]
pub trait Application: Sized + 'static {
    /// The object's database, with the migrations of this crate applied.
    type Database: Sql + 'static;
    /// Where it runs.
    type Platform: Platform;

    /// Runs a job. Work of more than a few seconds is better started as a fiber under [`JobRun::occurrence`]; what the
    /// run writes in the database is best written with [`Driver::complete_job`].
    ///
    /// # Errors
    /// A [`Failure`], whose class decides whether the job is tried again.
    async fn run_job(&self, _driver: &Driver<Self>, run: JobRun) -> Result<Outcome, Failure> {
        Err(Failure::pointless(format!(
            "nobody knows the callback {:?}",
            run.job.callback
        )))
    }

    /// Recovers a fiber whose process ended. What it returns counts for a managed fiber; `None` leaves it interrupted.
    /// It must not wait for the fiber that it recovers.
    ///
    /// # Errors
    /// A sentence that is stored with the fiber; an unmanaged one is recovered again later.
    async fn fiber_recovered(
        &self,
        _driver: &Driver<Self>,
        _recovery: Recovery,
    ) -> Result<Option<Resolution>, String> {
        Ok(None)
    }

    /// Deals with a lease that is due, which may happen twice: when it takes long, or when its process dies.
    ///
    /// # Errors
    /// A [`Failure`]; the lease comes due again in a while.
    async fn lease_due(&self, _driver: &Driver<Self>, _lease: &Lease) -> Result<LeaseOutcome, Failure> {
        Ok(LeaseOutcome::Settled)
    }

    /// The next instant of a cron expression strictly after `after`, in milliseconds since 1970.
    fn next_occurrence(&self, _expression: &str, _after: i64) -> Option<i64> {
        None
    }

    /// Hears of what is not as it should be, for the log.
    fn observe(&self, _event: &Event) {}
}

/// What becomes of a lease that was due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// It goes.
    Settled,
    /// It is due again at this instant, in milliseconds since 1970.
    Again(i64),
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An occurrence was given up, with this error.
    JobGivenUp(Job, String),
    /// An occurrence waits for the platform until this instant, in milliseconds since 1970.
    JobDeferred(Job, i64),
    /// A run of an interval took too long and was passed over.
    JobHung(Job),
    /// A job that runs once was scheduled before the first wake, so each start will add one more.
    OneShotAtStart(Job),
    /// A fiber was given up.
    FiberGivenUp(GivenUp),
    /// The recovery hook of the fiber with this id failed, with this error.
    RecoveryFailed(String, String),
    /// A scan for orphans ran out of time; the next alarm goes on with it.
    ScanDeadline,
    /// A lease could not be dealt with and comes due again.
    LeaseFailed(Lease, Failure),
    /// The database or the alarm failed behind the back of any caller, with this error. It is tried again.
    Faulty(String),
}
