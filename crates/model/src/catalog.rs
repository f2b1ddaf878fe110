//! The models that may be chosen, and nothing else: a fixed list, and the models of the deployment's own endpoint.

use crate::{Codec, CompatibleEndpoint, KeySlot, Provider, owner_key};
use flarebot_protocol::message::Usage;

/// The model that is used where neither the owner nor the deployment has chosen: it needs no key.
pub const DEFAULT_WORKERS_AI_MODEL: &str = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";

/// When the prices below were taken from the providers' price lists. They change without notice.
pub const PRICES_TAKEN_ON: &str = "2026-11-30";

/// A model that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Who runs it.
    pub provider: Provider,
    /// Its name there.
    pub model: String,
    /// Its name for people.
    pub title: String,
    /// How many tokens a call may take in all, where that is known.
    pub context_tokens: Option<u64>,
    /// What its tokens cost, where that is known.
    pub prices: Option<Prices>,
    /// The key that it needs.
    pub key: Option<KeySlot>,
}

/// What tokens cost, in thousandths of a US dollar for a million of them; 3000 is $3.00. One token costs as many
/// billionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Tokens of the prompt that no cache had a part in.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens of the prompt that the provider had kept.
    pub cache_read: u64,
    /// Tokens of the prompt that the provider kept.
    pub cache_write: u64,
}

impl Prices {
    /// What these tokens cost, in billionths of a US dollar.
    #[must_use]
    pub const fn cost(&self, usage: &Usage) -> u64 {
        let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
        let plain = usage.input_tokens.saturating_sub(cached);
        plain
            .saturating_mul(self.input)
            .saturating_add(usage.output_tokens.saturating_mul(self.output))
            .saturating_add(usage.cache_read_tokens.saturating_mul(self.cache_read))
            .saturating_add(usage.cache_write_tokens.saturating_mul(self.cache_write))
    }
}

/// A choice that is not in the catalog. It does not repeat what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this model cannot be chosen: it is not in the catalog")]
pub struct UnknownModel;

/// All that may be chosen in one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    entries: Vec<Entry>,
    endpoint: Option<CompatibleEndpoint>,
}

impl Catalog {
    /// The catalog of an installation with this endpoint of its own.
    #[must_use]
    pub fn new(endpoint: Option<CompatibleEndpoint>) -> Self {
        let own = endpoint.iter().flat_map(|endpoint| {
            endpoint.models().iter().map(|model| Entry {
                provider: Provider::Compatible,
                model: model.clone(),
                title: model.clone(),
                context_tokens: None,
                prices: None,
                key: endpoint.key(),
            })
        });
        let entries = MODELS.iter().map(Listed::entry).chain(own).collect();
        Self { entries, endpoint }
    }

    /// Everything that may be chosen. The first entry of a provider is the one to suggest.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this model. Names are compared byte by byte.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, provider: Provider, model: &str) -> Result<&Entry, UnknownModel> {
        let mut entries = self.entries.iter();
        entries
            .find(|entry| entry.provider == provider && entry.model == model)
            .ok_or(UnknownModel)
    }

    /// What is used while the owner has chosen nothing: the deployment's own default, or else
    /// [`DEFAULT_WORKERS_AI_MODEL`].
    #[must_use]
    pub fn default_choice(&self) -> (Provider, &str) {
        match &self.endpoint {
            Some(endpoint) => (Provider::Compatible, endpoint.default_model()),
            None => (Provider::WorkersAi, DEFAULT_WORKERS_AI_MODEL),
        }
    }

    /// How this provider is spoken with; nothing for an endpoint that the deployment does not have.
    #[must_use]
    pub fn codec(&self, provider: Provider) -> Option<Codec> {
        match provider {
            Provider::WorkersAi => Some(Codec::WorkersAi),
            Provider::Anthropic => Some(Codec::Anthropic),
            Provider::Compatible => self.endpoint.clone().map(Codec::Compatible),
        }
    }
}

/// Whether a model thinks, and how it is asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// It does not, or not unless it is told to.
    Off,
    /// It decides by itself how much.
    Adaptive,
}

/// How this model thinks.
pub(crate) fn thinking(provider: Provider, model: &str) -> Thinking {
    let listed = MODELS
        .iter()
        .find(|listed| listed.provider == provider && listed.model == model);
    listed.map_or(Thinking::Off, |listed| listed.thinking)
}

/// A row of the fixed list.
struct Listed {
    provider: Provider,
    model: &'static str,
    title: &'static str,
    context_tokens: u64,
    prices: Prices,
    thinking: Thinking,
}

impl Listed {
    fn entry(&self) -> Entry {
        Entry {
            provider: self.provider,
            model: self.model.to_owned(),
            title: self.title.to_owned(),
            context_tokens: Some(self.context_tokens),
            prices: Some(self.prices),
            key: owner_key(self.provider),
        }
    }

    /// Workers AI has no price for cached tokens.
    const fn workers_ai(
        model: &'static str,
        title: &'static str,
        context_tokens: u64,
        input: u64,
        output: u64,
    ) -> Self {
        Self {
            provider: Provider::WorkersAi,
            model,
            title,
            context_tokens,
            prices: Prices {
                input,
                output,
                cache_read: input,
                cache_write: input,
            },
            thinking: Thinking::Off,
        }
    }

    /// What Anthropic keeps for five minutes costs a quarter more than what it does not keep.
    const fn anthropic(
        model: &'static str,
        title: &'static str,
        [context_tokens, input, output, cache_read]: [u64; 4],
        thinking: Thinking,
    ) -> Self {
        Self {
            provider: Provider::Anthropic,
            model,
            title,
            context_tokens,
            prices: Prices {
                input,
                output,
                cache_read,
                cache_write: input + input / 4,
            },
            thinking,
        }
    }
}

const MODELS: [Listed; 7] = [
    Listed::workers_ai(DEFAULT_WORKERS_AI_MODEL, "Llama 3.3 70B", 24_000, 293, 2253),
    Listed::workers_ai(
        "@cf/meta/llama-4-scout-17b-16e-instruct",
        "Llama 4 Scout",
        131_000,
        270,
        850,
    ),
    Listed::anthropic(
        "claude-sonnet-5-5",
        "Claude Sonnet 5.5",
        [1_000_000, 2000, 10_000, 100],
        Thinking::Adaptive,
    ),
    Listed::anthropic(
        "claude-opus-5-5",
        "Claude Opus 5.5",
        [1_000_000, 4000, 20_000, 200],
        Thinking::Adaptive,
    ),
    Listed::anthropic(
        "claude-sonnet-5",
        "Claude Sonnet 5",
        [1_000_000, 2000, 10_000, 200],
        Thinking::Adaptive,
    ),
    Listed::anthropic(
        "claude-opus-5",
        "Claude Opus 5",
        [1_000_000, 5000, 25_000, 500],
        Thinking::Adaptive,
    ),
    Listed::anthropic(
        "claude-haiku-4-5-20251001",
        "Claude Haiku 4.5",
        [200_000, 1000, 5000, 100],
        Thinking::Off,
    ),
];
