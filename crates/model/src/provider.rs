//! The providers that Flarebot speaks with, and whose key each of them takes.

use crate::KeySlot;

pub use flarebot_protocol::settings::ModelProvider as Provider;

/// The slot of the key that the owner gives a provider, where it takes one.
#[must_use]
pub const fn owner_key(provider: Provider) -> Option<KeySlot> {
    match provider {
        Provider::Anthropic => Some(KeySlot::Anthropic),
        Provider::WorkersAi | Provider::Compatible => None,
    }
}
