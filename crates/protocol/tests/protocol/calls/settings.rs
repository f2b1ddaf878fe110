//! The calls of the Settings page.

use super::*;

#[test]
fn instructions_are_read_saved_and_reset() {
    let custom = || InstructionSettings {
        text: "Be brief.\n".to_owned(),
        defaults: "Be honest.".to_owned(),
        customized: true,
        modified_at: Some("2026-03-01T08:00:00.000Z".to_owned()),
    };
    let defaults = InstructionSettings {
        text: "Be honest.".to_owned(),
        customized: false,
        modified_at: None,
        ..custom()
    };
    assert_snapshot!(
        "getInstructionSettings",
        agent_exchange!(GetInstructionSettings, GetInstructionSettings {}, custom())
    );
    let update = UpdateInstructions {
        text: "Be brief.\n".to_owned(),
    };
    assert_snapshot!(
        "updateInstructions",
        agent_exchange!(UpdateInstructions, update, custom())
    );
    assert_snapshot!(
        "resetInstructions",
        agent_exchange!(ResetInstructions, ResetInstructions {}, defaults)
    );
}

#[test]
fn models_are_listed_chosen_and_tried() {
    let choice = || ModelChoice {
        provider: ModelProvider::Anthropic,
        model: "claude".to_owned(),
    };
    let settings = || ModelSettings {
        configuration: choice(),
        credentials: Credentials {
            anthropic: Credential::Configured,
        },
    };
    let catalog = ModelCatalog {
        workers_ai: vec!["@cf/small".to_owned()],
        anthropic: vec!["claude".to_owned()],
        openai_compatible: Vec::new(),
    };
    assert_snapshot!(
        "getModelCatalog",
        agent_exchange!(GetModelCatalog, GetModelCatalog {}, catalog)
    );
    let list = ModelList {
        models: vec![ModelDescription {
            choice: choice(),
            title: "Claude".to_owned(),
            context_tokens: Some(200_000),
            prices: Some(ModelPrices {
                input: 1000,
                output: 5000,
                cache_read: 100,
                cache_write: 1250,
            }),
        }],
        prices_taken_on: "2026-03-01".to_owned(),
    };
    assert_snapshot!("listModels", agent_exchange!(ListModels, ListModels {}, list));
    assert_snapshot!(
        "getModelSettings",
        agent_exchange!(GetModelSettings, GetModelSettings {}, settings())
    );
    let update = UpdateModelSettings { choice: choice() };
    assert_snapshot!(
        "updateModelSettings",
        agent_exchange!(UpdateModelSettings, update, settings())
    );
    let trial = ModelTrial {
        answered: false,
        sentence: "The key was refused; replace it.".to_owned(),
    };
    let attempt = TryModel { choice: choice() };
    assert_snapshot!("tryModel", agent_exchange!(TryModel, attempt, trial));
    let set = SetProviderKey {
        provider: ModelProvider::Anthropic,
        key: Some(ProviderKey::new("a-key-that-nobody-may-print")),
    };
    assert!(!format!("{set:?}").contains("nobody"));
    assert_snapshot!("setProviderKey", agent_exchange!(SetProviderKey, set, settings()));
}

#[test]
fn a_choice_holds_a_provider_and_a_model_and_nothing_else() {
    let parse = |choice: Value| AgentCall::parse("updateModelSettings", vec![choice]);
    assert!(parse(json!({ "provider": "workers-ai", "model": "@cf/small" })).is_ok());
    for choice in [
        json!({ "provider": "workers-ai" }),
        json!({ "provider": "openai", "model": "gpt" }),
        json!({ "provider": "Anthropic", "model": "claude" }),
        json!({ "provider": "anthropic", "model": 7 }),
        json!({ "provider": "anthropic", "model": "claude", "baseURL": "https://example.com" }),
        json!("claude"),
        Value::Null,
    ] {
        let refused = parse(choice.clone()).unwrap_err();
        assert_eq!(refused.code, FailureCode::InvalidArguments, "{choice}");
    }
}

#[test]
fn a_key_is_removed_by_saying_so_and_not_by_saying_nothing() {
    let parse = |arguments: Value| AgentCall::parse("setProviderKey", arguments.as_array().unwrap().clone());
    for missing in [json!([]), json!(["anthropic"])] {
        let refused = parse(missing).unwrap_err();
        assert_eq!(refused.code, FailureCode::InvalidArguments);
    }
    let removed = SetProviderKey {
        provider: ModelProvider::Anthropic,
        key: None,
    };
    assert_eq!(
        parse(json!(["anthropic", null])),
        Ok(AgentCall::SetProviderKey(removed))
    );
}
