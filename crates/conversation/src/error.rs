//! What can go wrong between a conversation and its storage.

use flarebot_sql::{MigrationError, SqlError};

/// Why a conversation could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversationError {
    /// The database refused, or a row did not have the expected shape.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The schema cannot be used.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// Something stored was written by a newer version of this program, or is not what this program wrote.
    #[error("a stored {what} cannot be read")]
    Unreadable {
        /// What it should have been.
        what: &'static str,
    },
    /// Something is too large for one stored value.
    #[error("a {what} of {bytes} bytes is too large to store")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its size as stored.
        bytes: usize,
    },
    /// The storage belongs to another conversation.
    #[error("this storage already belongs to another conversation")]
    AnotherConversation,
}
