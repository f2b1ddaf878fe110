//! The providers that Flarebot speaks with, by the ids under which a choice of model is stored.

use crate::KeySlot;
use serde::{Deserialize, Serialize};

/// Who runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Provider {
    /// Cloudflare's own models, through the Worker's AI binding and paid by its account.
    #[serde(rename = "workers-ai")]
    WorkersAi,
    /// Anthropic, with the owner's key.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// The endpoint that the deployment fixes.
    #[serde(rename = "openai-compatible")]
    Compatible,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 3] = [Self::WorkersAi, Self::Anthropic, Self::Compatible];

    /// Its id, as it is stored and sent.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::WorkersAi => "workers-ai",
            Self::Anthropic => "anthropic",
            Self::Compatible => "openai-compatible",
        }
    }

    /// The provider with this id.
    #[must_use]
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.id() == id)
    }

    /// The slot of the key that the owner gives it, where it takes one.
    #[must_use]
    pub const fn owner_key(self) -> Option<KeySlot> {
        match self {
            Self::Anthropic => Some(KeySlot::Anthropic),
            Self::WorkersAi | Self::Compatible => None,
        }
    }
}
