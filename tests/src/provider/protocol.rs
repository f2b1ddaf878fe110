//! The protocols in which the provider is asked and answers. A script is the same in all of them.

mod completions;
mod messages;
mod workers_ai;

use super::exchange::SentMessage;
use super::passage::Passage;
use super::request::Request;
use serde_json::Value;

/// How one request was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `OpenAI`'s chat completions.
    Completions,
    /// Anthropic's Messages.
    Messages,
    /// What the stand-in for Cloudflare's AI binding asks: its errors are texts, which the stand-in throws.
    WorkersAi,
}

/// One event of a stream.
pub(super) struct Event {
    pub(super) name: Option<&'static str>,
    pub(super) data: String,
}

impl Event {
    fn unnamed(data: impl ToString) -> Self {
        Self {
            name: None,
            data: data.to_string(),
        }
    }
}

/// An answer as the events of one protocol.
pub(super) trait Speech {
    /// Before anything is said.
    fn begin(&mut self) -> Vec<Event>;
    /// Thinks, and proves it if the protocol has proofs.
    fn think(&mut self, text: &str, proof: &str) -> Vec<Event>;
    /// Says a piece of text.
    fn say(&mut self, piece: &str) -> Vec<Event>;
    /// Calls the tool at this place of the passage, with its arguments in pieces if the protocol can.
    fn call(&mut self, passage: &Passage<'_>, place: usize) -> Vec<Event>;
    /// Says why the answer ends, and what it took.
    fn finish(&mut self, passage: &Passage<'_>) -> Vec<Event>;
    /// Nothing more comes.
    fn done(&mut self) -> Vec<Event>;
}

impl Protocol {
    /// The protocol of a path; none of them is spoken elsewhere.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/messages" => Some(Self::Messages),
            "/workers-ai/run" => Some(Self::WorkersAi),
            path if path.ends_with("/chat/completions") => Some(Self::Completions),
            _ => None,
        }
    }

    /// The messages of a request body.
    pub(super) fn sent_messages(self, body: &Value) -> Vec<SentMessage> {
        match self {
            Self::Completions | Self::WorkersAi => completions::sent_messages(body),
            Self::Messages => messages::sent_messages(body),
        }
    }

    /// The tools that a request body lets the model call.
    pub(super) fn offered_tools(self, body: &Value) -> Vec<String> {
        match self {
            Self::Completions | Self::WorkersAi => completions::offered_tools(body),
            Self::Messages => messages::offered_tools(body),
        }
    }

    /// What an error tells of its caller: the provider's own secrets, and the key that it was sent.
    pub(super) fn key(self, request: &Request) -> String {
        let (name, before) = match self {
            Self::Messages => ("x-api-key", ""),
            Self::Completions | Self::WorkersAi => ("authorization", "Bearer "),
        };
        let value = request.header(name).unwrap_or_default();
        value.strip_prefix(before).unwrap_or(value).to_owned()
    }

    /// What speaks to the model's caller. The models of Workers AI differ in the shape of their answers.
    pub(super) fn speech(self, model: &str) -> Box<dyn Speech> {
        match self {
            Self::Completions => Box::new(completions::Completions),
            Self::Messages => Box::new(messages::Messages::default()),
            Self::WorkersAi => Box::new(workers_ai::WorkersAi::of(model)),
        }
    }

    /// A whole answer as one document.
    pub(super) fn document(self, passage: &Passage<'_>) -> Value {
        match self {
            Self::Completions => completions::document(passage),
            Self::Messages => messages::document(passage),
            Self::WorkersAi => workers_ai::document(passage),
        }
    }

    /// The body of an answer with this status.
    pub(super) fn refusal(self, status: u16, complaint: &str) -> String {
        match self {
            Self::Completions => completions::error(complaint, "scripted", None).to_string(),
            Self::Messages => messages::error(messages::kind_of(status), complaint).to_string(),
            Self::WorkersAi => workers_ai::thrown(status, complaint),
        }
    }

    /// The body of the answer to a conversation that does not fit the model.
    pub(super) fn too_long(self, complaint: &str) -> String {
        let complaint = too_long(complaint);
        match self {
            Self::Completions => completions::too_long(&complaint).to_string(),
            Self::Messages => messages::error("invalid_request_error", &complaint).to_string(),
            Self::WorkersAi => format!("3006: {complaint}"),
        }
    }

    /// The event that fails an answer which has begun.
    pub(super) fn error_event(self, complaint: &str) -> Event {
        match self {
            Self::Completions => Event::unnamed(completions::error(complaint, "scripted", Some(503))),
            Self::Messages => messages::failed("overloaded_error", complaint),
            Self::WorkersAi => workers_ai::failed(3040, complaint),
        }
    }

    /// The event that fails an answer which has begun and does not fit the model.
    pub(super) fn too_long_event(self, complaint: &str) -> Event {
        let complaint = too_long(complaint);
        match self {
            Self::Completions => Event::unnamed(completions::too_long(&complaint)),
            Self::Messages => messages::failed("invalid_request_error", &complaint),
            Self::WorkersAi => workers_ai::failed(3006, &complaint),
        }
    }

    /// An event that is not JSON.
    pub(super) fn malformed_event(self, complaint: &str) -> Event {
        let data = match self {
            Self::Completions => format!("{{\"choices\":[{{\"delta\":{{\"content\":{complaint}"),
            Self::Messages => format!("{{\"type\":\"content_block_delta\",\"delta\":{complaint}"),
            Self::WorkersAi => format!("{{\"response\":{complaint}"),
        };
        Event { name: None, data }
    }
}

fn too_long(complaint: &str) -> String {
    format!("prompt is too long: this model's maximum context length is 8192 tokens. {complaint}")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
