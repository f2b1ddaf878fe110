//! What may be a fact, and what may be its id.

use flarebot_protocol::ConversationId;
use flarebot_protocol::RequestId;
use flarebot_protocol::memory::MAXIMUM_FACT_UNITS;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// Tells this use of the hash from every other one.
const DERIVATION: &[u8] = b"flarebot memory: the fact that a tool's call remembers";

/// Why a text cannot be a fact. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FactRefused {
    /// It says nothing.
    #[error("A fact cannot be blank. Write what is to be remembered.")]
    Blank,
    /// It is longer than [`MAXIMUM_FACT_UNITS`].
    #[error("A fact can have 1,000 characters at most. Shorten it and try again.")]
    TooLong,
    /// It holds a control character other than tab and the ends of lines.
    #[error("A fact cannot hold control characters. Remove them and try again.")]
    ControlCharacter,
}

/// Whether a text can be a fact. It is kept exactly as it is.
///
/// # Errors
/// [`FactRefused`].
pub fn check(content: &str) -> Result<(), FactRefused> {
    let is_forbidden = |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r');
    if content.trim().is_empty() {
        Err(FactRefused::Blank)
    } else if content.encode_utf16().count() > MAXIMUM_FACT_UNITS {
        Err(FactRefused::TooLong)
    } else if content.contains(is_forbidden) {
        Err(FactRefused::ControlCharacter)
    } else {
        Ok(())
    }
}

/// The id of a fact: made by the server alone, written as a lower-case, hyphenated UUID and read in no other form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactId(Uuid);

/// A text that is no id of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a fact")]
pub struct FactIdError;

impl FactId {
    /// Wraps a random UUID that the caller made.
    #[must_use]
    pub const fn random(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id of what one call of a tool remembers, always the same for that call: however often it asks, there is one
    /// fact.
    #[must_use]
    pub fn of_call(conversation: ConversationId, request_id: &RequestId, tool_call_id: &str) -> Self {
        let mut hash = Sha256::new_with_prefix(DERIVATION);
        for part in [
            conversation.to_string().as_str(),
            request_id.as_str(),
            tool_call_id,
        ] {
            // With their lengths, so that no two calls have the same bytes.
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part.as_bytes());
        }
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        for (byte, derived) in bytes.iter_mut().zip(digest) {
            *byte = derived;
        }
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(formatter)
    }
}

impl FromStr for FactId {
    type Err = FactIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = Self(Uuid::try_parse(text).map_err(|_| FactIdError)?);
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(FactIdError)
        }
    }
}
