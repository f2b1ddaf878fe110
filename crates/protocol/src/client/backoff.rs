//! How long a client waits before it connects again: full jitter, so that many clients do not return at one instant.

const FIRST_CAP: i64 = 500;
const LAST_CAP: i64 = 30_000;

/// The delay before attempt number `attempt` (counted from 1) in milliseconds: anything from nothing to a cap that
/// doubles with each attempt. `jitter` is a random number of at least 0 and less than 1.
pub(super) fn delay(attempt: u32, jitter: f64) -> i64 {
    let doublings = attempt.saturating_sub(1).min(16);
    let cap = FIRST_CAP.saturating_mul(1 << doublings).min(LAST_CAP);
    // The cap is small enough to be exact in a double, and a strange jitter saturates.
    (cap as f64 * jitter.clamp(0.0, 1.0)) as i64
}

#[cfg(test)]
mod tests {
    use super::delay;

    #[test]
    fn the_cap_doubles_from_half_a_second_to_thirty() {
        let caps: Vec<i64> = (1..=9).map(|attempt| delay(attempt, 1.0)).collect();
        assert_eq!(
            caps,
            [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]
        );
        assert_eq!(delay(u32::MAX, 1.0), 30_000);
    }

    #[test]
    fn jitter_spreads_over_the_whole_range() {
        assert_eq!(delay(3, 0.0), 0);
        assert_eq!(delay(3, 0.25), 500);
        assert_eq!(delay(3, f64::NAN), 0);
    }
}
