//! The frames of a socket, both directions, as types.

mod incoming;
mod outgoing;
mod written;

pub use incoming::{ChatRequest, ClientFrame, FrameFault, Trigger};
pub use outgoing::{
    AgentKind, ChatResponse, ErrorFrame, HistoryFrame, QueueFrame, QueuedTurn, ResumeNoneReason, RpcReply,
    RunningTurn, ServerFrame, SharedState,
};

/// What a client asked for when it connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientKind {
    /// A client of the Agents SDK: whole transcripts and the frames that it knows.
    Sdk,
    /// Our own page: pages of history, single messages and `flarebot_*` frames.
    Flarebot,
}

impl ClientKind {
    /// Reads the kind from the value of the query parameter [`crate::address::CLIENT_PARAMETER`].
    #[must_use]
    pub fn from_parameter(value: Option<&str>) -> Self {
        if value == Some(crate::address::FLAREBOT_CLIENT) {
            Self::Flarebot
        } else {
            Self::Sdk
        }
    }
}
