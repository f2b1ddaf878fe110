//! A timer with a deadline that moves.

use crate::clock::now;
use crate::fault::{Fault, log};
use crate::sys::PlatformTimer;

/// The timer of a turn. It outlives many waits, because setting one for each chunk would cost more than the chunk: it
/// rings at the deadline or before, and a turn takes an early tick for what it is.
#[derive(Default)]
pub(crate) struct Timer {
    set: Option<(i64, PlatformTimer)>,
}

impl Timer {
    pub(crate) fn arm(&mut self, deadline: Option<i64>) {
        match (deadline, &self.set) {
            (Some(deadline), Some((instant, _))) if *instant <= deadline => {}
            (Some(deadline), _) => self.set = start(deadline),
            (None, _) => self.set = None,
        }
    }

    pub(crate) async fn ring(&mut self) {
        match &self.set {
            Some((_, timer)) => {
                if let Err(thrown) = timer.rung().await {
                    log("a timer broke", &Fault::from_js(thrown));
                }
            }
            None => std::future::pending().await,
        }
        self.set = None;
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the times of a turn are seconds and minutes"
)]
fn start(deadline: i64) -> Option<(i64, PlatformTimer)> {
    let milliseconds = deadline.saturating_sub(now()).max(0) as f64;
    match PlatformTimer::start(milliseconds) {
        Ok(timer) => Some((deadline, timer)),
        Err(thrown) => {
            log("a timer could not be started", &Fault::from_js(thrown));
            None
        }
    }
}
