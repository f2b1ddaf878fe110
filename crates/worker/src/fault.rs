//! What can go wrong in the shell, told apart by who should hear of it.

use flarebot_conversation::ConversationError;
use flarebot_protocol::call::{CallFailure, FailureCode};
use flarebot_sql::SqlError;
use wasm_bindgen::JsValue;

/// A failure of the shell. Its text goes to the log; clients get [`Fault::for_client`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The client asked for something that cannot be; the sentence is for the owner.
    #[error("{0}")]
    Client(#[from] CallFailure),
    /// The database.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// A rule of a conversation.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// The platform.
    #[error("{0}")]
    Internal(String),
}

impl Fault {
    /// A failure of the platform, for the log.
    pub(crate) fn internal(text: impl Into<String>) -> Self {
        Self::Internal(text.into())
    }

    /// An exception that an import threw.
    pub(crate) fn from_js(value: JsValue) -> Self {
        Self::Internal(format!("{value:?}"))
    }

    /// What a client may read: the sentence that is meant for it, or that something failed here.
    pub(crate) fn for_client(&self) -> CallFailure {
        match self {
            Self::Client(failure) => failure.clone(),
            Self::Sql(_) | Self::Conversation(_) | Self::Internal(_) => CallFailure::new(
                FailureCode::Internal,
                "Something went wrong on the server. Nothing was changed; try again.",
            ),
        }
    }
}

impl From<worker::Error> for Fault {
    fn from(error: worker::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<Fault> for worker::Error {
    fn from(fault: Fault) -> Self {
        Self::RustError(fault.to_string())
    }
}

/// Writes a failure to the log. Nothing that reaches this function holds a secret: keys never enter an error.
pub(crate) fn log(context: &str, fault: &Fault) {
    worker::console_error!("{context}: {fault}");
}
