//! Writing what a client sends, so that reading and writing can be tested against each other.

use super::{ChatRequest, ClientFrame, Trigger};
use serde_json::{Value, json};

impl ClientFrame {
    /// This frame as the text that [`ClientFrame::parse`] reads.
    #[must_use]
    pub fn text(&self) -> String {
        self.json().to_string()
    }

    fn json(&self) -> Value {
        match self {
            Self::Rpc {
                id,
                method,
                arguments,
            } => json!({"type": "rpc", "id": id, "method": method, "args": arguments}),
            Self::State => json!({"type": "cf_agent_state"}),
            Self::Chat(request) => json!({
                "type": "cf_agent_use_chat_request",
                "id": request.id,
                "init": {"method": "POST", "body": request.body().to_string()},
            }),
            Self::Cancel { id } => json!({"type": "cf_agent_chat_request_cancel", "id": id}),
            Self::Clear => json!({"type": "cf_agent_chat_clear"}),
            Self::PushedTranscript => json!({"type": "cf_agent_chat_messages"}),
            Self::ResumeRequest { probe_id: None } => json!({"type": "cf_agent_stream_resume_request"}),
            Self::ResumeRequest {
                probe_id: Some(probe_id),
            } => json!({"type": "cf_agent_stream_resume_request", "probeId": probe_id}),
            Self::ResumeAcknowledge { id } => json!({"type": "cf_agent_stream_resume_ack", "id": id}),
        }
    }
}

impl ChatRequest {
    fn body(&self) -> Value {
        let trigger = match self.trigger {
            Trigger::Submit => "submit-message",
            Trigger::Regenerate => "regenerate-message",
        };
        json!({"messages": [self.message], "trigger": trigger})
    }
}
