//! Messages in the shape of the AI SDK's UI messages: an id, a role, parts, and our own metadata.

mod tool;

pub use tool::{Approval, Decision, ToolPart, ToolPartKind, ToolState};

use crate::MessageId;
use serde::{Deserialize, Serialize};

/// One message of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Who wrote it.
    pub role: Role,
    /// Its content in order.
    pub parts: Vec<Part>,
    /// What is known about it beyond its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

impl Message {
    /// All text parts, joined.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            if let Part::Text { text: piece, .. } = part {
                text.push_str(piece);
            }
        }
        text
    }
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The owner.
    User,
    /// The agent.
    Assistant,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Part {
    /// Text for the reader.
    Text {
        /// The text.
        text: String,
        /// Whether more of it may come. Absent in what the owner wrote.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<PartState>,
    },
    /// The model's reasoning, where its provider shows it.
    Reasoning {
        /// The text.
        text: String,
        /// Whether more of it may come.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<PartState>,
    },
    /// The border between two calls of the model.
    StepStart,
    /// A tool's call with what is known of it. Its `type` names the tool, so it is recognised by its shape.
    #[serde(untagged)]
    Tool(ToolPart),
}

/// Whether a part is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartState {
    /// More may come.
    Streaming,
    /// Nothing more comes.
    Done,
}

/// What is known about a message beyond its content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// When it was stored, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// How the turn that wrote it ended. Absent while it runs and in what the owner wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// One sentence for the owner when the turn did not simply complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The model that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens counted by the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The model finished.
    Completed,
    /// The owner stopped it.
    Aborted,
    /// It failed; a notice says why.
    Error,
    /// The runtime went away in its middle.
    Interrupted,
}

/// Tokens that a provider counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens of the prompt, those that were cached included.
    pub input_tokens: u64,
    /// Tokens of the answer, thinking included.
    pub output_tokens: u64,
    /// Tokens of the prompt that the provider had kept from an earlier call.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u64,
    /// Tokens of the prompt that the provider kept for later calls.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
}

impl Usage {
    /// The tokens of two calls together.
    #[must_use]
    pub const fn plus(self, more: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(more.input_tokens),
            output_tokens: self.output_tokens.saturating_add(more.output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(more.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(more.cache_write_tokens),
        }
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference, which is smaller than a count on some targets"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}
