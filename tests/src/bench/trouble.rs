//! What went wrong with a measurement. It stands in the table in place of a figure, so it is one short sentence.

use std::fmt;

/// Why there is no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble(String);

/// What a measurement gives.
pub(super) type Result<T> = std::result::Result<T, Trouble>;

impl Trouble {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Trouble {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("not the JSON that was expected: {error}"))
    }
}
