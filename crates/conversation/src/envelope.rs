//! Stored JSON carries a version, so that a later program can tell what it reads from what it would write.

use crate::ConversationError;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::Message;
use flarebot_sql::MAXIMUM_VALUE_BYTES;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The only version so far of everything that is stored in an envelope.
const VERSION: u32 = 1;

/// A type that is stored as JSON, with the word for it in errors.
pub(crate) trait Stored: Serialize + DeserializeOwned {
    const WHAT: &'static str;
}

impl Stored for Message {
    const WHAT: &'static str = "message";
}

impl Stored for Vec<Chunk> {
    const WHAT: &'static str = "stream segment";
}

#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    version: u32,
    content: T,
}

/// Writes `content` as it is stored.
pub(crate) fn seal<T: Stored>(content: &T) -> Result<String, ConversationError> {
    let envelope = Envelope {
        version: VERSION,
        content,
    };
    let text =
        serde_json::to_string(&envelope).map_err(|_| ConversationError::Unreadable { what: T::WHAT })?;
    if text.len() > MAXIMUM_VALUE_BYTES {
        return Err(ConversationError::TooLarge {
            what: T::WHAT,
            bytes: text.len(),
        });
    }
    Ok(text)
}

/// Reads what [`seal`] wrote.
pub(crate) fn unseal<T: Stored>(text: &str) -> Result<T, ConversationError> {
    match serde_json::from_str::<Envelope<T>>(text) {
        Ok(Envelope {
            version: VERSION,
            content,
        }) => Ok(content),
        Ok(_) | Err(_) => Err(ConversationError::Unreadable { what: T::WHAT }),
    }
}
