//! What the driver needs from the platform: an alarm, a clock, somebody who runs futures, and chance.

use std::future::Future;

/// The one alarm of an object.
pub trait AlarmClock {
    /// Sets the alarm to an instant in milliseconds since 1970, in place of any other, or clears it with `None`. The
    /// alarm calls [`super::Driver::wake`]. An object without an alarm of its own asks its parent to be woken then.
    ///
    /// # Errors
    /// A sentence for the log, when the platform refuses it.
    fn set(&self, instant: Option<i64>) -> impl Future<Output = Result<(), String>>;
}

/// Runs futures beside the one that spawned them, in the same thread.
pub trait Spawn {
    /// Starts a future; nobody waits for it.
    fn spawn(&self, task: impl Future<Output = ()> + 'static);
}

/// The time.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> i64;
}

/// Chance.
pub trait Entropy {
    /// A number that is at least 0 and below 1.
    fn fraction(&self) -> f64;

    /// A name that was never used and cannot be guessed, such as a random UUID.
    fn name(&self) -> String;
}

/// All of it.
pub trait Platform: AlarmClock + Spawn + Clock + Entropy + 'static {}

impl<P: AlarmClock + Spawn + Clock + Entropy + 'static> Platform for P {}
