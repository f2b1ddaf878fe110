//! What the owner lets the agent remember, and may see, change and delete.

use crate::ConversationId;
use serde::{Deserialize, Serialize};

/// The most facts that are remembered at a time.
pub const MAXIMUM_FACTS: usize = 200;

/// The longest fact, in UTF-16 code units.
pub const MAXIMUM_FACT_UNITS: usize = 1_000;

/// The longest text to search for, in characters; what is longer is cut.
pub const MAXIMUM_QUERY_CHARACTERS: usize = 1_000;

/// One fact, in exactly these five fields. Times are ISO 8601 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// A lowercase UUID that the server made.
    pub id: String,
    /// The fact.
    pub content: String,
    /// 1 at first, one more with each change. A change names the version that it is based on.
    pub version: u32,
    /// When it was first remembered.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// Where a fact came from. Not a part of the fact, so that no list of facts says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FactOrigin {
    /// The owner wrote it.
    Owner,
    /// The model remembered it in a conversation, which may be gone by now.
    Conversation {
        /// The conversation.
        id: ConversationId,
        /// Its name, if it still exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

/// Whether a conversation uses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationMemory {
    /// Whether its answers are given facts and may remember some.
    pub enabled: bool,
}
