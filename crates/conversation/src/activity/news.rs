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
