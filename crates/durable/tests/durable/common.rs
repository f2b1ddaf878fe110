//! What several tests of this crate share.

use flarebot_durable::{COMPONENT, MIGRATIONS};
use flarebot_sql::migrate;
use flarebot_sql::native::Database;

/// An empty database with the tables of this crate.
pub(crate) fn database() -> Database {
    let database = Database::in_memory().unwrap();
    migrate(&database, COMPONENT, MIGRATIONS, 0).unwrap();
    database
}

/// Numbers that look random and are the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    pub(crate) fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

/// Cron for tests: `every N` is each whole multiple of N milliseconds.
pub(crate) fn calendar(rule: &str, after: i64) -> Option<i64> {
    let period: i64 = rule.strip_prefix("every ")?.parse().ok()?;
    Some((after.div_euclid(period) + 1) * period)
}
