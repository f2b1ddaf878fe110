//! Scheduling jobs, and running those that are due, each in a future of its own.

use super::{Application, Belief, Driver, DriverError, Entropy, Event, Spawn};
use crate::Acceptance;
use crate::job::{self, Claim, JobRun, NewJob, Notice, Outcome, Scheduled, Settlement};
use flarebot_sql::{Sql, SqlError};

/// A place among the jobs that run at a time.
struct Slot<A: Application>(Driver<A>);

impl<A: Application> Slot<A> {
    fn take(driver: &Driver<A>) -> Self {
        let running = &driver.0.jobs_running;
        running.set(running.get().saturating_add(1));
        Self(driver.clone())
    }
}

impl<A: Application> Drop for Slot<A> {
    fn drop(&mut self) {
        let running = &self.0.0.jobs_running;
        running.set(running.get().saturating_sub(1));
    }
}

impl<A: Application> Driver<A> {
    /// Schedules a job under an id that is made for it, or finds the same one if it is idempotent.
    ///
    /// # Errors
    /// When the job is refused, or the alarm could not be set; in the latter case it was written all the same.
    pub async fn schedule(&self, job: &NewJob) -> Result<Scheduled, DriverError> {
        self.schedule_as(&self.0.platform.name(), job).await
    }

    /// Schedules a job under an id of the caller's, in place of an earlier one of the same owner.
    ///
    /// # Errors
    /// As [`Driver::schedule`].
    pub async fn schedule_as(&self, id: &str, job: &NewJob) -> Result<Scheduled, DriverError> {
        let calendar = |rule: &str, after| self.0.application.next_occurrence(rule, after);
        let scheduled = job::schedule(&self.0.database, id, job, self.now(), &calendar)?;
        if !self.0.has_woken.get() && !job.is_idempotent() && scheduled.acceptance == Acceptance::Accepted {
            self.observe(&Event::OneShotAtStart(scheduled.job.clone()));
        }
        // Finding a job is how an alarm that got lost is repaired, so the last one set is not believed in.
        self.arm(Belief::Doubt).await?;
        Ok(scheduled)
    }

    /// Takes a job of `owner` away; whether there was one.
    ///
    /// # Errors
    /// When the database or the alarm failed.
    pub async fn cancel_job(&self, owner: &str, id: &str) -> Result<bool, DriverError> {
        let was_there = job::cancel(&self.0.database, owner, id)?;
        self.rearm().await?;
        Ok(was_there)
    }

    /// Completes the occurrence of a run in one transaction with what `writes` writes: either both are in the database or
    /// neither is, so the occurrence counts exactly once. What the run returns afterwards does not matter. `None`, with
    /// nothing written, when the job was cancelled, replaced or taken by another run meanwhile.
    ///
    /// # Errors
    /// The error of `writes`, or the database's own.
    pub fn complete_job<T, E: From<SqlError>>(
        &self,
        run: &JobRun,
        writes: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let calendar = |rule: &str, after| self.0.application.next_occurrence(rule, after);
        let database = &self.0.database;
        let completed = Ok(Outcome::Completed);
        database.transaction(|| {
            match job::settle(database, &run.claim, &completed, self.now(), 0.0, &calendar)? {
                Settlement::Overtaken => Ok(None),
                Settlement::Completed
                | Settlement::Repeated { .. }
                | Settlement::Deferred { .. }
                | Settlement::GivenUp { .. } => writes().map(Some),
            }
        })
    }

    pub(super) fn free_slots(&self) -> u32 {
        let limit = self.0.settings.jobs_at_once.max(1);
        limit.saturating_sub(self.0.jobs_running.get())
    }

    pub(super) fn take_jobs(&self, now: i64) -> Result<(), DriverError> {
        let free = self.free_slots();
        if free == 0 {
            return Ok(());
        }
        let calendar = |rule: &str, after| self.0.application.next_occurrence(rule, after);
        let token = || self.0.platform.name();
        let claims = job::claim_due(&self.0.database, &self.0.instance, now, free, token, &calendar)?;
        for notice in claims.notices {
            self.observe(&match notice {
                Notice::Hung(job) => Event::JobHung(job),
                Notice::Lost(job) => Event::JobGivenUp(job, "its process ended in every attempt".to_owned()),
            });
        }
        for claim in claims.taken {
            self.start_job(claim);
        }
        Ok(())
    }

    fn start_job(&self, claim: Claim) {
        let slot = Slot::take(self);
        let driver = self.clone();
        self.0.platform.spawn(async move {
            driver.run_job(claim).await;
            drop(slot);
            if let Err(error) = driver.take_jobs(driver.now()) {
                driver.observe(&Event::Faulty(error.to_string()));
            }
            driver.arm_unattended().await;
        });
    }

    async fn run_job(&self, claim: Claim) {
        let run = match job::begin(&self.0.database, &claim) {
            Ok(Some(run)) => run,
            Ok(None) => return,
            Err(error) => {
                self.observe(&Event::Faulty(error.to_string()));
                // Nobody else takes it while this process lives, so it must be begun at a later wake.
                self.0.unwritten.borrow_mut().push(Box::new(move |driver| {
                    driver.start_job(claim.clone());
                    Ok(())
                }));
                return;
            }
        };
        let job = run.job.clone();
        let result = self.0.application.run_job(self, run).await;
        let random = self.0.platform.fraction();
        self.write(move |driver| {
            let calendar = |rule: &str, after| driver.0.application.next_occurrence(rule, after);
            let now = driver.now();
            match job::settle(&driver.0.database, &claim, &result, now, random, &calendar)? {
                Settlement::GivenUp { error } => driver.observe(&Event::JobGivenUp(job.clone(), error)),
                Settlement::Deferred { at } => driver.observe(&Event::JobDeferred(job.clone(), at)),
                Settlement::Completed | Settlement::Repeated { .. } | Settlement::Overtaken => {}
            }
            Ok(())
        });
    }
}
