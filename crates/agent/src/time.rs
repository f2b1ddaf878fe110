//! Instants as the protocol writes them.

use chrono::{DateTime, SecondsFormat, Utc};

/// An instant as ISO 8601 in UTC with milliseconds, such as `2026-11-30T09:05:00.042Z`. `instant` is milliseconds since
/// 1970; one beyond the calendar's range reads as 1970.
#[must_use]
pub fn iso8601(instant: i64) -> String {
    DateTime::<Utc>::from_timestamp_millis(instant)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_browsers_write_them() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (1, "1970-01-01T00:00:00.001Z"),
            (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_796_029_500_042, "2026-11-30T09:05:00.042Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (i64::MAX, "1970-01-01T00:00:00.000Z"),
        ];
        for (instant, expected) in cases {
            assert_eq!(iso8601(instant), expected);
        }
    }
}
