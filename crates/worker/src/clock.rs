//! The clock and the randomness of the shell. Domain crates get both as values.

use crate::fault::Fault;
use crate::sys;
use uuid::Uuid;

/// The time, in milliseconds since 1970.
#[expect(
    clippy::cast_possible_truncation,
    reason = "whole milliseconds are exact in a double for ages"
)]
pub(crate) fn now() -> i64 {
    js_sys::Date::now() as i64
}

/// A random UUID from the platform's generator.
pub(crate) fn random_uuid() -> Result<Uuid, Fault> {
    let text = sys::random_uuid().map_err(Fault::from_js)?;
    Uuid::try_parse(&text).map_err(|_| Fault::internal("the platform made an unreadable UUID"))
}
