//! When the one alarm has to ring, derived from everything that is owed and stored nowhere else.

/// The instant to set the alarm to, in milliseconds since 1970: the earliest contribution, or the next millisecond
/// when that one is overdue. `None` means that nothing is owed, so any alarm is to be cleared.
///
/// ```
/// use flarebot_durable::alarm;
///
/// assert_eq!(alarm::next([Some(2_000), None, Some(1_500)], 1_000), Some(1_500));
/// assert_eq!(alarm::next([Some(500)], 1_000), Some(1_001));
/// assert_eq!(alarm::next([None, None], 1_000), None);
/// ```
#[must_use]
pub fn next(contributions: impl IntoIterator<Item = Option<i64>>, now: i64) -> Option<i64> {
    let earliest = contributions.into_iter().flatten().min()?;
    Some(earliest.max(now.saturating_add(1)))
}
