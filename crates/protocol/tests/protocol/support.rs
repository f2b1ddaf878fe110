//! Short ways to say what tests say often.

use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ChatRequest, ServerFrame, SharedState, Trigger};
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, Role};
use flarebot_protocol::tool_activity::{
    ActivityFailure, ActivityKind, ActivityProgress, ActivityStatus, ConversationState, ToolActivity,
};
use flarebot_protocol::{CallId, ConversationId, MessageId, RequestId};

pub(crate) fn request_id(text: &str) -> RequestId {
    RequestId::new(text).unwrap()
}

pub(crate) fn message_id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

pub(crate) fn call_id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

pub(crate) fn conversation_id() -> ConversationId {
    "0d9e8a3c-7f2b-4c55-9d1e-3a6b8c0f1e2d".parse().unwrap()
}

pub(crate) fn question(id: &str, text: &str) -> Message {
    Message {
        id: message_id(id),
        role: Role::User,
        parts: vec![Part::Text {
            text: text.to_owned(),
            state: None,
        }],
        metadata: None,
    }
}

pub(crate) fn empty_answer(id: &str) -> Message {
    Message {
        id: message_id(id),
        role: Role::Assistant,
        parts: Vec::new(),
        metadata: None,
    }
}

pub(crate) fn ended(mut message: Message, outcome: Outcome) -> Message {
    message.metadata = Some(Metadata {
        outcome: Some(outcome),
        ..Metadata::default()
    });
    message
}

/// A request `id` that carries the message `<id>-question`.
pub(crate) fn chat(id: &str, text: &str) -> ChatRequest {
    ChatRequest {
        id: request_id(id),
        message: question(&format!("{id}-question"), text),
        trigger: Trigger::Submit,
    }
}

pub(crate) fn start(message: &str) -> Chunk {
    Chunk::Start {
        message_id: message_id(message),
        message_metadata: None,
    }
}

pub(crate) fn text_start(id: &str) -> Chunk {
    Chunk::TextStart { id: id.to_owned() }
}

pub(crate) fn text_delta(id: &str, delta: &str) -> Chunk {
    Chunk::TextDelta {
        id: id.to_owned(),
        delta: delta.to_owned(),
    }
}

pub(crate) fn text_end(id: &str) -> Chunk {
    Chunk::TextEnd { id: id.to_owned() }
}

/// The state of a conversation.
pub(crate) fn activities(activities: &[ToolActivity]) -> ServerFrame {
    ServerFrame::State {
        state: SharedState::Conversation(ConversationState {
            activities: activities.to_vec(),
        }),
    }
}

/// An activity with everything that one can have.
pub(crate) fn tool_activity() -> ToolActivity {
    ToolActivity {
        message_id: message_id("answer"),
        tool_call_id: "call-1".to_owned(),
        sequence: 7,
        kind: ActivityKind::Web,
        label: "Read a page".to_owned(),
        summary: Some("example.com".to_owned()),
        status: ActivityStatus::Failed,
        failure: Some(ActivityFailure::TimedOut),
        progress: Some(ActivityProgress {
            text: Some("Reading".to_owned()),
            done: Some(1),
            total: Some(3),
        }),
        attempts: 2,
        created_at: 1_772_352_000_000,
        started_at: Some(1_772_352_000_100),
        ended_at: Some(1_772_352_030_100),
        interrupted_at: Some(1_772_352_000_050),
    }
}
