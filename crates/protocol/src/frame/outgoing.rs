//! What the server sends.

use crate::call::{CallFailure, FailureCode};
use crate::chunk::Chunk;
use crate::conversation::{ConversationActivity, ConversationSummary, PublicState};
use crate::message::{Message, Outcome};
use crate::settings::SettingsSection;
use crate::tool_activity::ConversationState;
use crate::{MessageId, RequestId};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// One frame from the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ServerFrame {
    /// Who answers on this socket. The client is ready once it has this, and the state if that follows.
    #[serde(rename = "cf_agent_identity", rename_all = "camelCase")]
    Identity {
        /// The instance: `personal`, or the conversation's id.
        name: String,
        /// The class, as the Agents SDK spells it in addresses.
        agent: AgentKind,
        /// Whether a state frame comes next.
        state_follows: bool,
    },
    /// The public state of whoever answers on this socket.
    #[serde(rename = "cf_agent_state")]
    State {
        /// The state.
        state: SharedState,
    },
    /// A client tried to set the state.
    #[serde(rename = "cf_agent_state_error")]
    StateError {
        /// Why it was refused.
        error: String,
    },
    /// The reply to a call.
    #[serde(rename = "rpc")]
    Rpc(RpcReply),
    /// The transcript, or its newest part if it is very long, for clients of the Agents SDK.
    #[serde(rename = "cf_agent_chat_messages")]
    ChatMessages {
        /// Every message, oldest first.
        messages: Vec<Message>,
        /// Present in the frame that answers a connection.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connect: Option<bool>,
    },
    /// A piece of an answer, or its end.
    #[serde(rename = "cf_agent_use_chat_response")]
    ChatResponse(ChatResponse),
    /// The transcript was erased.
    #[serde(rename = "cf_agent_chat_clear")]
    ChatClear,
    /// There is a running answer; acknowledge to get it replayed.
    #[serde(rename = "cf_agent_stream_resuming", rename_all = "camelCase")]
    StreamResuming {
        /// The request whose answer it is.
        id: RequestId,
        /// The probe that this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probe_id: Option<String>,
    },
    /// There is nothing to join.
    #[serde(rename = "cf_agent_stream_resume_none", rename_all = "camelCase")]
    StreamResumeNone {
        /// Why.
        reason: ResumeNoneReason,
        /// The probe that this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probe_id: Option<String>,
    },
    /// An answer was accepted and has not begun; keep waiting.
    #[serde(rename = "cf_agent_stream_pending", rename_all = "camelCase")]
    StreamPending {
        /// The request, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<RequestId>,
        /// The probe that this answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probe_id: Option<String>,
    },
    /// The list of conversations with what moves them in the sidebar.
    #[serde(rename = "flarebot_conversations")]
    Conversations {
        /// The list, in the order of the call `listConversations`.
        conversations: Vec<ConversationSummary>,
        /// One entry for each of them.
        activity: Vec<ConversationActivity>,
    },
    /// Something happened in a conversation.
    #[serde(rename = "flarebot_activity")]
    Activity {
        /// What is now known of it.
        activity: ConversationActivity,
    },
    /// The owner changed a setting, on this page or on another.
    #[serde(rename = "flarebot_settings")]
    SettingsChanged {
        /// What was changed; the call that reads it tells how it is now.
        section: SettingsSection,
    },
    /// The newest page of a conversation with what is going on in it: the first frame for our own page.
    #[serde(rename = "flarebot_history")]
    History(HistoryFrame),
    /// A later instance goes on with an answer, under a new request: what is shown of the answer is replaced by this, since
    /// a reader may hold text that was lost.
    #[serde(rename = "flarebot_running")]
    Running(RunningTurn),
    /// A message was added, or is now complete: replaces the one with its id.
    #[serde(rename = "flarebot_message")]
    Message {
        /// The message.
        message: Message,
    },
    /// An answer was accepted and waits for the ones before it.
    #[serde(rename = "flarebot_queued")]
    Queued(QueuedTurn),
    /// The owner changed the order of what waits, or deleted some of it.
    #[serde(rename = "flarebot_queue")]
    Queue(QueueFrame),
    /// A frame could not be read or served.
    #[serde(rename = "flarebot_error")]
    Error(ErrorFrame),
}

/// A public state: safe for any client that holds a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SharedState {
    /// The agent's.
    Agent(PublicState),
    /// A conversation's.
    Conversation(ConversationState),
}

/// The class of an object, as the Agents SDK spells it in addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// The agent itself.
    PersonalAgent,
    /// One conversation.
    Conversation,
}

/// The reply to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcReply {
    /// The client's id for the call; empty when the frame had none.
    pub id: String,
    /// Whether it succeeded.
    pub success: bool,
    /// The reply of a successful call; `null` for a call without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Present in the reply that ends the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    /// Why the call failed, for the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why the call failed, for a program. A code that this version does not know reads as none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_code"
    )]
    pub code: Option<FailureCode>,
}

fn known_code<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Option<FailureCode>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

impl RpcReply {
    /// The reply of a call that succeeded.
    #[must_use]
    pub fn succeeded(id: String, result: Value) -> Self {
        Self {
            id,
            success: true,
            result: Some(result),
            done: Some(true),
            error: None,
            code: None,
        }
    }

    /// The reply of a call that failed.
    #[must_use]
    pub fn failed(id: String, failure: CallFailure) -> Self {
        Self {
            id,
            success: false,
            result: None,
            done: None,
            error: Some(failure.message),
            code: Some(failure.code),
        }
    }
}

/// A piece of an answer, or its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatResponse {
    /// The request that is answered.
    pub id: RequestId,
    /// One [`Chunk`] as JSON, an error sentence, or nothing.
    pub body: String,
    /// Whether this is the last frame of the answer.
    pub done: bool,
    /// The number of the chunk within its request, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Whether `body` is an error sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
    /// How the answer ended, in its last frame. Absent there if it only pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The owner's messages that the request carried, in the last frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_ids: Option<Vec<MessageId>>,
    /// Whether this repeats what was sent before, for a client that joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<bool>,
    /// The end of such a repetition; live chunks follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_complete: Option<bool>,
}

impl ChatResponse {
    fn empty(id: RequestId) -> Self {
        Self {
            id,
            body: String::new(),
            done: false,
            seq: None,
            error: None,
            outcome: None,
            message_ids: None,
            replay: None,
            replay_complete: None,
        }
    }

    /// A live chunk.
    #[must_use]
    pub fn chunk(id: RequestId, seq: u64, chunk: &Chunk) -> Self {
        // Serialising our own types cannot fail: their maps have string keys.
        let body = serde_json::to_string(chunk).unwrap_or_default();
        Self {
            body,
            seq: Some(seq),
            ..Self::empty(id)
        }
    }

    /// A chunk that repeats what was sent before.
    #[must_use]
    pub fn replayed_chunk(id: RequestId, seq: u64, chunk: &Chunk) -> Self {
        Self {
            replay: Some(true),
            ..Self::chunk(id, seq, chunk)
        }
    }

    /// The end of a repetition.
    #[must_use]
    pub fn replay_completed(id: RequestId) -> Self {
        Self {
            replay: Some(true),
            replay_complete: Some(true),
            ..Self::empty(id)
        }
    }

    /// An error sentence; the end of the answer follows in a frame of its own.
    #[must_use]
    pub fn failed(id: RequestId, sentence: String) -> Self {
        Self {
            body: sentence,
            error: Some(true),
            ..Self::empty(id)
        }
    }

    /// The last frame of a request that was never accepted.
    #[must_use]
    pub fn refused(id: RequestId, sentence: String) -> Self {
        Self {
            done: true,
            outcome: Some(Outcome::Error),
            ..Self::failed(id, sentence)
        }
    }

    /// Whether this is the last frame of a request that was never accepted.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.done && self.error == Some(true)
    }

    /// The last frame of a stream whose answer waits for the owner. It is no end, so it has no outcome; the answer goes on
    /// under another request.
    #[must_use]
    pub fn paused(id: RequestId, message_ids: Vec<MessageId>) -> Self {
        Self {
            done: true,
            message_ids: Some(message_ids),
            ..Self::empty(id)
        }
    }

    /// The last frame of an answer.
    #[must_use]
    pub fn ended(id: RequestId, outcome: Outcome, message_ids: Vec<MessageId>) -> Self {
        Self {
            done: true,
            outcome: Some(outcome),
            message_ids: Some(message_ids),
            ..Self::empty(id)
        }
    }
}

/// Why there is no answer to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResumeNoneReason {
    /// Nothing runs.
    Idle,
}

/// The newest page of a conversation with what is going on in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryFrame {
    /// The newest messages, oldest first; without the running answer.
    pub messages: Vec<Message>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// The answer that is being made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<RunningTurn>,
    /// Accepted requests that wait for it, in order.
    #[serde(default)]
    pub queued: Vec<QueuedTurn>,
}

impl HistoryFrame {
    /// Whether the answer to a request is being made, under whichever attempt's id, or waits.
    #[must_use]
    pub fn is_unfinished(&self, id: &RequestId) -> bool {
        let original = id.original();
        let running = self.running.as_ref();
        running.is_some_and(|running| running.request_id.original() == original)
            || self.queued.iter().any(|queued| queued.request_id == original)
    }
}

/// The answer that is being made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunningTurn {
    /// Its request.
    pub request_id: RequestId,
    /// Its message.
    pub message_id: MessageId,
    /// The owner's message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_message_id: Option<MessageId>,
    /// What has been sent of it, neighbouring deltas merged.
    pub chunks: Vec<Chunk>,
    /// The number of the next live chunk.
    pub next_seq: u64,
}

/// An accepted request that waits for the ones before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedTurn {
    /// The request.
    pub request_id: RequestId,
    /// The owner's message that waits for an answer.
    pub user_message_id: MessageId,
}

/// What waits after the owner changed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueFrame {
    /// All requests that wait, the next one first.
    pub queued: Vec<QueuedTurn>,
    /// The owner's messages that are gone, each with its request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<QueuedTurn>,
}

/// A frame could not be read or served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorFrame {
    /// What kind of failure it is.
    pub code: FailureCode,
    /// One sentence.
    pub error: String,
}

impl From<CallFailure> for ErrorFrame {
    fn from(failure: CallFailure) -> Self {
        Self {
            code: failure.code,
            error: failure.message,
        }
    }
}
