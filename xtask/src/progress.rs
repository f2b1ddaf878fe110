//! What the developer sees while a command works: one line a step with the time since the start, on standard error, so
//! that standard output stays for results.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

static START: OnceLock<Instant> = OnceLock::new();

/// Starts the clock of the step lines.
pub(crate) fn start() {
    START.get_or_init(Instant::now);
}

/// Announces a step.
pub(crate) fn step(text: &str) {
    eprintln!("[{:>4}s] {text}", elapsed().as_secs());
}

/// Says how much of a transfer is there.
pub(crate) fn transferred(name: &str, bytes: u64, total: u64) {
    let percent = (bytes * 100).checked_div(total).unwrap_or(100).min(100);
    let filled = usize::try_from(percent / 5).unwrap_or(20);
    let bar = format!("{:-<20}", "#".repeat(filled));
    eprintln!(
        "[{:>4}s] {name} [{bar}] {} of {} MB",
        elapsed().as_secs(),
        bytes / 1_000_000,
        total / 1_000_000
    );
}

/// The time since the command started.
pub(crate) fn elapsed() -> Duration {
    START.get_or_init(Instant::now).elapsed()
}
