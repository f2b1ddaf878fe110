//! What a provider wants to see again of a model's thinking, exactly as it was.

use serde::{Deserialize, Serialize};

/// The most bytes that the thoughts of one answer may take. An answer with more has failed with
/// [`crate::FailureKind::TooLong`].
pub const MAXIMUM_THOUGHT_BYTES: usize = 256 * 1024;

/// A finished piece of a model's thinking. Whoever calls the model again within the same answer gives it back, unchanged
/// and in order; codecs leave out those of another model, since no other model can read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thought {
    /// The model that thought it, as the request named it.
    pub model: String,
    /// What it is.
    pub content: ThoughtContent,
    /// How many bytes of the step's text came before it.
    pub text_before: usize,
    /// How many of the step's calls began before it.
    pub calls_before: usize,
}

/// What a provider gave of a thought. All texts are its own and are never changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ThoughtContent {
    /// Thinking, perhaps summarised or left out, and the signature that proves it.
    Thinking {
        /// What may be read of it.
        text: String,
        /// Its proof.
        signature: String,
    },
    /// Thinking that only the provider can read.
    Redacted {
        /// Its encrypted form.
        data: String,
    },
    /// The proof of the thinking behind the call that comes next.
    CallSignature {
        /// The proof.
        signature: String,
    },
}

impl Thought {
    /// What it costs to keep, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            ThoughtContent::Thinking { text, signature } => text.len() + signature.len(),
            ThoughtContent::Redacted { data: text } | ThoughtContent::CallSignature { signature: text } => {
                text.len()
            }
        }
    }
}
