//! What the owner sets for the whole installation, as the Settings page sees it. Times are ISO 8601 in UTC.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest instructions, in UTF-16 code units.
pub const MAXIMUM_INSTRUCTIONS: usize = 16_000;

/// What the agent is told before every conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstructionSettings {
    /// The text that is in force, exactly as it was saved.
    pub text: String,
    /// The text that this version comes with.
    pub defaults: String,
    /// Whether the owner has a text of their own. Without one, a later version's defaults apply by themselves.
    pub customized: bool,
    /// When the owner saved theirs.
    pub modified_at: Option<String>,
}

/// Who runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ModelProvider {
    /// Cloudflare, in the account that the agent runs in.
    #[serde(rename = "workers-ai")]
    WorkersAi,
    /// Anthropic, with the owner's key.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// The endpoint that the deployment names.
    #[serde(rename = "openai-compatible")]
    Compatible,
}

impl ModelProvider {
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
}

/// A model that may be chosen. Nothing else about it can be: no address, no option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelChoice {
    /// Who runs it.
    pub provider: ModelProvider,
    /// Its name there.
    pub model: String,
}

/// The names of the models that may be chosen, the one to suggest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModelCatalog {
    /// Those of Workers AI.
    pub workers_ai: Vec<String>,
    /// Those of Anthropic.
    pub anthropic: Vec<String>,
    /// Those of the deployment's own endpoint, if it has one.
    pub openai_compatible: Vec<String>,
}

/// What the owner should know of a model before choosing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelDescription {
    /// The choice.
    pub choice: ModelChoice,
    /// Its name for people.
    pub title: String,
    /// How many tokens a call may take in all, where that is known.
    pub context_tokens: Option<u64>,
    /// What its tokens cost, where that is known.
    pub prices: Option<ModelPrices>,
}

/// What tokens cost, in thousandths of a US dollar for a million of them; 3000 is $3.00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrices {
    /// Tokens of the prompt that no cache had a part in.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens of the prompt that the provider had kept.
    pub cache_read: u64,
    /// Tokens of the prompt that the provider kept.
    pub cache_write: u64,
}

/// The models that may be chosen, in the order in which to show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    /// The models.
    pub models: Vec<ModelDescription>,
    /// When the prices were taken from the providers' lists, as a date. They change without notice.
    pub prices_taken_on: String,
}

/// Which model answers, and which keys there are. No key is ever in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSettings {
    /// What every next turn uses.
    pub configuration: ModelChoice,
    /// The keys.
    pub credentials: Credentials,
}

/// Which keys there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The owner's key for Anthropic.
    pub anthropic: Credential,
}

/// Whether there is a key. Whether its provider takes it is another matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// One is stored.
    Configured,
    /// There is none.
    Missing,
}

/// A key on its way to the server, which never gives it back. It is printed by nothing.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderKey(String);

impl ProviderKey {
    /// Wraps what the owner typed; the server checks it.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The key itself, for whoever seals it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProviderKey(…)")
    }
}

/// What came of one short request to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelTrial {
    /// Whether it answered.
    pub answered: bool,
    /// What happened, for the owner; with what to do next if it did not.
    pub sentence: String,
}

/// What was changed, so that other pages can say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SettingsSection {
    /// [`InstructionSettings`].
    Instructions,
    /// Which model answers, and the keys of providers.
    Models,
    /// What is remembered.
    Memory,
}
