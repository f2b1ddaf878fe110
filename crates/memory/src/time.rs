//! Instants as the protocol writes them.

use chrono::{DateTime, SecondsFormat, Utc};

/// An instant, in milliseconds since 1970, as ISO 8601 in UTC. One beyond the calendar's range reads as 1970.
pub(crate) fn iso8601(instant: i64) -> String {
    DateTime::<Utc>::from_timestamp_millis(instant)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}
