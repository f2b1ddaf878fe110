//! The one error of this crate: what went wrong, and what the developer does next.

use std::fmt;
use std::path::Path;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Ends a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Every failure says what to do next, so both parts are asked for.
    Explained { what: String, next: String },
    /// The command's own last line already says what failed.
    Reported,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::Explained {
            what: what.into(),
            next: next.into(),
        }
    }

    /// What went wrong, without what to do next.
    pub(crate) fn what(&self) -> &str {
        match self {
            Self::Explained { what, .. } => what,
            Self::Reported => "see above",
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
        match self {
            Self::Explained { what, next } => write!(formatter, "error: {what}\n  next: {next}"),
            Self::Reported => Ok(()),
        }
    }
}
