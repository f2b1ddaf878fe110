//! Calling the recovery hook for what earlier processes left: one scan at a time, and not for long.

use super::latch::Latch;
use super::{Application, Driver, DriverError, Event, Spawn};
use crate::fiber::{self, FiberError, Orphan, Recovery, Resolution, Thrown};
use flarebot_sql::SqlError;

/// A scan under way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Flight {
    number: u64,
    /// When it began to deal with the orphan that it is at.
    since: i64,
}

impl<A: Application> Driver<A> {
    /// Starts a scan if an orphan is due, unless one is under way. A scan whose hook hangs is left to itself and the
    /// others are dealt with by a new one.
    pub(super) fn scan(&self, now: i64) -> Result<(), DriverError> {
        match fiber::next_orphan_due(&self.0.database, &self.0.instance)? {
            Some(due_at) if due_at <= now => {}
            Some(_) | None => return Ok(()),
        }
        if let Some(flight) = self.0.flight.get()
            && now.saturating_sub(flight.since) < self.0.settings.dead_man
        {
            return Ok(());
        }
        let number = self.0.flights.get().wrapping_add(1);
        self.0.flights.set(number);
        self.0.flight.set(Some(Flight { number, since: now }));
        let driver = self.clone();
        self.0.platform.spawn(async move {
            driver.fly(number, now).await;
            driver.arm_unattended().await;
        });
        Ok(())
    }

    async fn fly(&self, number: u64, started_at: i64) {
        loop {
            if self.0.flight.get().is_none_or(|flight| flight.number != number) {
                return;
            }
            let now = self.now();
            if now.saturating_sub(started_at) >= self.0.settings.scan_deadline {
                self.observe(&Event::ScanDeadline);
                break;
            }
            self.0.flight.set(Some(Flight { number, since: now }));
            let limits = &self.0.settings.recovery;
            match fiber::take_orphan(&self.0.database, &self.0.instance, limits, now) {
                Ok(Some(orphan)) => self.deal_with_orphan(orphan).await,
                Ok(None) => break,
                Err(error) => {
                    self.observe(&Event::Faulty(error.to_string()));
                    break;
                }
            }
        }
        self.0.flight.set(None);
    }

    /// Recovers one fiber now, if it is an orphan that nobody recovers yet; waits for whoever does.
    pub(super) async fn recover_one(&self, id: &str) -> Result<(), SqlError> {
        let under_way = self.0.recovering.borrow().get(id).cloned();
        if let Some(done) = under_way {
            done.wait().await;
            return Ok(());
        }
        let limits = &self.0.settings.recovery;
        let orphan = fiber::take_orphan_of(&self.0.database, id, &self.0.instance, limits, self.now())?;
        if let Some(orphan) = orphan {
            self.deal_with_orphan(orphan).await;
            self.arm_unattended().await;
        }
        Ok(())
    }

    async fn deal_with_orphan(&self, orphan: Orphan) {
        match orphan {
            Orphan::Ended => {}
            Orphan::GivenUp(given_up) => self.observe(&Event::FiberGivenUp(given_up)),
            Orphan::Recover(recovery) => {
                let id = recovery.id.clone();
                let done = Latch::default();
                self.0.recovering.borrow_mut().insert(id.clone(), done.clone());
                self.recover(*recovery).await;
                self.0.recovering.borrow_mut().remove(&id);
                done.open();
            }
        }
    }

    async fn recover(&self, recovery: Recovery) {
        let id = recovery.id.clone();
        let result = match self.keep_alive().await {
            Ok(_hold) => self.0.application.fiber_recovered(self, recovery).await,
            Err(error) => Err(error.to_string()),
        };
        self.write(move |driver| driver.write_recovery(&id, &result));
    }

    fn write_recovery(&self, id: &str, result: &Result<Option<Resolution>, String>) -> Result<(), SqlError> {
        let error = match result {
            Ok(resolution) => match fiber::recovered(&self.0.database, id, resolution.as_ref(), self.now()) {
                Ok(()) => return Ok(()),
                Err(FiberError::Sql(error)) => return Err(error),
                Err(
                    error @ (FiberError::Blank(_)
                    | FiberError::Conflict
                    | FiberError::TooLarge { .. }
                    | FiberError::NotRunning),
                ) => error.to_string(),
            },
            Err(error) => error.clone(),
        };
        let limits = &self.0.settings.recovery;
        let thrown = fiber::threw(&self.0.database, id, &error, limits, self.now())?;
        self.observe(&Event::RecoveryFailed(id.to_owned(), error));
        if let Thrown::GivenUp(given_up) = thrown {
            self.observe(&Event::FiberGivenUp(given_up));
        }
        Ok(())
    }
}
