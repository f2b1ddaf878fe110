//! Running fibers: the body's future, its context, and those who wait for its end.

use super::hold::KeepAlive;
use super::latch::Latch;
use super::{Application, Driver, DriverError, Entropy, Spawn};
use crate::Acceptance;
use crate::fiber::{self, Fiber, FiberEnd, FiberError, FiberStatus, NewFiber, Receipt};
use flarebot_sql::{Sql, SqlError};
use std::fmt::Display;
use std::future::Future;

/// When a start returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// When the fiber is accepted.
    Background,
    /// When the fiber is not active any more.
    Wait,
}

/// Why [`Driver::run`] gave no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError<E> {
    /// The body was not begun.
    #[error("the fiber could not be started: {0}")]
    NotStarted(#[source] DriverError),
    /// The error of the body.
    #[error("{0}")]
    Body(E),
}

/// A managed fiber whose body runs in this process.
#[derive(Clone, Default)]
pub(super) struct Live {
    cancelled: Latch,
    settled: Latch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unmanaged,
    Managed,
}

/// What the body of a fiber has at hand.
pub struct FiberContext<A: Application> {
    driver: Driver<A>,
    id: String,
    kind: Kind,
    cancelled: Latch,
}

impl<A: Application> FiberContext<A> {
    /// The fiber's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The driver.
    #[must_use]
    pub fn driver(&self) -> &Driver<A> {
        &self.driver
    }

    /// Replaces the checkpoint, whole. It is in the database when this returns.
    ///
    /// # Errors
    /// [`FiberError::NotRunning`] once the fiber was cancelled or has completed; [`FiberError::TooLarge`].
    pub fn stash(&self, snapshot: &str) -> Result<(), FiberError> {
        fiber::stash(&self.driver.0.database, &self.id, snapshot)
    }

    /// The last checkpoint.
    ///
    /// # Errors
    /// When the database refuses it.
    pub fn snapshot(&self) -> Result<Option<String>, SqlError> {
        fiber::snapshot(&self.driver.0.database, &self.id)
    }

    /// Whether somebody cancelled the fiber. To be asked around expensive work and before anything visible.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_open()
    }

    /// Waits until somebody cancels the fiber.
    pub fn cancelled(&self) -> impl Future<Output = ()> + use<A> {
        self.cancelled.wait()
    }

    /// Ends the fiber well, in one transaction with what `writes` writes: either both are in the database or neither is.
    /// `None`, with nothing written, when it was cancelled or has ended before.
    ///
    /// # Errors
    /// The error of `writes`, or the database's own.
    pub fn complete<T, E: From<SqlError>>(
        &self,
        writes: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let database = &self.driver.0.database;
        let now = self.driver.now();
        database.transaction(|| {
            let is_first = match self.kind {
                Kind::Managed => fiber::settle(database, &self.id, &FiberEnd::Completed, now)?,
                Kind::Unmanaged => fiber::finish(database, &self.id, now)?,
            };
            if is_first { writes().map(Some) } else { Ok(None) }
        })
    }
}

/// The row of an unmanaged fiber. If its future is dropped before the end, the fiber is recovered like any orphan.
struct RunRow<A: Application> {
    driver: Driver<A>,
    id: String,
    has_ended: bool,
}

impl<A: Application> RunRow<A> {
    fn end(&mut self) {
        self.has_ended = true;
        let id = self.id.clone();
        self.driver.write(move |driver| {
            fiber::finish(&driver.0.database, &id, driver.now())?;
            fiber::clear(&driver.0.database, &id)
        });
    }
}

impl<A: Application> Drop for RunRow<A> {
    fn drop(&mut self) {
        if !self.has_ended {
            let id = self.id.clone();
            self.driver
                .write(move |driver| fiber::release(&driver.0.database, &id));
        }
    }
}

impl<A: Application> Driver<A> {
    /// Runs an unmanaged fiber and hands its value on. Its row is written and the alarm is set before the body begins;
    /// the row goes when the body ends, well or not. To leave it behind, spawn the future that this returns.
    ///
    /// # Errors
    /// [`RunError`]. A fiber whose process ends gives no value to anybody; the recovery hook gets it.
    pub async fn run<T, E, F, B>(&self, name: &str, body: F) -> Result<T, RunError<E>>
    where
        F: FnOnce(FiberContext<A>) -> B,
        B: Future<Output = Result<T, E>>,
    {
        let id = self.0.platform.name();
        fiber::register(&self.0.database, &id, name, &self.0.instance, self.now())
            .map_err(|error| RunError::NotStarted(error.into()))?;
        let mut row = RunRow {
            driver: self.clone(),
            id: id.clone(),
            has_ended: false,
        };
        let hold = match self.keep_alive().await {
            Ok(hold) => hold,
            Err(error) => {
                row.end();
                return Err(RunError::NotStarted(error));
            }
        };
        let result = body(FiberContext {
            driver: self.clone(),
            id,
            kind: Kind::Unmanaged,
            cancelled: Latch::default(),
        })
        .await;
        row.end();
        drop(hold);
        result.map_err(RunError::Body)
    }

    /// Accepts a managed fiber and runs its body in the background, or finds the fiber that has its id or its key. The
    /// receipt tells which, and the fiber's status; the body's error is stored, its value is nothing.
    ///
    /// Waiting for a fiber that an earlier process left recovers it first.
    ///
    /// # Errors
    /// When the fiber is refused or the alarm could not be set; the body is not begun then.
    pub async fn start<E, F, B>(
        &self,
        fiber: NewFiber,
        completion: Completion,
        body: F,
    ) -> Result<Receipt, DriverError>
    where
        E: Display,
        F: FnOnce(FiberContext<A>) -> B + 'static,
        B: Future<Output = Result<(), E>> + 'static,
    {
        let fresh_id = self.0.platform.name();
        let database = &self.0.database;
        let receipt = fiber::accept(database, &fiber, &fresh_id, &self.0.instance, self.now())?;
        let id = receipt.fiber.id.clone();
        if receipt.acceptance == Acceptance::Accepted {
            let live = Live::default();
            self.0.live.borrow_mut().insert(id.clone(), live.clone());
            let hold = match self.keep_alive().await {
                Ok(hold) => hold,
                Err(error) => {
                    self.end(&id, FiberEnd::Error(error.to_string()));
                    return Err(error);
                }
            };
            let context = FiberContext {
                driver: self.clone(),
                id,
                kind: Kind::Managed,
                cancelled: live.cancelled,
            };
            let driver = self.clone();
            self.0
                .platform
                .spawn(async move { driver.drive(context, hold, body).await });
        }
        match completion {
            Completion::Background => Ok(receipt),
            Completion::Wait => {
                let fiber = self.join(receipt.fiber).await?;
                Ok(Receipt { fiber, ..receipt })
            }
        }
    }

    async fn drive<E, F, B>(&self, context: FiberContext<A>, hold: KeepAlive<A>, body: F)
    where
        E: Display,
        F: FnOnce(FiberContext<A>) -> B,
        B: Future<Output = Result<(), E>>,
    {
        let id = context.id.clone();
        match fiber::begin(&self.0.database, &id, &self.0.instance, self.now()) {
            Ok(true) => {
                let end = match body(context).await {
                    Ok(()) => FiberEnd::Completed,
                    Err(error) => FiberEnd::Error(error.to_string()),
                };
                self.end(&id, end);
            }
            // It was cancelled before its turn came.
            Ok(false) => self.forget(&id),
            Err(error) => self.end(
                &id,
                FiberEnd::Error(format!("the fiber could not be started: {error}")),
            ),
        }
        drop(hold);
    }

    /// Writes the end of a managed fiber, unless it was cancelled, and lets go of it.
    fn end(&self, id: &str, end: FiberEnd) {
        let ended = id.to_owned();
        self.write(move |driver| {
            fiber::settle(&driver.0.database, &ended, &end, driver.now())?;
            fiber::clear(&driver.0.database, &ended)
        });
        self.forget(id);
    }

    fn forget(&self, id: &str) {
        let live = self.0.live.borrow_mut().remove(id);
        if let Some(live) = live {
            live.settled.open();
        }
    }

    /// Waits until a fiber is not active any more.
    async fn join(&self, fiber: Fiber) -> Result<Fiber, DriverError> {
        let id = fiber.id.clone();
        let live = self.0.live.borrow().get(&id).cloned();
        match live {
            Some(live) if fiber.status.is_active() => live.settled.wait().await,
            Some(_) | None => {
                if fiber.status.is_active() || fiber.status == FiberStatus::Interrupted {
                    self.recover_one(&id).await?;
                }
            }
        }
        Ok(fiber::inspect(&self.0.database, &id)?.unwrap_or(fiber))
    }

    /// Cancels a managed fiber that is pending or running: the ledger says so from now on, whatever its body does, and
    /// those who wait for it go on. The body is told through its context. `false` when there is none such.
    ///
    /// # Errors
    /// When the database refuses it.
    pub fn cancel_fiber(&self, id: &str, reason: Option<&str>) -> Result<bool, SqlError> {
        let cancelled = fiber::cancel(&self.0.database, id, reason, self.now())?;
        if cancelled {
            let live = self.0.live.borrow().get(id).cloned();
            if let Some(live) = live {
                live.cancelled.open();
                live.settled.open();
            }
        }
        Ok(cancelled)
    }

    /// Cancels the fiber with this idempotency key, as [`Driver::cancel_fiber`] does.
    ///
    /// # Errors
    /// When the database refuses it.
    pub fn cancel_fiber_by_key(&self, key: &str, reason: Option<&str>) -> Result<bool, SqlError> {
        match fiber::inspect_by_key(&self.0.database, key)? {
            Some(fiber) => self.cancel_fiber(&fiber.id, reason),
            None => Ok(false),
        }
    }
}
