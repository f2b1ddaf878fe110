//! What a message from a server means for a measurement. The product and the peer speak the same protocol for answers;
//! where they differ, only the measurement of connecting and reloading can tell.

use super::marks::{self, Mark};
use super::trouble::{Result, Trouble};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// One message, as far as a measurement cares.
#[derive(Debug)]
pub(super) enum Frame {
    /// A piece of an answer.
    Piece { marks: Vec<Mark> },
    /// A piece that was sent before, for a client that joins late.
    Repeated { marks: Vec<Mark> },
    /// All that was sent before has been repeated.
    RepeatedAll { marks: Vec<Mark> },
    /// An answer's end.
    Ended { id: String, outcome: String },
    /// The transcript, or an answer, as it stands.
    Picture(Picture),
    /// A running answer may be joined by acknowledging it.
    Offer { id: String },
    /// The reply to a call.
    Reply { id: String, result: Result<Value> },
    /// The last frame that the peer sends to a client that connects.
    Settled,
    /// Anything else.
    Other,
}

/// The transcript, or an answer, as it stands.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) marks: Vec<Mark>,
    /// Whether an answer is being made.
    pub(super) running: bool,
    /// How the newest message ended, if it is an answer that did.
    pub(super) outcome: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    body: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    outcome: Option<Cow<'a, str>>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    replay: bool,
    #[serde(default)]
    replay_complete: bool,
}

impl Frame {
    pub(super) fn read(text: &str) -> Result<Self> {
        let raw: Raw<'_> = serde_json::from_str(text)?;
        let id = || raw.id.as_deref().unwrap_or_default().to_owned();
        let marks = || raw.body.as_deref().map(marks::read).unwrap_or_default();
        Ok(match raw.kind.as_ref() {
            "cf_agent_use_chat_response" if raw.replay_complete => Self::RepeatedAll { marks: marks() },
            "cf_agent_use_chat_response" if raw.done => Self::Ended {
                id: id(),
                outcome: raw.outcome.as_deref().unwrap_or("error").to_owned(),
            },
            "cf_agent_use_chat_response" if raw.replay => Self::Repeated { marks: marks() },
            "cf_agent_use_chat_response" => Self::Piece { marks: marks() },
            "flarebot_history" | "cf_agent_chat_messages" => Self::Picture(Picture::read(text)?),
            "flarebot_running" => Self::Picture(Picture {
                marks: marks::read(text),
                running: true,
                outcome: None,
            }),
            "cf_agent_stream_resuming" => Self::Offer { id: id() },
            "rpc" if raw.done => Self::Reply {
                id: id(),
                result: Ok(serde_json::from_str::<Value>(text)?["result"].take()),
            },
            "rpc" => Self::read_failure(id(), text)?,
            "cf_agent_mcp_servers" => Self::Settled,
            _ => Self::Other,
        })
    }

    /// A call's failure has no `done`; a piece of a streamed reply has no `error`.
    fn read_failure(id: String, text: &str) -> Result<Self> {
        let error = serde_json::from_str::<Value>(text)?["error"].take();
        Ok(match error {
            Value::String(error) => Self::Reply {
                id,
                result: Err(Trouble::new(error)),
            },
            _ => Self::Other,
        })
    }

    /// The chunks that came with it.
    pub(super) fn marks(&self) -> &[Mark] {
        match self {
            Self::Piece { marks } | Self::Repeated { marks } | Self::RepeatedAll { marks } => marks,
            Self::Picture(picture) => &picture.marks,
            Self::Ended { .. } | Self::Offer { .. } | Self::Reply { .. } | Self::Settled | Self::Other => &[],
        }
    }
}

impl Picture {
    fn read(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Whole {
            messages: Vec<Value>,
            running: Option<Value>,
        }
        let whole: Whole = serde_json::from_str(text)?;
        let newest = whole.messages.last();
        let outcome = newest.and_then(|message| message["metadata"]["outcome"].as_str());
        Ok(Self {
            marks: marks::read(text),
            running: whole.running.is_some(),
            outcome: outcome.map(str::to_owned),
        })
    }
}
