//! Dealing with leases that are due, each in a future of its own.

use super::{Application, Driver, DriverError, Event, LeaseOutcome, Spawn};
use crate::lease::{self, Lease};

/// How many leases one wake takes up.
const LEASES_AT_ONCE: u32 = 64;

impl<A: Application> Driver<A> {
    pub(super) fn take_leases(&self, now: i64) -> Result<(), DriverError> {
        let again_at = now.saturating_add(self.0.settings.dead_man);
        let taken = lease::take_due(&self.0.database, now, LEASES_AT_ONCE, again_at)?;
        for lease in taken {
            let driver = self.clone();
            self.0.platform.spawn(async move {
                driver.deal_with(lease).await;
                driver.arm_unattended().await;
            });
        }
        Ok(())
    }

    async fn deal_with(&self, lease: Lease) {
        match self.0.application.lease_due(self, &lease).await {
            Ok(LeaseOutcome::Settled) => {
                self.write(move |driver| lease::settle(&driver.0.database, &lease));
            }
            Ok(LeaseOutcome::Again(at)) => {
                self.write(move |driver| lease::postpone(&driver.0.database, &lease, at));
            }
            Err(failure) => self.observe(&Event::LeaseFailed(lease, failure)),
        }
    }
}
