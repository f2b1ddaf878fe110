//! What a program may know of a message that it left to be answered: whether it was taken, and how far its answer is.

use crate::{MessageId, RequestId, SubmissionKey};
use serde::{Deserialize, Serialize};

/// The most submissions that one page of them holds.
pub const SUBMISSION_PAGE: u32 = 50;

/// A message that was accepted to be answered, with how far that is. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Submission {
    /// The request, by which its answer is known everywhere.
    pub request_id: RequestId,
    /// The key under which it was submitted, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SubmissionKey>,
    /// The message that is answered.
    pub user_message_id: MessageId,
    /// The message that is the answer, as soon as there is something of it.
    pub assistant_message_id: MessageId,
    /// How far the answer is.
    pub status: SubmissionStatus,
    /// How often its answer was begun or taken over.
    pub attempts: u32,
    /// When it was accepted.
    pub created_at: i64,
    /// When its answer was last begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// When its answer ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
}

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionStatus {
    /// It waits for the ones before it.
    Queued,
    /// It is being made.
    Running,
    /// It waits for the owner to allow or decline what a tool is to do.
    Paused,
    /// It is complete.
    Completed,
    /// It was stopped.
    Aborted,
    /// It failed.
    Error,
    /// It was interrupted too often to go on.
    Interrupted,
}

/// What became of a message that a program submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Submitted {
    /// Whether it was taken just now; otherwise its key is that of an earlier one, and nothing was stored.
    pub accepted: bool,
    /// The submission as it is now.
    pub submission: Submission,
}

/// One page of submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubmissionPage {
    /// The submissions, the latest first.
    pub submissions: Vec<Submission>,
    /// Whether there are older ones.
    pub has_more: bool,
}
