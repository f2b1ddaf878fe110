//! What a client session tells its driver.

use crate::call::{Call, CallFailure, FailureCode};
use crate::frame::ServerFrame;
use crate::tool_activity::ToolActivity;
use crate::{CallId, CloseCode, RequestId};
use serde_json::Value;

/// One thing for the driver to do, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Open a socket and report its events.
    Connect,
    /// Send this text on the open socket.
    Transmit(String),
    /// Close the socket, open or not, and report nothing more of it.
    Disconnect,
    /// Tell the page.
    Event(SessionEvent),
}

/// One thing for the page to know.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// The connection changed.
    Status(ConnectionStatus),
    /// A frame arrived; replies to calls come as [`SessionEvent::CallSettled`] instead, and a conversation's state as
    /// [`SessionEvent::ToolActivities`].
    Frame(Box<ServerFrame>),
    /// The activities of a conversation's tools that are worth watching, all of them: with every connection, and again
    /// whenever one has changed.
    ToolActivities(Vec<ToolActivity>),
    /// A call succeeded or failed. Each call settles exactly once.
    CallSettled(Settlement),
    /// A chat request got further. [`SubmissionState::is_final`] says whether more follows.
    Submission {
        /// The request.
        id: RequestId,
        /// Where it is now.
        state: SubmissionState,
    },
    /// A frame arrived that this version cannot read; it was ignored. The server is probably newer than the page, so
    /// the page should offer to reload.
    Unreadable {
        /// The type of the frame, if it had one.
        kind: Option<String>,
    },
}

/// The state of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// A connection is being made.
    Connecting,
    /// The server has introduced itself, and what it sends first has come: the state of an agent, the history of a
    /// conversation.
    Ready,
    /// The connection was lost; the next attempt comes by itself.
    Reconnecting {
        /// The number of that attempt, counted from 1 since the last stable connection.
        attempt: u32,
        /// When it begins, in milliseconds since 1970.
        retry_at: i64,
    },
    /// The server closed the socket for good. Only `start` connects again.
    Closed(CloseCode),
}

/// Where a chat request is on its way to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmissionState {
    /// It was sent and is not yet confirmed.
    Sent,
    /// The connection was lost before the server confirmed it. It is sent again, with the same ids, as soon as the
    /// history of the next connection shows that the server does not have it.
    Uncertain,
    /// The server has it.
    Accepted,
    /// The server refused it.
    Refused {
        /// Why, for the owner.
        sentence: String,
    },
    /// It will not be sent any more: it was cancelled in time, or the connection is closed for good before the server
    /// confirmed it. Its text belongs back in the draft.
    Undelivered,
}

impl SubmissionState {
    /// Whether this is the last that is said of the request.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Sent | Self::Uncertain => false,
            Self::Accepted | Self::Refused { .. } | Self::Undelivered => true,
        }
    }
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// The call.
    pub id: CallId,
    /// Its method.
    pub method: &'static str,
    /// Its reply as JSON, or why it failed.
    pub result: Result<Value, CallFailure>,
}

impl Settlement {
    /// The reply of a call of type `C`.
    ///
    /// # Errors
    /// The call's failure, or [`FailureCode::Internal`] for a reply that is not one of `C`.
    pub fn reply<C: Call>(self) -> Result<C::Reply, CallFailure> {
        serde_json::from_value(self.result?).map_err(|_| {
            CallFailure::new(
                FailureCode::Internal,
                "The answer could not be read. Reload the page and try again.",
            )
        })
    }
}
