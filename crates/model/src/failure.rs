//! Why a model did not answer, in a form that can be stored and shown: a kind, numbers, and our own words. A provider's
//! words never get here, since they may quote the request or the key.

mod sentence;

use crate::Provider;
#[cfg(doc)]
use crate::SILENCE_MILLISECONDS;
use serde::{Deserialize, Serialize};

/// A call of a model that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFailure {
    /// What went wrong.
    pub kind: FailureKind,
    /// With whom, where that is known. The words for the owner depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// The HTTP status that says so: the answer's own, or the one that an error inside a 200 names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asks to wait, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u64>,
}

/// What went wrong with a call of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// There is no key, or no binding, to ask with. The caller finds that out before it asks.
    MissingKey,
    /// The provider did not accept the key.
    Authentication,
    /// The key is good, but not for this model.
    NotPermitted,
    /// Nobody pays: no credit, or an allowance is used up.
    NoCredit,
    /// Too many requests.
    RateLimited,
    /// The provider has no room for the request now.
    Overloaded,
    /// The provider does not know the model or the address, or points to another address.
    NotFound,
    /// The conversation does not fit the model's context.
    ContextTooLong,
    /// The provider's rules forbid to answer this.
    Filtered,
    /// The provider does not want this request for another reason.
    Refused,
    /// The provider has a problem of its own.
    Unavailable,
    /// No connection to the provider. The caller finds that out.
    Unreachable,
    /// Nothing came for [`SILENCE_MILLISECONDS`]. The caller finds that out.
    Silent,
    /// The answer ended before its end was announced.
    Truncated,
    /// The answer is a page for people: something else lives at the address, or stands before it.
    NotAnAnswer,
    /// The answer is not what the provider's protocol says.
    Malformed,
    /// The answer, or one piece of it, is larger than what is taken.
    TooLong,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [Self; 17] = [
        Self::MissingKey,
        Self::Authentication,
        Self::NotPermitted,
        Self::NoCredit,
        Self::RateLimited,
        Self::Overloaded,
        Self::NotFound,
        Self::ContextTooLong,
        Self::Filtered,
        Self::Refused,
        Self::Unavailable,
        Self::Unreachable,
        Self::Silent,
        Self::Truncated,
        Self::NotAnAnswer,
        Self::Malformed,
        Self::TooLong,
    ];
}

impl ModelFailure {
    /// A failure of which only the kind is known.
    #[must_use]
    pub const fn new(kind: FailureKind) -> Self {
        Self {
            kind,
            provider: None,
            status: None,
            retry_after_seconds: None,
        }
    }

    /// The same failure, with this provider.
    #[must_use]
    pub const fn of(self, provider: Provider) -> Self {
        Self {
            provider: Some(provider),
            ..self
        }
    }

    /// One or two short sentences for the owner: what happened, and what to do next. At most
    /// [`MAXIMUM_SENTENCE_BYTES`](Self::MAXIMUM_SENTENCE_BYTES), and never a word of the provider's.
    #[must_use]
    pub fn sentence(&self) -> String {
        sentence::of(self)
    }

    /// The most bytes of a [`sentence`](Self::sentence).
    pub const MAXIMUM_SENTENCE_BYTES: usize = 200;
}
