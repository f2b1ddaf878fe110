//! When watchers are told that activities have changed.

/// How often watchers are told of progress alone, in milliseconds.
const PROGRESS_MILLISECONDS: i64 = 250;

/// What has changed of activities, the most important last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum News {
    /// Nothing.
    #[default]
    Nothing,
    /// How far calls are.
    Progress,
    /// Which calls there are, or how they stand.
    Calls,
}

/// Decides when watchers are told: of calls at once, of progress at most four times a second, and of the latest in any case.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    owed: News,
    told_at: Option<i64>,
}

impl Pace {
    /// Something has changed.
    pub fn hear(&mut self, news: News) {
        self.owed = self.owed.max(news);
    }

    /// When watchers are to be told, if nothing else changes; `None` while they know everything.
    #[must_use]
    pub fn due_at(&self) -> Option<i64> {
        let progress = || {
            self.told_at
                .map(|told_at| told_at.saturating_add(PROGRESS_MILLISECONDS))
        };
        match self.owed {
            News::Nothing => None,
            News::Progress => Some(progress().unwrap_or(i64::MIN)),
            News::Calls => Some(i64::MIN),
        }
    }

    /// Whether watchers are to be told now; from then on they know everything.
    pub fn tell(&mut self, now: i64) -> bool {
        let tells = self.due_at().is_some_and(|due_at| due_at <= now);
        if tells {
            self.owed = News::Nothing;
            self.told_at = Some(now);
        }
        tells
    }
}

#[cfg(test)]
mod tests {
    use super::{News, Pace};

    /// Lets this change at these instants, looks every millisecond, and gives when watchers were told.
    fn told(changes: &[(i64, News)], until: i64) -> Vec<i64> {
        let mut pace = Pace::default();
        let instants = (0..until).filter(|now| {
            for (_, news) in changes.iter().filter(|(at, _)| at == now) {
                pace.hear(*news);
            }
            let due = pace.due_at().is_some_and(|due_at| due_at <= *now);
            assert_eq!(pace.tell(*now), due, "what is due is told");
            due
        });
        instants.collect()
    }

    #[test]
    fn watchers_are_told_of_calls_at_once() {
        let changes: Vec<(i64, News)> = (10..20).map(|now| (now, News::Calls)).collect();
        assert_eq!(told(&changes, 1_000), (10..20).collect::<Vec<_>>());
        assert_eq!(told(&[(5, News::Nothing)], 1_000), Vec::<i64>::new());
    }

    #[test]
    fn watchers_are_told_of_progress_at_once_then_four_times_a_second_and_of_the_latest() {
        let changes: Vec<(i64, News)> = (10..=1_005).map(|now| (now, News::Progress)).collect();
        assert_eq!(told(&changes, 10_000), [10, 260, 510, 760, 1_010]);
    }

    #[test]
    fn progress_travels_with_what_is_told_anyway() {
        let changes = [(10, News::Progress), (20, News::Progress), (30, News::Calls)];
        assert_eq!(told(&changes, 1_000), [10, 30]);
        let changes = [(10, News::Calls), (20, News::Progress)];
        assert_eq!(told(&changes, 1_000), [10, 260]);
    }
}
