//! What the owner may see of a tool's calls without what went into them or came out: which tool, how far, how it ended.
//!
//! The live ones are the conversation's public state, so nothing here quotes arguments, results, addresses or errors.

use crate::MessageId;
use serde::{Deserialize, Serialize};

/// The most activities that the public state of a conversation holds.
pub const LIVE_ACTIVITIES: usize = 32;

/// The most activities that one page of them holds.
pub const ACTIVITY_PAGE: u32 = 100;

/// The longest text in an activity, in characters.
pub const ACTIVITY_TEXT_CHARACTERS: usize = 160;

/// One call of a tool. Times are milliseconds since 1970, as the server saw them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolActivity {
    /// The answer that the call is part of.
    pub message_id: MessageId,
    /// The call, as the answer's tool part names it.
    pub tool_call_id: String,
    /// Where it stands among all of the conversation; never changes, and never given twice.
    pub sequence: u64,
    /// What kind of thing the tool does, for a symbol.
    pub kind: ActivityKind,
    /// What it does, in a few words.
    pub label: String,
    /// What this call is about, from what the tool declares safe to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How far it is.
    pub status: ActivityStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ActivityFailure>,
    /// How far it said that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<ActivityProgress>,
    /// How often the server began to run it.
    pub attempts: u32,
    /// When the model began to write the call.
    pub created_at: i64,
    /// When it first began to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// When it was last interrupted by a restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_at: Option<i64>,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityStatus {
    /// The model writes it, it waits for the owner, or it has begun something that goes on without it.
    Pending,
    /// It runs.
    Running,
    /// It did what it was asked.
    Succeeded,
    /// It did not.
    Failed,
    /// The conversation stopped waiting for it.
    Cancelled,
}

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityFailure {
    /// The tool said so, or it could not be run as the model wrote it.
    Tool,
    /// It ran longer than it may.
    TimedOut,
    /// The server restarted while it ran: whether it was carried out is not known.
    Interrupted,
    /// The owner declined it.
    Declined,
}

/// How far a call said that it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActivityProgress {
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How much is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<u64>,
    /// Of how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// What kind of thing a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// It looks at the clock.
    Time,
    /// It changes the conversation.
    Conversation,
    /// It reads or changes what is remembered.
    Memory,
    /// It reads a page of the web.
    Web,
    /// Anything else; also a kind that a newer server names.
    #[serde(other)]
    Other,
}

/// The public state of a conversation: those that have not ended first, then the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationState {
    /// At most [`LIVE_ACTIVITIES`].
    pub activities: Vec<ToolActivity>,
}

/// One page of activities, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActivityPage {
    /// At most [`ACTIVITY_PAGE`].
    pub activities: Vec<ToolActivity>,
    /// Give this as `before` for the next page; nothing when there is none.
    pub next_cursor: Option<u64>,
}
