//! Keeping an object in memory: while somebody holds it, the alarm beats. Nothing of this is stored, so no list of jobs
//! shows it and a process that dies leaves nothing of it behind but one last alarm.

/// How far apart beats are unless configured otherwise, in milliseconds. An idle object goes after 70 seconds or more.
pub const KEEP_ALIVE_INTERVAL: i64 = 30_000;

/// Counts who holds the object, and knows when the next beat is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat {
    interval: i64,
    holders: u32,
    next_beat: i64,
}

impl Heartbeat {
    /// A heart that stands still, with beats `interval` milliseconds apart once it goes.
    #[must_use]
    pub fn new(interval: i64) -> Self {
        Self {
            interval: interval.max(1),
            holders: 0,
            next_beat: 0,
        }
    }

    /// One more holder; the first one sets the first beat.
    pub fn acquire(&mut self, now: i64) {
        if self.holders == 0 {
            self.next_beat = now.saturating_add(self.interval);
        }
        self.holders = self.holders.saturating_add(1);
    }

    /// One holder less; never fewer than none.
    pub fn release(&mut self) {
        self.holders = self.holders.saturating_sub(1);
    }

    /// The alarm rang: a beat that was due is followed by the next.
    pub fn beat(&mut self, now: i64) {
        if self.next_beat <= now {
            self.next_beat = now.saturating_add(self.interval);
        }
    }

    /// When the next beat is due; `None` when nobody holds the object. A contribution to [`crate::alarm::next`].
    #[must_use]
    pub fn next(&self) -> Option<i64> {
        (self.holders > 0).then_some(self.next_beat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_beats_while_somebody_holds_on_and_not_a_moment_longer() {
        let mut heartbeat = Heartbeat::new(KEEP_ALIVE_INTERVAL);
        assert_eq!(heartbeat.next(), None);
        heartbeat.acquire(1_000);
        assert_eq!(heartbeat.next(), Some(31_000));
        heartbeat.acquire(20_000);
        assert_eq!(
            heartbeat.next(),
            Some(31_000),
            "the second does not delay the beat"
        );
        heartbeat.beat(25_000);
        assert_eq!(heartbeat.next(), Some(31_000));
        heartbeat.beat(31_005);
        assert_eq!(heartbeat.next(), Some(61_005));
        heartbeat.release();
        assert_eq!(heartbeat.next(), Some(61_005));
        heartbeat.release();
        heartbeat.release();
        assert_eq!(heartbeat.next(), None);
        heartbeat.acquire(90_000);
        assert_eq!(
            heartbeat.next(),
            Some(120_000),
            "one release too many is forgotten"
        );
    }
}
