//! One type for each kind of id, so that the compiler keeps them apart.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The longest id that a client may choose, in bytes.
const MAXIMUM_CLIENT_ID_BYTES: usize = 128;

/// An id that does not have the form of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdentifierError {
    /// Not a UUID in its lower-case, hyphenated form.
    #[error("not a conversation id")]
    Conversation,
    /// Empty, longer than 128 bytes, or with characters outside printable ASCII.
    #[error("an id must be 1 to 128 printable ASCII characters")]
    Text,
}

/// A conversation. Made by the server alone; written as a lower-case, hyphenated UUID and read in no other form, so
/// that one conversation has one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConversationId(Uuid);

impl ConversationId {
    /// Wraps a UUID that the caller made.
    #[must_use]
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(formatter)
    }
}

impl FromStr for ConversationId {
    type Err = IdentifierError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = Self(Uuid::try_parse(text).map_err(|_| IdentifierError::Conversation)?);
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(IdentifierError::Conversation)
        }
    }
}

impl TryFrom<String> for ConversationId {
    type Error = IdentifierError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ConversationId> for String {
    fn from(id: ConversationId) -> Self {
        id.to_string()
    }
}

macro_rules! text_identifier {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Reads an id.
            ///
            /// # Errors
            /// [`IdentifierError::Text`] unless it is 1 to 128 printable ASCII characters.
            pub fn new(text: impl Into<String>) -> Result<Self, IdentifierError> {
                let text = text.into();
                let printable = text.bytes().all(|byte| byte.is_ascii_graphic());
                if text.is_empty() || text.len() > MAXIMUM_CLIENT_ID_BYTES || !printable {
                    return Err(IdentifierError::Text);
                }
                Ok(Self(text))
            }

            /// The id from a UUID that the caller made.
            #[must_use]
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid.as_hyphenated().to_string())
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdentifierError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

text_identifier! {
    /// A message. The client chooses the id of what the owner sends; the server those of answers.
    MessageId
}
text_identifier! {
    /// One request for an answer, chosen by the client; it names the turn and its stream of chunks.
    RequestId
}
impl RequestId {
    /// What stands between a request and the number of an attempt at it.
    const CONTINUATION: char = '~';

    /// Room for that and the largest number.
    const CONTINUATION_BYTES: usize = 11;

    /// The request under which the attempt number `attempt` (2 is the first after the original) goes on with this one's
    /// answer: a chunk's number must never mean two texts.
    #[must_use]
    pub fn continued(&self, attempt: u32) -> Self {
        Self(format!("{}{}{attempt}", self.0, Self::CONTINUATION))
    }

    /// Whether a client may choose it: it leaves room for [`Self::continued`] and cannot be taken for a result of that.
    #[must_use]
    pub fn is_original(&self) -> bool {
        !self.0.contains(Self::CONTINUATION)
            && self.0.len() + Self::CONTINUATION_BYTES <= MAXIMUM_CLIENT_ID_BYTES
    }

    /// The request that the owner made, whose answer this one goes on with; itself if it is that.
    #[must_use]
    pub fn original(&self) -> Self {
        match self.parts() {
            Some((original, _)) => Self(original.to_owned()),
            None => self.clone(),
        }
    }

    /// Which attempt at the answer this is, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.parts().map_or(1, |(_, attempt)| attempt)
    }

    fn parts(&self) -> Option<(&str, u32)> {
        let (original, attempt) = self.0.rsplit_once(Self::CONTINUATION)?;
        match attempt.parse() {
            Ok(number) if number >= 2 && !original.is_empty() => Some((original, number)),
            Ok(_) | Err(_) => None,
        }
    }
}

text_identifier! {
    /// What a program calls a message that it submits, so that submitting it again changes nothing.
    SubmissionKey
}
text_identifier! {
    /// One remote call, chosen by the client.
    CallId
}
text_identifier! {
    /// One open socket, made by the server.
    ConnectionId
}
