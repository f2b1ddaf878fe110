//! Which model answers and which keys there are: chosen from the catalog alone, kept apart, given back by nothing.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands"
)]

mod support;

use flarebot_agent::models::{self, ModelsError, SealedKey};
use flarebot_model::CompatibleEndpoint;
use flarebot_model::Provider;
use flarebot_model::catalog::{Catalog, DEFAULT_WORKERS_AI_MODEL};
use flarebot_protocol::settings::{Credential, ModelChoice};
use support::agent;

fn catalog() -> Catalog {
    let endpoint = CompatibleEndpoint::read(Some("http://127.0.0.1:8080/v1"), Some("small,large")).unwrap();
    Catalog::new(endpoint)
}

fn chosen(provider: Provider, model: &str) -> ModelChoice {
    ModelChoice {
        provider,
        model: model.to_owned(),
    }
}

#[test]
fn without_a_choice_the_deployment_s_default_answers_whatever_it_becomes() {
    let sql = agent();
    let own = models::choice(&sql, &catalog()).unwrap();
    assert_eq!(own, chosen(Provider::Compatible, "small"));
    let without = models::choice(&sql, &Catalog::new(None)).unwrap();
    assert_eq!(without, chosen(Provider::WorkersAi, DEFAULT_WORKERS_AI_MODEL));
}

#[test]
fn a_model_of_the_catalog_can_be_chosen_and_nothing_else() {
    let sql = agent();
    let catalog = catalog();
    let names = models::names(&catalog);
    let anthropic = chosen(Provider::Anthropic, names.anthropic.first().unwrap());
    models::choose(&sql, &catalog, &anthropic, 5).unwrap();
    for refused in [
        chosen(Provider::Anthropic, "claude-of-mine"),
        chosen(Provider::Anthropic, "small"),
        chosen(Provider::Compatible, &anthropic.model),
        chosen(Provider::Compatible, "Small"),
        chosen(Provider::Compatible, "small "),
        chosen(Provider::WorkersAi, ""),
        chosen(Provider::WorkersAi, "@cf/../../accounts"),
    ] {
        let error = models::choose(&sql, &catalog, &refused, 6).unwrap_err();
        assert_eq!(error, ModelsError::UnknownModel, "{refused:?}");
        assert_eq!(models::choice(&sql, &catalog).unwrap(), anthropic);
    }
    let large = chosen(Provider::Compatible, "large");
    models::choose(&sql, &catalog, &large, 7).unwrap();
    assert_eq!(models::settings(&sql, &catalog).unwrap().configuration, large);
}

#[test]
fn a_choice_that_the_catalog_no_longer_has_is_kept_and_replaced_by_nothing() {
    let sql = agent();
    let large = chosen(Provider::Compatible, "large");
    models::choose(&sql, &catalog(), &large, 5).unwrap();
    assert_eq!(models::choice(&sql, &Catalog::new(None)).unwrap(), large);
}

#[test]
fn every_model_that_is_described_can_be_chosen() {
    let sql = agent();
    let catalog = catalog();
    let list = models::describe(&catalog);
    assert!(list.models.len() >= 4);
    for described in list.models {
        models::choose(&sql, &catalog, &described.choice, 5).unwrap();
        assert_eq!(models::choice(&sql, &catalog).unwrap(), described.choice);
    }
}

#[test]
fn a_key_is_replaced_and_removed_and_only_whether_there_is_one_is_told() {
    let sql = agent();
    let catalog = catalog();
    let told = || models::settings(&sql, &catalog).unwrap().credentials.anthropic;
    let sealed = |byte: u8| Some(SealedKey(vec![byte; 60]));
    assert_eq!(told(), Credential::Missing);
    models::set_key(&sql, Provider::Anthropic, sealed(1), 5).unwrap();
    models::set_key(&sql, Provider::Anthropic, sealed(2), 6).unwrap();
    assert_eq!(told(), Credential::Configured);
    assert_eq!(models::key(&sql, Provider::Anthropic).unwrap(), sealed(2));
    models::set_key(&sql, Provider::Anthropic, None, 7).unwrap();
    models::set_key(&sql, Provider::Anthropic, None, 8).unwrap();
    assert_eq!(told(), Credential::Missing);
    for provider in [Provider::WorkersAi, Provider::Compatible] {
        let refused = models::set_key(&sql, provider, sealed(3), 9);
        assert_eq!(refused, Err(ModelsError::NoKeyTaken));
        assert_eq!(models::key(&sql, provider).unwrap(), None);
    }
}
