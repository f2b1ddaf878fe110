//! What may be chosen, what it costs, and that nothing else may be chosen.
#![allow(
    clippy::unwrap_used,
    reason = "a test may stop where it finds something wrong"
)]

use flarebot_model::catalog::{Catalog, DEFAULT_WORKERS_AI_MODEL, PRICES_TAKEN_ON, Prices, UnknownModel};
use flarebot_model::{Codec, CompatibleEndpoint, KeySlot, Provider, owner_key};
use flarebot_protocol::message::Usage;
use std::fmt::Write as _;

fn endpoint() -> CompatibleEndpoint {
    CompatibleEndpoint::read(Some("http://127.0.0.1:8080/v1"), Some("small,large"))
        .unwrap()
        .unwrap()
}

#[test]
fn the_whole_catalog() {
    let mut table = format!("prices of {PRICES_TAKEN_ON}, in dollars for a million tokens\n");
    for entry in Catalog::new(Some(endpoint().with_key())).entries() {
        let context = entry
            .context_tokens
            .map_or("?".to_owned(), |tokens| tokens.to_string());
        writeln!(
            table,
            "{} | {} | {} | context {context} | key {:?} | {}",
            entry.provider.id(),
            entry.model,
            entry.title,
            entry.key,
            entry.prices.map_or("no prices".to_owned(), dollars),
        )
        .unwrap();
    }
    insta::assert_snapshot!("catalog", table);
}

fn dollars(prices: Prices) -> String {
    let dollars = |price: u64| format!("{}.{:03}", price / 1000, price % 1000);
    format!(
        "input {}, output {}, cache read {}, cache write {}",
        dollars(prices.input),
        dollars(prices.output),
        dollars(prices.cache_read),
        dollars(prices.cache_write)
    )
}

#[test]
fn only_what_is_in_the_catalog_may_be_chosen() {
    let catalog = Catalog::new(Some(endpoint()));
    for (provider, model) in [
        (Provider::WorkersAi, ""),
        (Provider::WorkersAi, "@cf/meta/llama-2-7b-chat-int8"),
        (Provider::WorkersAi, "@CF/META/LLAMA-3.3-70B-INSTRUCT-FP8-FAST"),
        (Provider::WorkersAi, "small"),
        (Provider::Anthropic, DEFAULT_WORKERS_AI_MODEL),
        (Provider::Anthropic, "claude-sonnet-5-5 "),
        (Provider::Anthropic, "claude-sonnet-5-5\n"),
        (Provider::Anthropic, "claude"),
        (Provider::Anthropic, "../claude-sonnet-5-5"),
        (Provider::Compatible, "medium"),
        (Provider::Compatible, "claude-sonnet-5-5"),
    ] {
        assert_eq!(
            catalog.find(provider, model),
            Err(UnknownModel),
            "{provider:?} {model:?}"
        );
    }
    for entry in catalog.entries() {
        assert_eq!(catalog.find(entry.provider, &entry.model), Ok(entry));
    }
    assert!(Catalog::new(None).find(Provider::Compatible, "small").is_err());
}

#[test]
fn every_model_is_named_once_and_has_its_codec() {
    let catalog = Catalog::new(Some(endpoint().with_key()));
    for (position, entry) in catalog.entries().iter().enumerate() {
        let same = |other: &&_| *other == entry;
        assert_eq!(
            catalog.entries().iter().position(|other| same(&other)),
            Some(position)
        );
        let codec = catalog.codec(entry.provider).unwrap();
        assert_eq!((codec.provider(), codec.key()), (entry.provider, entry.key));
    }
    assert_eq!(Catalog::new(None).codec(Provider::Compatible), None);
    assert_eq!(
        Catalog::new(None).codec(Provider::Anthropic),
        Some(Codec::Anthropic)
    );
}

#[test]
fn the_deployments_own_model_comes_before_the_shared_default() {
    let own = Catalog::new(Some(endpoint()));
    assert_eq!(own.default_choice(), (Provider::Compatible, "small"));
    let none = Catalog::new(None);
    assert_eq!(
        none.default_choice(),
        (Provider::WorkersAi, DEFAULT_WORKERS_AI_MODEL)
    );
    for catalog in [own, none] {
        let (provider, model) = catalog.default_choice();
        assert_eq!(catalog.find(provider, model).unwrap().key, None);
    }
}

#[test]
fn providers_have_the_ids_under_which_choices_are_stored() {
    for (provider, id) in [
        (Provider::WorkersAi, "workers-ai"),
        (Provider::Anthropic, "anthropic"),
        (Provider::Compatible, "openai-compatible"),
    ] {
        assert_eq!((provider.id(), Provider::parse(id)), (id, Some(provider)));
        assert_eq!(serde_json::to_string(&provider).unwrap(), format!("\"{id}\""));
    }
    assert_eq!(Provider::parse("openai"), None);
    assert_eq!(owner_key(Provider::Anthropic), Some(KeySlot::Anthropic));
}

#[test]
fn a_cost_counts_each_token_once_at_its_price() {
    let prices = Prices {
        input: 2000,
        output: 10_000,
        cache_read: 100,
        cache_write: 2500,
    };
    let usage = Usage {
        input_tokens: 1_000_000,
        output_tokens: 100_000,
        cache_read_tokens: 800_000,
        cache_write_tokens: 100_000,
    };
    // $0.20 + $1.00 + $0.08 + $0.25
    assert_eq!(prices.cost(&usage), 1_530_000_000);
    assert_eq!(prices.cost(&Usage::default()), 0);
    let strange = Usage {
        input_tokens: 1,
        output_tokens: u64::MAX,
        cache_read_tokens: u64::MAX,
        cache_write_tokens: u64::MAX,
    };
    assert_eq!(prices.cost(&strange), u64::MAX);
}
