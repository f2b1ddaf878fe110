//! Dealing with leases that are due, each in a future of its own.

use super::{Application, Driver, DriverError, Entropy, Event, LeaseOutcome, Spawn};
use crate::lease::{self, Taken};

/// How many leases one wake takes up.
const LEASES_AT_ONCE: u32 = 64;

impl<A: Application> Driver<A> {
    pub(super) fn take_leases(&self, now: i64) -> Result<(), DriverError> {
        let again_at = now.saturating_add(self.0.settings.dead_man);
        let token = || self.0.platform.name();
        for taken in lease::take_due(&self.0.database, now, LEASES_AT_ONCE, again_at, token)? {
            let driver = self.clone();
            self.0.platform.spawn(async move {
                driver.deal_with(taken).await;
                driver.arm_unattended().await;
            });
        }
        Ok(())
    }

    async fn deal_with(&self, taken: Taken) {
        match self.0.application.lease_due(self, &taken.lease).await {
            Ok(LeaseOutcome::Settled) => {
                self.write(move |driver| lease::settle(&driver.0.database, &taken));
            }
            Ok(LeaseOutcome::Again(at)) => {
                self.write(move |driver| lease::postpone(&driver.0.database, &taken, at));
            }
            Err(failure) => self.observe(&Event::LeaseFailed(taken.lease, failure)),
        }
    }
}
