//! The one error of this crate: what went wrong, and what the developer does next.

use std::fmt;
use std::path::Path;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Ends a command. Every failure says what to do next, so both parts are asked for.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    next: String,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            next: next.into(),
        }
    }

    /// A file or folder that cannot be used.
    pub(crate) fn at(path: &Path, error: &std::io::Error) -> Self {
        Self::new(
            format!("cannot use {}: {error}", path.display()),
            "check that it exists, that it is yours, and that the disk is not full; then run the command again",
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n  next: {}", self.what, self.next)
    }
}
