//! Why a model did not answer, in a form that can be stored and shown: a kind, numbers, and our own words. A provider's
//! words never get here, since they may quote the request or the key.

use crate::SILENCE_MILLISECONDS;
use serde::{Deserialize, Serialize};

/// A call of a model that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFailure {
    /// What went wrong.
    pub kind: FailureKind,
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
    /// The provider did not accept the key.
    Authentication,
    /// Too many requests, or no quota is left.
    RateLimited,
    /// The provider does not know the model or the address, or points to another address.
    NotFound,
    /// The conversation does not fit the model's context.
    ContextTooLong,
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
    /// The answer is not what the provider's protocol says.
    Malformed,
    /// The answer, or one piece of it, is larger than what is taken.
    TooLong,
}

impl ModelFailure {
    /// A failure of which only the kind is known.
    #[must_use]
    pub fn new(kind: FailureKind) -> Self {
        Self {
            kind,
            status: None,
            retry_after_seconds: None,
        }
    }

    /// One or two short sentences for the owner: what happened, and what to do next.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.kind {
            FailureKind::Authentication => {
                "The model provider did not accept the key. Check the configured key, then send the message again.".into()
            }
            FailureKind::RateLimited => {
                format!("The model provider is limiting requests. Try again {}.", self.wait("in a few minutes"))
            }
            FailureKind::NotFound => {
                "The model provider does not know this model or address. Check the configured address and model names."
                    .into()
            }
            FailureKind::ContextTooLong => {
                "This conversation is too long for the model. Start a new chat, or use a model with a larger context."
                    .into()
            }
            FailureKind::Refused => {
                let status = self.status.map(|status| format!(" (status {status})")).unwrap_or_default();
                format!(
                    "The model provider refused the request{status}. Check your account there and the configured model."
                )
            }
            FailureKind::Unavailable => {
                format!("The model provider has a problem. Try again {}.", self.wait("in a minute"))
            }
            FailureKind::Unreachable => {
                "The model provider could not be reached. Check that it runs at the configured address, then try again."
                    .into()
            }
            FailureKind::Silent => format!(
                "The model sent nothing for {} seconds, so Flarebot stopped waiting. Send the message again.",
                SILENCE_MILLISECONDS / 1000
            ),
            FailureKind::Truncated => "The answer broke off before its end. Send the message again.".into(),
            FailureKind::Malformed => {
                "The model provider sent something that Flarebot cannot read. Check the configured address, or use \
                 another model."
                    .into()
            }
            FailureKind::TooLong => "The answer is longer than Flarebot keeps. Ask for a shorter one.".into(),
        }
    }

    fn wait(&self, unknown: &str) -> String {
        match self.retry_after_seconds {
            None | Some(0) => unknown.to_owned(),
            Some(1) => "in a second".to_owned(),
            Some(seconds @ 2..=90) => format!("in {seconds} seconds"),
            Some(seconds @ 91..=7200) => format!("in {} minutes", seconds.div_ceil(60)),
            Some(seconds) => format!("in {} hours", seconds.div_ceil(3600)),
        }
    }
}
