//! The choice of the model, its trial and the keys of providers, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::store::{Store, Subject, TypedKey, Work};
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::settings::{Credential, ModelChoice, ModelProvider, ModelTrial, SettingsSection};
use leptos::prelude::*;
use serde_json::{Value, json};
use support::{Fake, FakeSocket, Storage, with_page};

const KEY: &str = "sk-ant-0123456789abcdefghij";

const ANTHROPIC: ModelProvider = ModelProvider::Anthropic;

const CHANGED: ServerFrame = ServerFrame::SettingsChanged {
    section: SettingsSection::Models,
};

fn claude() -> ModelChoice {
    choice(ANTHROPIC, "claude")
}

fn scout() -> ModelChoice {
    choice(ModelProvider::WorkersAi, "scout")
}

fn choice(provider: ModelProvider, model: &str) -> ModelChoice {
    let model = model.to_owned();
    ModelChoice { provider, model }
}

fn list() -> Value {
    json!({
        "models": [
            { "choice": scout(), "title": "Scout", "contextTokens": 131_000, "prices": null },
            { "choice": claude(), "title": "Claude", "contextTokens": 200_000,
              "prices": { "input": 3000, "output": 15_000, "cacheRead": 300, "cacheWrite": 3750 } },
        ],
        "pricesTakenOn": "2026-11-01",
    })
}

fn settings(choice: ModelChoice, anthropic: &str) -> Value {
    json!({ "configuration": choice, "credentials": { "anthropic": anthropic } })
}

/// The section, with Scout in use and no key.
fn with_models(test: impl FnOnce(&Fake, Store, &FakeSocket)) {
    with_page(|| {
        let browser = Fake::at("/settings/models", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        agent.reply("listModels", Ok(list()));
        agent.reply("getModelSettings", Ok(settings(scout(), "missing")));
        test(&browser, store, &agent);
    });
}

fn marked(store: Store) -> ModelChoice {
    untrack(|| store.settings.models.marked()).unwrap()
}

fn configured(store: Store) -> ModelChoice {
    untrack(|| store.settings.models.configured()).unwrap()
}

fn credential(store: Store) -> Credential {
    let settings = store.settings.models.settings.get_untracked().unwrap();
    settings.credentials.anthropic
}

fn outcome(store: Store) -> Option<ModelTrial> {
    store.settings.models.trial.get_untracked().unwrap().outcome
}

fn key_sentence(store: Store) -> String {
    match store.settings.models.key.get_untracked() {
        Work::Failed { sentence } => sentence,
        work @ (Work::Idle | Work::Working | Work::Done) => panic!("{work:?}"),
    }
}

#[test]
fn the_list_and_the_settings_are_asked_for_once() {
    with_models(|_, store, agent| {
        assert_eq!(agent.calls("listModels").len(), 1);
        assert_eq!(agent.calls("getModelSettings").len(), 1);
        assert_eq!(configured(store), scout());
        assert_eq!(marked(store), scout());
        assert!(untrack(|| store.settings.models.lacks_key(ANTHROPIC)));
        assert!(!untrack(|| store
            .settings
            .models
            .lacks_key(ModelProvider::WorkersAi)));
    });
}

#[test]
fn marking_a_model_changes_nothing_until_it_is_chosen() {
    with_models(|_, store, agent| {
        store.mark_model(claude());
        assert!(agent.calls("updateModelSettings").is_empty());
        assert_eq!(marked(store), claude());
        assert_eq!(configured(store), scout());
        store.choose_model();
        store.choose_model();
        assert_eq!(agent.calls("updateModelSettings").len(), 1);
        assert_eq!(agent.last("rpc")["args"], json!([claude()]));
        agent.reply("updateModelSettings", Ok(settings(claude(), "missing")));
        assert_eq!(configured(store), claude());
        assert_eq!(store.settings.models.choice.get_untracked(), None);
        assert_eq!(store.settings.models.choosing.get_untracked(), Work::Done);
    });
}

#[test]
fn a_mark_that_is_set_while_another_model_is_being_chosen_stays() {
    with_models(|_, store, agent| {
        store.mark_model(claude());
        store.choose_model();
        store.mark_model(scout());
        agent.reply("updateModelSettings", Ok(settings(claude(), "missing")));
        assert_eq!(configured(store), claude());
        assert_eq!(marked(store), scout());
    });
}

#[test]
fn a_choice_that_is_refused_says_why_and_leaves_the_model_in_use() {
    with_models(|_, store, agent| {
        store.mark_model(claude());
        store.choose_model();
        agent.reply("updateModelSettings", Err("This model is not offered."));
        let choosing = store.settings.models.choosing.get_untracked();
        let sentence = "This model is not offered.".to_owned();
        assert_eq!(choosing, Work::Failed { sentence });
        agent.reply("getModelSettings", Ok(settings(scout(), "missing")));
        assert_eq!(configured(store), scout());
        assert_eq!(marked(store), claude());
    });
}

#[test]
fn a_change_in_another_tab_is_shown_and_leaves_the_mark_alone() {
    with_models(|_, store, agent| {
        store.mark_model(claude());
        agent.receive(&CHANGED);
        agent.reply("getModelSettings", Ok(settings(scout(), "configured")));
        assert_eq!(credential(store), Credential::Configured);
        assert_eq!(marked(store), claude());
        agent.receive(&CHANGED);
        agent.reply("getModelSettings", Ok(settings(claude(), "configured")));
        assert_eq!(configured(store), claude());
        assert_eq!(store.settings.models.choice.get_untracked(), None);
    });
}

#[test]
fn an_answer_that_comes_late_does_not_bring_the_earlier_model_back() {
    with_models(|_, store, agent| {
        agent.receive(&CHANGED);
        let early = agent.calls("getModelSettings")[1].clone();
        store.mark_model(claude());
        store.choose_model();
        agent.reply("updateModelSettings", Ok(settings(claude(), "missing")));
        agent.reply_to(&early, Ok(settings(scout(), "missing")));
        assert_eq!(configured(store), claude());
    });
}

#[test]
fn a_mark_that_is_not_saved_asks_before_the_page_is_left() {
    with_models(|_, store, _| {
        store.mark_model(claude());
        store.navigate(Page::Home);
        assert_eq!(store.page.get_untracked(), Page::Settings);
        store.confirm();
        assert_eq!(store.page.get_untracked(), Page::Home);
        store.navigate(Page::Settings);
        assert_eq!(marked(store), scout());
    });
}

#[test]
fn a_trial_shows_what_the_model_answered() {
    with_models(|_, store, agent| {
        store.try_model(claude());
        assert_eq!(agent.last("rpc")["args"], json!([claude()]));
        assert_eq!(outcome(store), None);
        let answer = json!({ "answered": true, "sentence": "It answered: Hello." });
        agent.reply("tryModel", Ok(answer));
        assert!(outcome(store).unwrap().answered);
        store.try_model(claude());
        agent.reply("tryModel", Err("No answer came in time. Try again."));
        let outcome = outcome(store).unwrap();
        assert!(!outcome.answered);
        assert_eq!(outcome.sentence, "No answer came in time. Try again.");
    });
}

#[test]
fn a_trial_that_was_left_says_nothing_any_more() {
    with_models(|_, store, agent| {
        let answer = || Ok(json!({ "answered": true, "sentence": "Hello." }));
        let trial = || store.settings.models.trial.get_untracked();
        store.try_model(scout());
        store.open_section("");
        assert_eq!(trial(), None);
        agent.reply("tryModel", answer());
        assert_eq!(trial(), None);
        store.open_section("models");
        store.try_model(scout());
        let late = agent.last("rpc");
        store.mark_model(claude());
        store.try_model(claude());
        agent.reply_to(&late, answer());
        assert_eq!(outcome(store), None);
        store.settings.models.choice.set(None);
        store.navigate(Page::Tasks);
        agent.reply("tryModel", answer());
        assert_eq!(trial(), None);
    });
}

#[test]
fn a_key_is_sent_without_the_space_around_it() {
    with_models(|_, store, agent| {
        assert_eq!(store.save_key(ANTHROPIC, &format!(" \n{KEY}\t ")), TypedKey::Sent);
        assert_eq!(agent.last("rpc")["args"], json!(["anthropic", KEY]));
        assert_eq!(store.save_key(ANTHROPIC, KEY), TypedKey::Refused, "one at a time");
        agent.reply("setProviderKey", Ok(settings(scout(), "configured")));
        assert_eq!(credential(store), Credential::Configured);
        assert_eq!(store.settings.models.key.get_untracked(), Work::Done);
    });
}

#[test]
fn what_cannot_be_a_key_is_not_sent() {
    with_models(|_, store, agent| {
        let long = "k".repeat(513);
        for (typed, word) in [
            ("", "Paste"),
            ("  ", "Paste"),
            ("nineteen-characters", "20 to 512"),
            (long.as_str(), "20 to 512"),
            ("a key with spaces in its middle", "spaces"),
            ("ein-schlüssel-mit-umlauten", "plain letters"),
            ("a-key-with-a-\u{7}-bell-in-it", "plain letters"),
        ] {
            assert_eq!(store.save_key(ANTHROPIC, typed), TypedKey::Refused, "{typed}");
            let sentence = key_sentence(store);
            assert!(sentence.contains(word), "{typed}: {sentence}");
            assert!(typed.trim().is_empty() || !sentence.contains(typed));
        }
        assert!(agent.calls("setProviderKey").is_empty());
        for typed in ["k".repeat(20), "~".repeat(512)] {
            assert_eq!(store.save_key(ANTHROPIC, &typed), TypedKey::Sent);
            agent.reply("setProviderKey", Ok(settings(scout(), "configured")));
        }
    });
}

#[test]
fn a_key_never_waits_for_a_connection() {
    with_models(|browser, store, agent| {
        agent.close(1006);
        assert_eq!(store.save_key(ANTHROPIC, KEY), TypedKey::Refused);
        assert!(key_sentence(store).contains("no connection"));
        browser.happen(flarebot_app::platform::BrowserEvent::Awake);
        let agent = browser.let_in(&[], &[]);
        assert!(agent.calls("setProviderKey").is_empty());
    });
}

#[test]
fn a_key_is_kept_nowhere_whatever_becomes_of_it() {
    with_models(|browser, store, agent| {
        let expect_no_key = || {
            let models = store.settings.models;
            let signals = format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                models.settings.get_untracked(),
                models.choice.get_untracked(),
                models.trial.get_untracked(),
                models.key.get_untracked(),
                models.choosing.get_untracked(),
                models.loading.get_untracked(),
                store.settings.question.get_untracked(),
            );
            assert!(!signals.contains(KEY), "{signals}");
            let kept = format!("{:?} {:?}", browser.storage.borrow(), browser.history.borrow());
            assert!(!kept.contains(KEY), "{kept}");
            assert!(!store.announcement.get_untracked().contains(KEY));
        };
        store.save_key(ANTHROPIC, KEY);
        expect_no_key();
        agent.reply("setProviderKey", Err("The key could not be stored. Try again."));
        expect_no_key();
        assert!(key_sentence(store).contains("could not be stored"));
        store.save_key(ANTHROPIC, KEY);
        agent.reply("setProviderKey", Ok(settings(scout(), "configured")));
        expect_no_key();
        store.save_key(ANTHROPIC, KEY);
        agent.close(1006);
        expect_no_key();
        let frames = agent
            .sent
            .borrow()
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>();
        let with_key = frames.iter().filter(|frame| frame.contains(KEY)).count();
        assert_eq!(with_key, 3, "the calls themselves and nothing else");
    });
}

#[test]
fn a_key_is_removed_once_the_owner_has_said_so() {
    with_models(|_, store, agent| {
        store.save_key(ANTHROPIC, KEY);
        agent.reply("setProviderKey", Ok(settings(scout(), "configured")));
        store.ask(Subject::RemovingKey(ANTHROPIC));
        assert_eq!(agent.calls("setProviderKey").len(), 1);
        store.confirm();
        assert_eq!(agent.last("rpc")["args"], json!(["anthropic", null]));
        agent.reply("setProviderKey", Err("Try again."));
        let question = store.settings.question.get_untracked().unwrap();
        let sentence = "Try again.".to_owned();
        assert_eq!(question.step, Work::Failed { sentence });
        assert_eq!(credential(store), Credential::Configured);
        store.confirm();
        agent.reply("setProviderKey", Ok(settings(scout(), "missing")));
        assert_eq!(store.settings.question.get_untracked(), None);
        assert_eq!(credential(store), Credential::Missing);
    });
}

#[test]
fn a_model_that_is_not_in_the_list_is_known_by_its_name() {
    with_models(|_, store, _| {
        let models = store.settings.models;
        assert_eq!(untrack(|| models.title(&claude())), "Claude");
        let gone = choice(ANTHROPIC, "claude-of-yore");
        assert_eq!(untrack(|| models.title(&gone)), "claude-of-yore");
    });
}
