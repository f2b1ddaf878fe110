//! The sections of the settings, and what happens when the page is left, without a browser.

#![cfg(feature = "ssr")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use flarebot_app::platform::BrowserEvent;
use flarebot_app::store::{Access, Subject, Work};
use flarebot_protocol::address::Page;
use leptos::prelude::*;
use support::settings::{CHANGED, GET, saved, subject, text, with_instructions};
use support::{Fake, Storage, conversation, summary, with_page};

#[test]
fn leaving_with_something_unsaved_asks_first() {
    with_instructions("Old", |browser, store, _| {
        store.write_instructions("Mine".to_owned());
        store.navigate(Page::Tasks);
        assert_eq!(store.page.get_untracked(), Page::Settings);
        assert_eq!(subject(store), Some(Subject::Leaving(Page::Tasks)));
        store.decline();
        assert_eq!(text(store), "Mine");
        store.navigate(Page::Tasks);
        store.confirm();
        assert_eq!(store.page.get_untracked(), Page::Tasks);
        assert_eq!(browser.path(), "/tasks");
        assert!(browser.storage.borrow().is_empty());
        store.navigate(Page::Settings);
        assert_eq!(text(store), "Old");
        let saving = store.settings.instructions.saving.get_untracked();
        assert_eq!(saving, Work::Idle, "what was said before is over");
    });
}

#[test]
fn going_back_with_something_unsaved_asks_first() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        store.navigate(Page::Settings);
        agent.reply(GET, Ok(saved("Old")));
        store.open_section("models");
        store.write_instructions("Mine".to_owned());
        browser.history.borrow_mut().truncate(1);
        browser.happen(BrowserEvent::AddressChanged);
        assert_eq!(store.page.get_untracked(), Page::Settings);
        assert_eq!(browser.path(), "/settings/models");
        assert_eq!(subject(store), Some(Subject::Leaving(Page::Home)));
        store.confirm();
        assert_eq!(browser.path(), "/");
        assert_eq!(store.page.get_untracked(), Page::Home);
    });
}

#[test]
fn leaving_with_everything_saved_asks_nothing() {
    with_instructions("Old", |_, store, _| {
        store.navigate(Page::Conversation(conversation(1)));
        assert_eq!(subject(store), None);
        assert_eq!(store.page.get_untracked(), Page::Conversation(conversation(1)));
    });
}

#[test]
fn sections_have_addresses_and_going_between_them_loses_nothing() {
    with_instructions("Old", |browser, store, _| {
        let section = || store.settings.section.get_untracked();
        assert_eq!(section().as_deref(), Some(""));
        store.write_instructions("Mine".to_owned());
        store.open_section("models");
        store.open_section("models");
        assert_eq!(*browser.history.borrow(), ["/settings", "/settings/models"]);
        assert_eq!(section().as_deref(), Some("models"));
        assert_eq!(subject(store), None);
        browser.history.borrow_mut().pop();
        browser.happen(BrowserEvent::AddressChanged);
        assert_eq!(section().as_deref(), Some(""));
        assert_eq!(text(store), "Mine");
        store.open_section("models");
        store.navigate(Page::Settings);
        assert_eq!(browser.path(), "/settings");
        assert_eq!(section().as_deref(), Some(""));
    });
}

#[test]
fn the_address_of_a_section_opens_it() {
    with_page(|| {
        let browser = Fake::at("/settings/models", &Storage::default());
        let store = browser.open();
        assert_eq!(store.settings.section.get_untracked().as_deref(), Some("models"));
    });
}

#[test]
fn the_end_of_the_session_shows_nothing_private_and_keeps_the_draft() {
    with_instructions("Secret", |browser, store, agent| {
        store.write_instructions("Mine".to_owned());
        store.ask(Subject::RestoringDefaults);
        agent.close(4001);
        assert_eq!(store.access.get_untracked(), Access::SignedOut);
        assert_eq!(text(store), "");
        assert_eq!(subject(store), None);
        let kept: Vec<_> = browser.storage.borrow().keys().cloned().collect();
        assert_eq!(kept, ["flarebot.draft.instructions"]);
    });
}

#[test]
fn signing_out_forgets_the_draft() {
    with_instructions("Old", |browser, store, _| {
        store.write_instructions("Mine".to_owned());
        store.sign_out();
        browser.answer(204, "");
        assert!(browser.storage.borrow().is_empty());
        assert_eq!(text(store), "");
    });
}

#[test]
fn no_other_page_asks_for_the_settings() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let _store = browser.open();
        let agent = browser.let_in(&[summary(1, "One")], &[]);
        agent.receive(&CHANGED);
        assert!(agent.calls(GET).is_empty());
        assert!(agent.calls("getModelSettings").is_empty());
    });
}
