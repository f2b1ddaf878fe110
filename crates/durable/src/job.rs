//! Jobs: work for a later instant, each a row, all of them on the one alarm.
//!
//! A job is written with [`schedule`]. When it is due, [`claim_due`] takes it for one run, [`begin`] counts the attempt
//! and hands the job out, and [`settle`] says how the run ended. A claim is good for one settlement: a job that was cancelled,
//! replaced or found hanging meanwhile has another claim or none, and the late settlement changes nothing.
//!
//! What that amounts to, for one occurrence of a job:
//! - no two runs of it at a time, and none after it was settled;
//! - no attempt that is not counted before it begins, so a process that dies in it cannot forget that it tried;
//! - none lost: it ends as settled or as given up, and what was given up can be listed.
//!
//! A run whose process dies is repeated while its policy has attempts left, so work that leaves the database should use
//! [`JobRun::occurrence`] as its idempotency key, and work that stays in the database can be written in one
//! transaction with [`settle`]. What takes longer than a few seconds belongs in a fiber that the run starts under that
//! key; the run itself then ends at once.
//!
//! Cron expressions are kept as text, and the caller brings the [`Calendar`] that reads them: the `cron` crate with
//! `chrono` adds 29 kB of Wasm, which who has no such jobs should not carry.

mod claim;
mod query;
mod record;
mod schedule;
mod settle;

pub use claim::{Claim, Claims, Notice, begin, claim_due, next_wake, release_lost};
pub use query::{JobFilter, cancel, cancel_owner, get, list};
pub use schedule::{NewJob, Scheduled, schedule};
pub use settle::{Outcome, Settlement, settle};

use crate::retry::{RetryPolicy, RetryPolicyError};
use flarebot_sql::SqlError;

/// How long an interval may be, in milliseconds: 30 days.
pub const LONGEST_INTERVAL: i64 = 30 * 24 * 60 * 60 * 1_000;
/// After how long the run of an interval counts as hanging unless the job says otherwise, in milliseconds.
pub const HUNG_AFTER: i64 = 30_000;
/// How often a running job is looked at, in milliseconds, so that a process that died in it is noticed.
pub const WATCH_INTERVAL: i64 = 30_000;
/// How many given-up jobs are kept for inspection; the oldest go first.
pub const GIVEN_UP_KEPT: u32 = 100;
/// At which memory-limit failure in a row an occurrence is given up.
pub const MEMORY_STRIKES: u32 = 3;

/// The next instant of a cron expression strictly after the given one, both in milliseconds since 1970; `None` when
/// there is none or the expression cannot be read.
pub type Calendar<'a> = &'a dyn Fn(&str, i64) -> Option<i64>;

/// When a job is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Once, so many milliseconds after it is scheduled.
    After(i64),
    /// Once, at this instant, in milliseconds since 1970. An instant in the past is due at once.
    At(i64),
    /// Again and again, so many milliseconds after the last run ended; above 0 and at most [`LONGEST_INTERVAL`].
    Every(i64),
    /// At the instants of an expression that the [`Calendar`] understands. Instants that passed unattended are
    /// skipped.
    Cron(String),
}

/// Whether scheduling the same thing again finds the job that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Idempotency {
    /// Recurring jobs do; jobs that run once do not.
    #[default]
    ByKind,
    /// It does. For a job that runs once the instant is not part of what makes it the same.
    Always,
    /// Every call makes one more job.
    Never,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It waits for its instant, or for another attempt.
    Waiting,
    /// A run has it.
    Running,
    /// It ran out of attempts and is kept to be looked at; scheduling it anew or cancelling it removes it.
    GivenUp,
}

/// A job as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Which one it is.
    pub id: String,
    /// Whose it is: it goes when the owner goes. Empty for the object itself.
    pub owner: String,
    /// What to do, a word that the application understands.
    pub callback: String,
    /// With what, as the application wrote it.
    pub payload: String,
    /// The rule by which it becomes due.
    pub when: When,
    /// How attempts are bounded.
    pub retry: RetryPolicy,
    /// The instant of its present or next occurrence, in milliseconds since 1970.
    pub due_at: i64,
    /// Where it stands.
    pub state: JobState,
    /// How its last failed attempt ended, until an occurrence succeeds.
    pub last_error: Option<String>,
    /// When it was scheduled, in milliseconds since 1970.
    pub created_at: i64,
}

/// One attempt at one occurrence of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRun {
    /// The job as it is in the database now.
    pub job: Job,
    /// Which attempt at this occurrence it is, counted from 1.
    pub attempt: u32,
    /// The right to settle it.
    pub claim: Claim,
}

impl JobRun {
    /// A key that names this occurrence and is the same in each attempt at it.
    #[must_use]
    pub fn occurrence(&self) -> String {
        format!("{}@{}", self.job.id, self.job.due_at)
    }
}

/// Why a job is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// An id or a callback without a visible character.
    #[error("the {0} of a job must not be blank")]
    Blank(&'static str),
    /// The payload would not fit in the database.
    #[error("the payload of a job is larger than {maximum} bytes")]
    PayloadTooLarge {
        /// The largest size, in bytes.
        maximum: usize,
    },
    /// A delay below 0.
    #[error("the delay of a job must not be negative")]
    NegativeDelay,
    /// An interval that is not above 0 and at most [`LONGEST_INTERVAL`], or a hanging time that is not above 0.
    #[error("the interval of a job must be above 0 and at most 30 days")]
    Interval,
    /// The calendar gave no instant after the present one.
    #[error("the expression {0:?} names no instant to come")]
    NoOccurrence(String),
    /// The id is in use by another owner.
    #[error("the id of a job is in use by another owner")]
    OwnedByAnother,
    /// The policy for attempts makes no sense.
    #[error(transparent)]
    Retry(#[from] RetryPolicyError),
    /// The database refused it.
    #[error(transparent)]
    Sql(#[from] SqlError),
}
