//! What the owner's devices know about conversations without opening them.

use crate::ConversationId;
use serde::{Deserialize, Serialize};

/// A conversation in a list. Exactly these four fields answer every call; times are ISO 8601 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSummary {
    /// Its id.
    pub id: ConversationId,
    /// Its name, trimmed.
    pub name: String,
    /// When it was created.
    pub created_at: String,
    /// When its name last changed. Messages do not count.
    pub updated_at: String,
}

/// What moves a conversation in the sidebar. Comes by its own event, so that lists stay what they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationActivity {
    /// The conversation.
    pub id: ConversationId,
    /// When something last happened in it, in milliseconds since 1970.
    pub last_activity_at: i64,
    /// Whether an answer is being made.
    pub running: bool,
    /// Whether an answer ended that no page has shown.
    pub unread: bool,
}

/// The agent's public state: safe for any client that holds a session, and for no secret or configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublicState {
    /// The version of the agent's schema.
    pub schema_version: u32,
    /// When the agent was created, ISO 8601 in UTC.
    pub created_at: String,
}

/// The agent's status, as the call `getStatus` and the status endpoint answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The version of the agent's schema.
    pub schema_version: u32,
    /// When the agent was created, ISO 8601 in UTC.
    pub created_at: String,
    /// The model that answers, if the deployment names one.
    pub model: Option<ModelStatus>,
}

/// Which model answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelStatus {
    /// The provider's id, such as `openai-compatible`.
    pub provider: String,
    /// The model's name at that provider.
    pub model: String,
}
