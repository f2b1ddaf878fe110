//! Numbers that look random and are the same in every run with the same seed.

use std::ops::Range;

/// The seed of a run that names none.
const SEED: u64 = 20_261_130;

/// A stream of such numbers.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// The stream of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream of the seed in `FLAREBOT_SEED`. The seed is printed, so that a run can be repeated.
    #[must_use]
    pub fn of_this_run() -> Self {
        let chosen = std::env::var("FLAREBOT_SEED").ok();
        let seed = chosen.and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
        println!("FLAREBOT_SEED={seed}");
        Self::of(seed)
    }

    /// A number of at least 0 and less than `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }

    /// A number of the range.
    pub fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.below(range.end.saturating_sub(range.start))
    }

    /// Whether something happens that happens so many times in a hundred.
    pub fn percent(&mut self, likely: u64) -> bool {
        self.below(100) < likely
    }
}
