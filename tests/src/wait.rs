//! Waiting for something that another process does.

use std::time::{Duration, Instant};

/// How long a test waits for what should come at once. Generous, because the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Asks again and again until there is an answer.
///
/// # Panics
/// When there is none within `patience`; the message names `what` was waited for.
pub fn eventually<T>(what: &str, patience: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what}: not within {patience:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
