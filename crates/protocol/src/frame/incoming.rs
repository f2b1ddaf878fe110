//! Reading what a client sent. Nothing here trusts the client: every fault has a name and an answer.

use super::{ChatResponse, ClientKind, ErrorFrame, RpcReply, ServerFrame};
use crate::call::{CallFailure, FailureCode};
use crate::message::{Decision, Message, Part, Role};
use crate::{CallId, MAXIMUM_FRAME_BYTES, MAXIMUM_MESSAGE_BYTES, MessageId, RequestId};
use serde::Deserialize;
use serde_json::{Map, Value};

/// One frame from a client, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientFrame {
    /// A remote call; which methods exist depends on the object that serves it.
    Rpc {
        /// The client's id for the call.
        id: CallId,
        /// The method's name.
        method: String,
        /// Its positional arguments.
        arguments: Vec<Value>,
    },
    /// An attempt to set the public state, which is always refused.
    State,
    /// The owner's next message, with a request for an answer.
    Chat(ChatRequest),
    /// Stop the answer to a request.
    Cancel {
        /// The request.
        id: RequestId,
    },
    /// The owner's word on a call that waits for it. Whether the answer goes on is not the client's choice: it does, once
    /// everything in it is decided.
    ToolApproval {
        /// The call.
        tool_call_id: String,
        /// Whether it may run.
        decision: Decision,
    },
    /// Erase the whole transcript.
    Clear,
    /// A transcript pushed by a client. The server is the authority, so it is answered with the true one.
    PushedTranscript,
    /// Is there a running answer to join?
    ResumeRequest {
        /// Echoed in the direct answer.
        probe_id: Option<String>,
    },
    /// Replay a running answer to me, then let me join it.
    ResumeAcknowledge {
        /// The request whose answer it is.
        id: RequestId,
    },
}

/// The owner's next message, with a request for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The request; its answer is known by this id.
    pub id: RequestId,
    /// The message: text parts alone, at most [`MAXIMUM_MESSAGE_BYTES`] in all.
    pub message: Message,
    /// What the client wants.
    pub trigger: Trigger,
}

/// What a client wants from a chat request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// An answer to a new message.
    Submit,
    /// Another answer to the last message.
    Regenerate,
}

/// A frame that could not be read, with what is needed to answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameFault {
    context: FaultContext,
    reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FaultContext {
    Frame,
    Call(CallId),
    Chat(RequestId),
}

impl FrameFault {
    /// A binary frame: this protocol is text alone.
    #[must_use]
    pub fn binary() -> Self {
        Self::frame("Binary frames are not part of this protocol; send text.")
    }

    /// A well-formed frame that this object does not serve.
    #[must_use]
    pub fn not_served(frame: &ClientFrame) -> Self {
        let reason = "This socket does not serve frames of this type.";
        match frame {
            ClientFrame::Rpc { id, .. } => Self {
                context: FaultContext::Call(id.clone()),
                reason: reason.to_owned(),
            },
            ClientFrame::Chat(request) => Self::chat(&request.id, reason),
            ClientFrame::Cancel { id } | ClientFrame::ResumeAcknowledge { id } => Self::chat(id, reason),
            ClientFrame::State
            | ClientFrame::ToolApproval { .. }
            | ClientFrame::Clear
            | ClientFrame::PushedTranscript
            | ClientFrame::ResumeRequest { .. } => Self::frame(reason),
        }
    }

    /// A chat request that cannot be served, for a reason that the owner should read.
    #[must_use]
    pub fn chat(id: &RequestId, reason: impl Into<String>) -> Self {
        Self {
            context: FaultContext::Chat(id.clone()),
            reason: reason.into(),
        }
    }

    fn frame(reason: impl Into<String>) -> Self {
        Self {
            context: FaultContext::Frame,
            reason: reason.into(),
        }
    }

    /// The sentence for the client.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The frame that answers this fault: a failed call, a failed request, or an error frame. Clients of the Agents
    /// SDK know no error frame, so they get a failed call without an id.
    #[must_use]
    pub fn answer(self, client: ClientKind) -> ServerFrame {
        let failure = CallFailure::new(FailureCode::InvalidFrame, self.reason);
        match self.context {
            FaultContext::Call(id) => ServerFrame::Rpc(RpcReply::failed(id.to_string(), failure)),
            FaultContext::Chat(id) => ServerFrame::ChatResponse(ChatResponse::refused(id, failure.message)),
            FaultContext::Frame => match client {
                ClientKind::Flarebot => ServerFrame::Error(ErrorFrame::from(failure)),
                ClientKind::Sdk => ServerFrame::Rpc(RpcReply::failed(String::new(), failure)),
            },
        }
    }
}

impl ClientFrame {
    /// Reads one text frame.
    ///
    /// # Errors
    /// A fault for an oversized frame, for what is not a JSON object, for an unknown type and for a wrong shape.
    pub fn parse(text: &str) -> Result<Self, FrameFault> {
        if text.len() > MAXIMUM_FRAME_BYTES {
            return Err(FrameFault::frame(format!(
                "The frame is larger than {MAXIMUM_FRAME_BYTES} bytes."
            )));
        }
        let raw: RawFrame =
            object(text).ok_or_else(|| FrameFault::frame("The frame is not a JSON object with a type."))?;
        let shape = || {
            FrameFault::frame(format!(
                "The frame of type {} has the wrong shape.",
                shorten(&raw.kind)
            ))
        };
        let request = |id: Option<&Value>| {
            id.and_then(Value::as_str)
                .and_then(|id| RequestId::new(id).ok())
                .ok_or_else(shape)
        };
        match raw.kind.as_str() {
            "rpc" => {
                let id = raw
                    .id
                    .as_ref()
                    .and_then(Value::as_str)
                    .and_then(|id| CallId::new(id).ok())
                    .ok_or_else(shape)?;
                match (raw.method, raw.args) {
                    (Some(Value::String(method)), Some(Value::Array(arguments))) => Ok(Self::Rpc {
                        id,
                        method,
                        arguments,
                    }),
                    _ => Err(FrameFault {
                        context: FaultContext::Call(id),
                        reason: "A call needs a method and an array of arguments.".to_owned(),
                    }),
                }
            }
            "cf_agent_state" => Ok(Self::State),
            "cf_agent_use_chat_request" => {
                let id = request(raw.id.as_ref())?;
                let body = raw
                    .init
                    .as_ref()
                    .and_then(|init| init.get("body"))
                    .and_then(Value::as_str);
                let body = body.ok_or_else(|| FrameFault::chat(&id, "The request has no body."))?;
                ChatRequest::parse(id, body).map(Self::Chat)
            }
            "cf_agent_chat_request_cancel" => Ok(Self::Cancel {
                id: request(raw.id.as_ref())?,
            }),
            "cf_agent_tool_approval" => match (raw.tool_call_id, raw.approved) {
                (Some(Value::String(tool_call_id)), Some(Value::Bool(approved))) => Ok(Self::ToolApproval {
                    tool_call_id,
                    decision: Decision::of(approved),
                }),
                _ => Err(shape()),
            },
            "cf_agent_chat_clear" => Ok(Self::Clear),
            "cf_agent_chat_messages" => Ok(Self::PushedTranscript),
            "cf_agent_stream_resume_request" => {
                let probe_id = raw.probe_id.as_ref().and_then(Value::as_str).map(shorten);
                Ok(Self::ResumeRequest { probe_id })
            }
            "cf_agent_stream_resume_ack" => Ok(Self::ResumeAcknowledge {
                id: request(raw.id.as_ref())?,
            }),
            unknown => Err(FrameFault::frame(format!(
                "There is no frame of type {}.",
                shorten(unknown)
            ))),
        }
    }
}

impl ChatRequest {
    fn parse(id: RequestId, body: &str) -> Result<Self, FrameFault> {
        if !id.is_original() {
            return Err(FrameFault::chat(
                &id,
                "The id of a request must be shorter and hold no ~.",
            ));
        }
        let body: RawBody = object(body)
            .ok_or_else(|| FrameFault::chat(&id, "The body of the request is not a list of messages."))?;
        let trigger = match body.trigger.as_deref() {
            None | Some("submit-message") => Trigger::Submit,
            Some("regenerate-message") => Trigger::Regenerate,
            Some(_) => return Err(FrameFault::chat(&id, "The request has an unknown trigger.")),
        };
        let Some(last) = body.messages.into_iter().last() else {
            return Err(FrameFault::chat(&id, "The request has no message."));
        };
        let raw = RawMessage::read(last)
            .ok_or_else(|| FrameFault::chat(&id, "The last message of the request has the wrong shape."))?;
        if raw.role != Role::User {
            return Err(FrameFault::chat(
                &id,
                "The last message of the request must be the owner's.",
            ));
        }
        let mut parts = Vec::with_capacity(raw.parts.len());
        let mut bytes = 0;
        let mut blank = true;
        for part in raw.parts {
            let text = match (part.get("type").and_then(Value::as_str), part.get("text")) {
                (Some("text"), Some(Value::String(text))) => text.clone(),
                _ => {
                    return Err(FrameFault::chat(
                        &id,
                        "A message can hold text alone in this version.",
                    ));
                }
            };
            bytes += text.len();
            blank &= text.trim().is_empty();
            parts.push(Part::Text { text, state: None });
        }
        if blank {
            return Err(FrameFault::chat(&id, "The message is empty."));
        }
        if bytes > MAXIMUM_MESSAGE_BYTES {
            let reason =
                format!("The message is longer than {MAXIMUM_MESSAGE_BYTES} bytes; send it in parts.");
            return Err(FrameFault::chat(&id, reason));
        }
        let message = Message {
            id: raw.id,
            role: Role::User,
            parts,
            metadata: None,
        };
        Ok(Self { id, message, trigger })
    }
}

/// Reads a JSON object. The plain reader would also take an array of a type's fields in their order.
fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let is_object = text.trim_ascii_start().starts_with('{');
    is_object.then(|| serde_json::from_str(text).ok()).flatten()
}

/// The first characters of something that a client wrote, for an error sentence.
fn shorten(text: &str) -> String {
    text.chars().take(64).collect()
}

#[derive(Deserialize)]
struct RawFrame {
    #[serde(rename = "type")]
    kind: String,
    id: Option<Value>,
    method: Option<Value>,
    args: Option<Value>,
    init: Option<Value>,
    #[serde(rename = "probeId")]
    probe_id: Option<Value>,
    #[serde(rename = "toolCallId")]
    tool_call_id: Option<Value>,
    approved: Option<Value>,
}

#[derive(Deserialize)]
struct RawBody {
    messages: Vec<Value>,
    trigger: Option<String>,
}

struct RawMessage {
    id: MessageId,
    role: Role,
    parts: Vec<Map<String, Value>>,
}

impl RawMessage {
    fn read(message: Value) -> Option<Self> {
        let Value::Object(mut message) = message else {
            return None;
        };
        let mut field = |name: &str| message.remove(name).unwrap_or(Value::Null);
        Some(Self {
            id: serde_json::from_value(field("id")).ok()?,
            role: serde_json::from_value(field("role")).ok()?,
            parts: serde_json::from_value(field("parts")).ok()?,
        })
    }
}
