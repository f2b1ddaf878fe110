//! Writing what a client sends, so that reading and writing can be tested against each other.

use super::{ChatRequest, ClientFrame, Trigger};
use crate::message::Message;
use crate::{CallId, RequestId};
use serde::Serialize;
use serde_json::Value;

impl ClientFrame {
    /// This frame as the text that [`ClientFrame::parse`] reads.
    #[must_use]
    pub fn text(&self) -> String {
        text(&match self {
            Self::Rpc {
                id,
                method,
                arguments,
            } => Written::Rpc {
                id,
                method,
                args: arguments,
            },
            Self::State => Written::State,
            Self::Chat(request) => Written::Chat {
                id: &request.id,
                init: Init {
                    method: "POST",
                    body: request.body(),
                },
            },
            Self::Cancel { id } => Written::Cancel { id },
            Self::ToolApproval {
                tool_call_id,
                decision,
            } => Written::ToolApproval {
                tool_call_id,
                approved: decision.is_approved(),
            },
            Self::Clear => Written::Clear,
            Self::PushedTranscript => Written::PushedTranscript,
            Self::ResumeRequest { probe_id } => Written::ResumeRequest {
                probe_id: probe_id.as_deref(),
            },
            Self::ResumeAcknowledge { id } => Written::ResumeAcknowledge { id },
        })
    }
}

impl ChatRequest {
    fn body(&self) -> String {
        text(&Body {
            messages: [&self.message],
            trigger: match self.trigger {
                Trigger::Submit => "submit-message",
                Trigger::Regenerate => "regenerate-message",
            },
        })
    }
}

/// Serialising our own types cannot fail: their maps have string keys.
fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Written<'a> {
    #[serde(rename = "rpc")]
    Rpc {
        id: &'a CallId,
        method: &'a str,
        args: &'a [Value],
    },
    #[serde(rename = "cf_agent_state")]
    State,
    #[serde(rename = "cf_agent_use_chat_request")]
    Chat { id: &'a RequestId, init: Init },
    #[serde(rename = "cf_agent_chat_request_cancel")]
    Cancel { id: &'a RequestId },
    #[serde(rename = "cf_agent_tool_approval", rename_all = "camelCase")]
    ToolApproval { tool_call_id: &'a str, approved: bool },
    #[serde(rename = "cf_agent_chat_clear")]
    Clear,
    #[serde(rename = "cf_agent_chat_messages")]
    PushedTranscript,
    #[serde(rename = "cf_agent_stream_resume_request")]
    ResumeRequest {
        #[serde(rename = "probeId", skip_serializing_if = "Option::is_none")]
        probe_id: Option<&'a str>,
    },
    #[serde(rename = "cf_agent_stream_resume_ack")]
    ResumeAcknowledge { id: &'a RequestId },
}

#[derive(Serialize)]
struct Init {
    method: &'static str,
    body: String,
}

#[derive(Serialize)]
struct Body<'a> {
    messages: [&'a Message; 1],
    trigger: &'static str,
}
