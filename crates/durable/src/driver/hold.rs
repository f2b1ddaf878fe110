//! Keeping the object in memory from the outside of a fiber.

use super::{Application, Driver, DriverError, Spawn};
use std::cell::Cell;
use std::future::Future;

/// Keeps the object in memory until it is released or dropped.
#[must_use = "the object is kept alive while this value lives"]
pub struct KeepAlive<A: Application> {
    driver: Driver<A>,
    released: Cell<bool>,
}

impl<A: Application> KeepAlive<A> {
    /// Lets the object go, as far as this holder is concerned. Doing so twice is doing it once.
    pub fn release(&self) {
        if self.released.replace(true) {
            return;
        }
        let mut heartbeat = self.driver.0.heartbeat.get();
        heartbeat.release();
        self.driver.0.heartbeat.set(heartbeat);
        let driver = self.driver.clone();
        self.driver
            .0
            .platform
            .spawn(async move { driver.arm_unattended().await });
    }
}

impl<A: Application> Drop for KeepAlive<A> {
    fn drop(&mut self) {
        self.release();
    }
}

impl<A: Application> Driver<A> {
    /// Keeps the object in memory: the alarm beats until the value is released. The last release restores the alarm of
    /// what is owed.
    ///
    /// # Errors
    /// When the database or the alarm failed; the object is not held then.
    pub async fn keep_alive(&self) -> Result<KeepAlive<A>, DriverError> {
        let mut heartbeat = self.0.heartbeat.get();
        heartbeat.acquire(self.now());
        self.0.heartbeat.set(heartbeat);
        let hold = KeepAlive {
            driver: self.clone(),
            released: Cell::new(false),
        };
        self.rearm().await?;
        Ok(hold)
    }

    /// Keeps the object in memory while `work` goes on.
    ///
    /// # Errors
    /// As [`Driver::keep_alive`]; `work` is not begun then.
    pub async fn keep_alive_while<T>(&self, work: impl Future<Output = T>) -> Result<T, DriverError> {
        let _hold = self.keep_alive().await?;
        Ok(work.await)
    }
}
