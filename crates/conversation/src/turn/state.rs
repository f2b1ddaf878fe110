//! What is durable about a running turn beside its stream log: little, and nothing secret.

use super::incident::Incident;
use super::thinking::Thinking;
use crate::envelope::Stored;
use flarebot_protocol::message::{Message, Metadata, Role, Usage};
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
    /// The tokens counted so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
    /// How often it has waited for the owner. None of the claims after that is an attempt at recovery.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) pauses: u32,
    /// How many calls of the model were begun, this one included.
    #[serde(default)]
    pub(super) model_calls: u32,
    /// What has been counted of its interruptions.
    #[serde(default)]
    pub(super) incident: Incident,
    /// What was done because the conversation does not fit the model.
    #[serde(default, skip_serializing_if = "Overflow::is_none")]
    pub(super) overflow: Overflow,
    /// What the model thought in the steps so far, for itself.
    #[serde(default, skip_serializing_if = "Thinking::is_empty")]
    pub(super) thinking: Thinking,
}

/// How far a turn is in making a conversation fit its model. It only goes forward, so a turn does it once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "kebab-case")]
pub(super) enum Overflow {
    /// It fits as far as is known.
    #[default]
    None,
    /// A summary of the messages up to a position is asked for.
    Summarising {
        /// The position.
        through: i64,
    },
    /// A summary is stored.
    Summarised,
    /// There is no summary, and the messages up to a position are left out of this answer.
    LeftOut {
        /// The position.
        through: i64,
    },
}

impl Overflow {
    pub(super) fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl Stored for TurnState {
    const WHAT: &'static str = "turn state";
}

impl TurnState {
    /// The state of a turn of which nothing has been done yet.
    #[must_use]
    pub fn new(request_id: RequestId, message_id: MessageId, begun_at: i64) -> Self {
        Self {
            request_id,
            message_id,
            model: None,
            begun_at,
            usage: None,
            pauses: 0,
            model_calls: 0,
            incident: Incident::default(),
            overflow: Overflow::None,
            thinking: Thinking::default(),
        }
    }

    /// What is known of a turn that was claimed and left no checkpoint: its first call of the model may have been made.
    #[must_use]
    pub fn claimed(request_id: RequestId, message_id: MessageId, begun_at: i64) -> Self {
        Self {
            model_calls: 1,
            ..Self::new(request_id, message_id, begun_at)
        }
    }

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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
