//! What is durable about a running turn beside its stream log: little, and nothing secret.

use crate::envelope::Stored;
use flarebot_protocol::message::{Message, Metadata, Role};
use flarebot_protocol::{MessageId, RequestId};
use serde::{Deserialize, Serialize};

/// The checkpoint of a turn. With the chunks of the stream log it rebuilds the turn in a later instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnState {
    /// The request that is answered.
    pub request_id: RequestId,
    /// The message that is written.
    pub message_id: MessageId,
    /// The model that writes it, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When the turn began, in milliseconds since 1970.
    pub begun_at: i64,
}

impl Stored for TurnState {
    const WHAT: &'static str = "turn state";
}

impl TurnState {
    /// The answer's message while nothing of it has come.
    pub(super) fn empty_message(&self) -> Message {
        Message {
            id: self.message_id.clone(),
            role: Role::Assistant,
            parts: Vec::new(),
            metadata: Some(self.metadata()),
        }
    }

    /// What is known about the message from the beginning.
    pub(super) fn metadata(&self) -> Metadata {
        Metadata {
            created_at: Some(self.begun_at),
            model: self.model.clone(),
            ..Metadata::default()
        }
    }
}
