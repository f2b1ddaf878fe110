//! How often a turn may be interrupted before it is given up.
//!
//! An attempt is counted in the turn's row before it begins, so an instance that dies in it cannot forget it; the next
//! one finds it counted. Only new content resets the count: neither an attempt that began nor a partial answer that was
//! stored again is progress.

use serde::{Deserialize, Serialize};

/// How many interruptions in a row, without anything new between them, a turn recovers from.
pub const MAXIMUM_INTERRUPTIONS: u32 = 3;

/// How many attempts a turn may take in all, whatever progress each of them makes.
pub const MAXIMUM_ATTEMPTS: u32 = 30;

/// How many calls of the model a turn may make in all: an undisturbed one needs far fewer, and each is billed.
pub const MAXIMUM_MODEL_CALLS: u32 = 40;

/// The pauses before the second and the third attempt in a row inside one instance, in milliseconds.
const PAUSES: [i64; 2] = [1_000, 4_000];

/// What has been counted of a turn's interruptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Incident {
    /// How much content there was when an interruption was last counted; see [`super::answer::Answer::content`].
    content: u64,
    /// How many attempts had been counted before the interruptions that are counted now.
    attempts: u32,
    /// Interruptions inside living instances since then.
    broken_calls: u32,
}

impl Default for Incident {
    fn default() -> Self {
        Self {
            content: 0,
            attempts: 1,
            broken_calls: 0,
        }
    }
}

/// What interrupted a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The instance that ran it is gone.
    InstanceLost,
    /// The model's answer was cut off, or nothing came any more.
    CallBroken,
}

/// What follows from an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Go on after so many milliseconds.
    GoOn {
        /// How long to wait first.
        pause: i64,
    },
    /// Give the turn up.
    GiveUp,
}

impl Incident {
    /// Counts an interruption of the attempt number `attempts` (a turn taken over counts its new attempt).
    pub(super) fn count(&mut self, interruption: Interruption, attempts: u32, content: u64) -> Verdict {
        let earlier = match interruption {
            Interruption::InstanceLost => attempts.saturating_sub(1),
            Interruption::CallBroken => attempts,
        };
        if content > self.content {
            *self = Self {
                content,
                attempts: earlier,
                broken_calls: 0,
            };
        }
        if interruption == Interruption::CallBroken {
            self.broken_calls = self.broken_calls.saturating_add(1);
        }
        let in_a_row = attempts
            .saturating_sub(self.attempts)
            .saturating_add(self.broken_calls);
        if in_a_row > MAXIMUM_INTERRUPTIONS || attempts > MAXIMUM_ATTEMPTS {
            return Verdict::GiveUp;
        }
        let pause = match interruption {
            Interruption::InstanceLost => 0,
            Interruption::CallBroken => pause(in_a_row),
        };
        Verdict::GoOn { pause }
    }
}

/// The first attempt is made at once.
fn pause(in_a_row: u32) -> i64 {
    let place = usize::try_from(in_a_row).unwrap_or(usize::MAX).checked_sub(2);
    place.and_then(|place| PAUSES.get(place)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GO_ON: Verdict = Verdict::GoOn { pause: 0 };

    #[test]
    fn instances_that_die_without_progress_end_the_turn_at_the_fourth() {
        let mut incident = Incident::default();
        let verdicts = [2, 3, 4, 5].map(|attempts| incident.count(Interruption::InstanceLost, attempts, 7));
        assert_eq!(verdicts, [GO_ON, GO_ON, GO_ON, Verdict::GiveUp]);
    }

    #[test]
    fn progress_starts_the_count_anew() {
        let mut incident = Incident::default();
        for attempts in 2..=20 {
            assert_eq!(
                incident.count(Interruption::InstanceLost, attempts, u64::from(attempts)),
                GO_ON
            );
        }
    }

    #[test]
    fn a_turn_ends_however_much_progress_it_makes() {
        let mut incident = Incident::default();
        let verdicts =
            (2..).map(|attempts| incident.count(Interruption::InstanceLost, attempts, u64::from(attempts)));
        let recovered = verdicts.take_while(|verdict| *verdict == GO_ON).count();
        assert_eq!(recovered, 29);
    }

    #[test]
    fn broken_calls_are_repeated_after_growing_pauses() {
        let mut incident = Incident::default();
        let verdicts = [(); 4].map(|()| incident.count(Interruption::CallBroken, 1, 0));
        let pause = |pause| Verdict::GoOn { pause };
        assert_eq!(verdicts, [pause(0), pause(1_000), pause(4_000), Verdict::GiveUp]);
    }

    #[test]
    fn both_kinds_count_together() {
        let mut incident = Incident::default();
        assert_eq!(incident.count(Interruption::CallBroken, 1, 5), GO_ON);
        assert_eq!(incident.count(Interruption::InstanceLost, 2, 5), GO_ON);
        assert_eq!(
            incident.count(Interruption::CallBroken, 2, 5),
            Verdict::GoOn { pause: 4_000 }
        );
        assert_eq!(incident.count(Interruption::InstanceLost, 3, 5), Verdict::GiveUp);
    }
}
