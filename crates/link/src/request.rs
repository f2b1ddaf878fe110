//! The requests between the agent and its conversations, each with the type of its reply.

use flarebot_agent::models::SealedKey;
use flarebot_protocol::memory::Fact;
use flarebot_protocol::settings::ModelChoice;
use flarebot_protocol::{CloseCode, ConnectionId, ConversationId, RequestId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request with the type of its reply, so that no caller can misread an answer.
pub trait Exchange: Serialize {
    /// What the receiver answers.
    type Reply: Serialize + DeserializeOwned;
}

/// What a conversation, or the ingress, asks of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum AgentRequest {
    /// Use up a sign-in assertion whose signature the ingress has checked.
    ConsumeAssertion(ConsumeAssertion),
    /// Close every socket of the owner, those of conversations too.
    EndSessions,
    /// A turn begins or goes on: wake the conversation until it says that no work is left, and say what the turn is to use,
    /// in one coherent snapshot.
    BeginTurn(TurnBeginning),
    /// No accepted work is left.
    TurnsEnded(TurnReport),
    /// Answer a question that a tool asks.
    ToolQuestion(ToolQuestion),
    /// A socket of a conversation was closed.
    SocketClosed {
        /// The conversation.
        conversation: ConversationId,
        /// The socket.
        connection: ConnectionId,
    },
}

/// Use up a sign-in assertion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumeAssertion {
    /// The assertion's random id.
    pub id: String,
    /// When it expires, in milliseconds since 1970; its id is remembered until then.
    pub expires_at: i64,
}

/// What the agent answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentReply {
    /// It is done.
    Done,
    /// The assertion had been used before; nothing was done.
    AssertionUsed,
    /// What a tool asked for.
    ToolAnswer {
        /// The answer, of the type that belongs to the question.
        answer: Value,
    },
    /// What a turn that begins now is to use.
    TurnSettings(TurnSettings),
    /// It could not be done, for a reason that the model and the owner may read.
    Refused {
        /// One sentence.
        sentence: String,
    },
}

impl Exchange for AgentRequest {
    type Reply = AgentReply;
}

/// What a turn uses from its beginning to its end, or to its recovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnSettings {
    /// The model.
    pub model: ModelChoice,
    /// The key that the model's provider takes, if there is one.
    pub key: Option<SealedKey>,
    /// What the agent is told before the conversation.
    pub instructions: String,
    /// What it remembers.
    pub memory: TurnMemory,
}

/// What a turn has of the owner's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnMemory {
    /// The conversation does without: no facts, and none of memory's tools.
    KeptOut,
    /// The facts that its question is most likely about, the likeliest first. There may be none.
    Facts(Vec<Fact>),
}

/// A turn that begins, or goes on in another instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnBeginning {
    /// The conversation.
    pub conversation: ConversationId,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The beginning of the message that it answers, by which facts are found; at most
    /// [`flarebot_protocol::memory::MAXIMUM_QUERY_CHARACTERS`].
    pub query: String,
}

/// A question that a tool asks on behalf of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolQuestion {
    /// The conversation.
    pub conversation: ConversationId,
    /// The request whose answer the call is part of.
    pub request_id: RequestId,
    /// The call, unique in that answer.
    pub tool_call_id: String,
    /// The feature that is asked.
    pub feature: String,
    /// The question, of the type that belongs to the feature.
    pub question: Value,
}

/// Something that a conversation reports about its turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnReport {
    /// The conversation.
    pub conversation: ConversationId,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// Whether a page of ours is open on the conversation.
    pub seen: bool,
}

/// What the agent asks of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum ConversationRequest {
    /// Create the tables of a new conversation. Repeating it changes nothing.
    Initialise {
        /// The conversation's id.
        id: ConversationId,
        /// When it was created, in milliseconds since 1970.
        at: i64,
    },
    /// Look after accepted work: settle what was lost, go on with what waits.
    Wake,
    /// Close the sockets whose session has ended.
    ExpireSockets,
    /// Stop all work and close every socket.
    CloseSockets {
        /// Why.
        reason: CloseReason,
    },
}

/// Why all sockets of a conversation are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// The owner signed out; work goes on.
    SignedOut,
    /// The conversation is being deleted; its work stops.
    Deleted,
}

impl CloseReason {
    /// The close code that clients see.
    #[must_use]
    pub const fn close_code(self) -> CloseCode {
        match self {
            Self::SignedOut => CloseCode::SessionEnded,
            Self::Deleted => CloseCode::ConversationDeleted,
        }
    }
}

/// What a conversation answers to any request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationReply {
    /// Whether accepted work is left, so that the agent is to wake it again.
    pub busy: bool,
    /// Its open sockets.
    pub connections: Vec<ConnectionId>,
}

impl Exchange for ConversationRequest {
    type Reply = ConversationReply;
}

#[cfg(test)]
mod tests {
    use super::*;
    use flarebot_protocol::settings::ModelProvider;
    use serde_json::json;

    fn survives<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    }

    #[test]
    fn every_request_survives_the_way_to_the_other_object() {
        let conversation: ConversationId = "0191e7a0-5b1c-7cc0-8000-000000000001".parse().unwrap();
        let report = TurnReport {
            conversation,
            at: 1,
            seen: true,
        };
        survives(&AgentRequest::ToolQuestion(ToolQuestion {
            conversation,
            request_id: RequestId::new("request").unwrap(),
            tool_call_id: "call".to_owned(),
            feature: "conversation".to_owned(),
            question: json!({ "rename": "A name" }),
        }));
        survives(&AgentReply::ToolAnswer {
            answer: json!("A name"),
        });
        survives(&AgentRequest::ConsumeAssertion(ConsumeAssertion {
            id: "a".to_owned(),
            expires_at: 2,
        }));
        survives(&AgentRequest::EndSessions);
        survives(&AgentRequest::BeginTurn(TurnBeginning {
            conversation,
            at: 1,
            query: "Where is it?".to_owned(),
        }));
        survives(&AgentRequest::TurnsEnded(report));
        survives(&AgentRequest::SocketClosed {
            conversation,
            connection: ConnectionId::new("c").unwrap(),
        });
        survives(&ConversationRequest::Initialise {
            id: conversation,
            at: 3,
        });
        survives(&ConversationRequest::Wake);
        survives(&ConversationRequest::ExpireSockets);
        survives(&ConversationRequest::CloseSockets {
            reason: CloseReason::Deleted,
        });
        let fact = Fact {
            id: "0191e7a0-5b1c-7cc0-8000-00000000000a".to_owned(),
            content: "It is \"here\".".to_owned(),
            version: 1,
            created_at: "2026-11-30T09:05:00.042Z".to_owned(),
            updated_at: "2026-11-30T09:05:00.042Z".to_owned(),
        };
        for memory in [TurnMemory::KeptOut, TurnMemory::Facts(vec![fact])] {
            survives(&AgentReply::TurnSettings(TurnSettings {
                model: ModelChoice {
                    provider: ModelProvider::Anthropic,
                    model: "m".to_owned(),
                },
                key: Some(SealedKey(vec![0, 255])),
                instructions: "Be brief.".to_owned(),
                memory,
            }));
        }
        survives(&AgentReply::AssertionUsed);
        survives(&ConversationReply {
            busy: true,
            connections: vec![ConnectionId::new("socket").unwrap()],
        });
    }
}
