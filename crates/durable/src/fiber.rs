//! Fibers: asynchronous work that is known to the database while it runs, so that the next process notices when its own
//! process died in it.
//!
//! A running fiber has a row with its last checkpoint ([`stash`]). The row goes when the fiber ends. A row whose process
//! is gone is an orphan: [`take_orphan`] hands it, with the checkpoint, to the recovery hook of the application. The
//! closure itself is lost; what it means to recover is the application's to say.
//!
//! There are two kinds. An *unmanaged* fiber ([`register`], [`finish`]) leaves no trace and its value goes to its caller.
//! A *managed* one ([`accept`], [`begin`], [`settle`]) has a record in a ledger that stays until it is deleted: it can be
//! started again under the same key without running twice, looked at, cancelled and resolved.
//!
//! ```text
//! pending ──begin──▶ running ──settle──▶ completed | error
//!    ├─cancel───────────┴─────────────▶ aborted
//!    └─process died─────┴─────────────▶ interrupted ──resolve, or the hook's result──▶ completed | error | aborted
//! ```
//!
//! Each arrow is one guarded write, so a cancel that lands first wins over a late end. A fiber's end is written down as
//! a mark on its row before the row is deleted: should the deletion fail, the mark keeps the work from being revived.

mod ledger;
mod orphan;
mod record;
mod run;

pub use ledger::{
    DeleteFibers, ListFibers, accept, begin, cancel, delete, inspect, inspect_by_key, list, resolve, settle,
};
pub use orphan::{
    GivenUp, GivenUpReason, Orphan, Recovery, RecoveryLimits, RecoveryReason, Thrown, find_lost,
    next_orphan_due, recovered, take_orphan, take_orphan_of, threw,
};
pub use run::{clear, finish, register, release, snapshot, stash};

use crate::acceptance::Acceptance;
use flarebot_sql::SqlError;

/// The largest metadata of a fiber, in bytes. Together with a snapshot of the largest size it still fits in a row.
pub const MAXIMUM_METADATA_BYTES: usize = 65_536;

/// Where a managed fiber stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FiberStatus {
    /// Accepted and not started.
    Pending,
    /// Its body runs, or ran in a process that died unnoticed so far.
    Running,
    /// Its body ended well.
    Completed,
    /// Its body failed, or could not be started.
    Error,
    /// It was cancelled. Its body may go on for a while; nothing that it reports counts.
    Aborted,
    /// Its process died. It stays so until it is resolved.
    Interrupted,
}

impl FiberStatus {
    /// Whether its body may still end by itself.
    #[must_use]
    pub fn is_active(self) -> bool {
        match self {
            Self::Pending | Self::Running => true,
            Self::Completed | Self::Error | Self::Aborted | Self::Interrupted => false,
        }
    }

    /// Whether nothing changes it any more.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Error | Self::Aborted => true,
            Self::Pending | Self::Running | Self::Interrupted => false,
        }
    }
}

/// A managed fiber to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFiber {
    /// What kind of work it is; the recovery hook tells fibers apart by it. Many may share one.
    pub name: String,
    /// Its id; chosen by the caller, or `None` for one that is made.
    pub id: Option<String>,
    /// What makes a second start the same as the first.
    pub idempotency_key: Option<String>,
    /// Whatever its starter wants to know about it later; at most [`MAXIMUM_METADATA_BYTES`].
    pub metadata: Option<String>,
}

impl NewFiber {
    /// A fiber with a name and nothing else.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            id: None,
            idempotency_key: None,
            metadata: None,
        }
    }

    /// The same with an idempotency key.
    #[must_use]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self {
            idempotency_key: Some(key.into()),
            ..self
        }
    }
}

/// A managed fiber as its ledger has it. Instants are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fiber {
    /// Which one it is.
    pub id: String,
    /// What kind of work it is.
    pub name: String,
    /// The key under which it was started.
    pub idempotency_key: Option<String>,
    /// Where it stands.
    pub status: FiberStatus,
    /// Its last checkpoint.
    pub snapshot: Option<String>,
    /// Why it failed, why it was cancelled, or how its recovery failed.
    pub error: Option<String>,
    /// What its starter wanted to know.
    pub metadata: Option<String>,
    /// When it was accepted.
    pub created_at: i64,
    /// When its body was started.
    pub started_at: Option<i64>,
    /// When it came to a terminal status.
    pub settled_at: Option<i64>,
}

/// What a start answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The fiber in the ledger.
    pub fiber: Fiber,
    /// Whether this start put it there.
    pub acceptance: Acceptance,
}

/// How the body of a managed fiber ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FiberEnd {
    /// Well.
    Completed,
    /// With this error, which must hold no secret.
    Error(String),
}

/// What becomes of an interrupted fiber. A snapshot of `None` keeps the one that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Its work is done after all.
    Completed {
        /// A new checkpoint.
        snapshot: Option<String>,
        /// New metadata; `None` keeps what is there.
        metadata: Option<String>,
    },
    /// Its work failed.
    Error {
        /// Why.
        error: String,
        /// A new checkpoint.
        snapshot: Option<String>,
    },
    /// Its work is not wanted any more.
    Aborted {
        /// Why.
        reason: Option<String>,
        /// A new checkpoint.
        snapshot: Option<String>,
    },
    /// It stays interrupted, for somebody to look at.
    Interrupted {
        /// What is known about it.
        error: Option<String>,
        /// A new checkpoint.
        snapshot: Option<String>,
    },
}

/// Why a fiber is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FiberError {
    /// A name, id or key without a visible character.
    #[error("the {0} of a fiber must not be blank")]
    Blank(&'static str),
    /// The id and the key belong to two different fibers, or the fiber with this id has another key.
    #[error("the id and the idempotency key belong to different fibers")]
    Conflict,
    /// A snapshot or metadata that would not fit in the database.
    #[error("the {what} of a fiber is larger than {maximum} bytes")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// The largest size, in bytes.
        maximum: usize,
    },
    /// The fiber has ended, was cancelled or is not known.
    #[error("the fiber does not run any more")]
    NotRunning,
    /// The database refused it.
    #[error(transparent)]
    Sql(#[from] SqlError),
}
