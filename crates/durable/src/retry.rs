//! How often a failed attempt is repeated and how long to wait before it: with jitter, so that what failed together does
//! not come back together.

/// How the attempts of one occurrence are bounded and spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often an occurrence is tried in all, at least 1. With 1 it is not tried again after the work failed or its
    /// process died in it. A failure of the platform that the run reports as such is not charged in any case.
    pub maximum_attempts: u32,
    /// The longest delay after the first attempt is twice this, in milliseconds; it doubles with each attempt.
    pub base_delay: i64,
    /// No delay is longer than this, in milliseconds.
    pub maximum_delay: i64,
}

/// Why a policy is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RetryPolicyError {
    /// Work that is never tried is not work.
    #[error("an occurrence needs at least one attempt")]
    NoAttempt,
    /// Delays are lengths of time.
    #[error("the delays between attempts must be longer than 0 milliseconds")]
    NoDelay,
    /// The first delay would already be above the longest one.
    #[error("the first delay between attempts is longer than the longest")]
    BaseAboveMaximum,
}

impl Default for RetryPolicy {
    /// Three attempts, from 100 milliseconds to 3 seconds apart.
    fn default() -> Self {
        Self {
            maximum_attempts: 3,
            base_delay: 100,
            maximum_delay: 3_000,
        }
    }
}

impl RetryPolicy {
    /// One attempt and no more.
    #[must_use]
    pub fn once() -> Self {
        Self {
            maximum_attempts: 1,
            ..Self::default()
        }
    }

    /// Whether the numbers make sense together.
    ///
    /// # Errors
    /// [`RetryPolicyError`] names the first that does not.
    pub fn validate(&self) -> Result<(), RetryPolicyError> {
        if self.maximum_attempts == 0 {
            return Err(RetryPolicyError::NoAttempt);
        }
        if self.base_delay <= 0 || self.maximum_delay <= 0 {
            return Err(RetryPolicyError::NoDelay);
        }
        if self.base_delay > self.maximum_delay {
            return Err(RetryPolicyError::BaseAboveMaximum);
        }
        Ok(())
    }

    /// How long to wait after the attempt numbered `attempt` (from 1), in milliseconds: a random part of a bound that
    /// doubles. `random` is at least 0 and below 1.
    ///
    /// ```
    /// use flarebot_durable::retry::RetryPolicy;
    ///
    /// let policy = RetryPolicy::default();
    /// assert_eq!(policy.delay_after(1, 0.5), 100);
    /// assert_eq!(policy.delay_after(30, 0.5), 1_500);
    /// assert_eq!(policy.delay_after(1, 0.0), 0);
    /// ```
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "delays are far below 2^53 milliseconds"
    )]
    pub fn delay_after(&self, attempt: u32, random: f64) -> i64 {
        let bound = doubled(self.base_delay, attempt).min(self.maximum_delay);
        (bound as f64 * random.clamp(0.0, 1.0)).floor() as i64
    }
}

/// The first wait of [`back_off`], in milliseconds.
pub const FIRST_BACK_OFF: i64 = 30_000;
/// The longest wait of [`back_off`], in milliseconds.
pub const LONGEST_BACK_OFF: i64 = 5 * 60 * 1_000;

/// How long something is left alone that has failed `failures` times in a row through no fault of its own, in
/// milliseconds: 30 seconds after the first failure, doubled with each one more, five minutes at most.
#[must_use]
pub fn back_off(failures: u32) -> i64 {
    doubled(FIRST_BACK_OFF, failures.saturating_sub(1)).min(LONGEST_BACK_OFF)
}

fn doubled(amount: i64, times: u32) -> i64 {
    // Twenty doublings are a million times the amount: more than any bound here.
    amount.saturating_mul(1_i64 << times.min(20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_keeps_failing_is_left_alone_for_longer_and_at_most_five_minutes() {
        let waits: Vec<i64> = (1..=6).map(back_off).collect();
        assert_eq!(waits, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
        assert_eq!(back_off(u32::MAX), LONGEST_BACK_OFF);
        assert_eq!(back_off(0), FIRST_BACK_OFF);
    }

    #[test]
    fn a_policy_without_sense_is_refused() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.validate(), Ok(()));
        let cases = [
            (0, 100, 3_000, RetryPolicyError::NoAttempt),
            (1, 0, 3_000, RetryPolicyError::NoDelay),
            (1, 100, -1, RetryPolicyError::NoDelay),
            (1, 3_001, 3_000, RetryPolicyError::BaseAboveMaximum),
        ];
        for (maximum_attempts, base_delay, maximum_delay, expected) in cases {
            let policy = RetryPolicy {
                maximum_attempts,
                base_delay,
                maximum_delay,
            };
            assert_eq!(policy.validate(), Err(expected));
        }
    }

    proptest! {
        #[test]
        fn a_delay_is_never_above_its_bounds(attempt in any::<u32>(), random in 0.0..1.0_f64, base in 1_i64..10_000) {
            let policy = RetryPolicy { base_delay: base, maximum_delay: 10_000, ..RetryPolicy::default() };
            let delay = policy.delay_after(attempt, random);
            prop_assert!((0..=10_000).contains(&delay));
            if attempt < 20 {
                prop_assert!(delay <= base << attempt);
            }
        }
    }
}
