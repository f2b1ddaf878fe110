//! The instructions and the sections of the settings, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::platform::BrowserEvent;
use flarebot_app::store::{Access, Question, Store, Subject, Work};
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::settings::SettingsSection;
use leptos::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;
use support::{Fake, FakeSocket, Storage, conversation, summary, with_page};

const GET: &str = "getInstructionSettings";
const UPDATE: &str = "updateInstructions";
const RESET: &str = "resetInstructions";

const CHANGED: ServerFrame = ServerFrame::SettingsChanged {
    section: SettingsSection::Instructions,
};

/// The instructions as the server tells them.
fn saved(text: &str) -> Value {
    let modified_at = (text != "Be kind.").then_some("2027-01-15T07:00:00.000Z");
    json!({ "text": text, "defaults": "Be kind.", "customized": modified_at.is_some(), "modifiedAt": modified_at })
}

/// The page with these instructions in force.
fn open(text: &str, storage: &Storage) -> (Rc<Fake>, Store, Rc<FakeSocket>) {
    let browser = Fake::at("/settings", storage);
    let store = browser.open();
    let agent = browser.let_in(&[], &[]);
    agent.reply(GET, Ok(saved(text)));
    (browser, store, agent)
}

fn with_instructions(text: &str, test: impl FnOnce(&Fake, Store, &FakeSocket)) {
    with_page(|| {
        let (browser, store, agent) = open(text, &Storage::default());
        test(&browser, store, &agent);
    });
}

fn text(store: Store) -> String {
    untrack(|| store.settings.instructions.text())
}

fn is_overtaken(store: Store) -> bool {
    untrack(|| store.settings.instructions.is_overtaken())
}

fn can_save(store: Store) -> bool {
    untrack(|| store.settings.instructions.can_save())
}

fn has_draft(store: Store) -> bool {
    store.settings.instructions.draft.with_untracked(Option::is_some)
}

fn saving(store: Store) -> Work {
    store.settings.instructions.saving.get_untracked()
}

fn subject(store: Store) -> Option<Subject> {
    let question = store.settings.question.get_untracked();
    question.map(|Question { subject, .. }| subject)
}

fn failed(sentence: &str) -> Work {
    Work::Failed {
        sentence: sentence.to_owned(),
    }
}

/// Loses the connection and gets it back.
fn reconnect(browser: &Fake, agent: &FakeSocket) -> Rc<FakeSocket> {
    agent.close(1006);
    browser.happen(BrowserEvent::Awake);
    browser.let_in(&[], &[])
}

#[test]
fn the_text_in_force_stands_in_the_field_and_is_no_draft() {
    with_instructions("Speak plainly.", |_, store, agent| {
        assert_eq!(text(store), "Speak plainly.");
        assert!(!has_draft(store) && !can_save(store));
        assert_eq!(agent.calls(GET).len(), 1);
    });
}

#[test]
fn a_text_is_saved_exactly_as_it_was_written() {
    with_instructions("Be kind.", |_, store, agent| {
        store.write_instructions("  Two\n\n\tspaces 🙂 ".to_owned());
        assert!(can_save(store));
        store.save_instructions();
        assert_eq!(agent.last("rpc")["args"], json!(["  Two\n\n\tspaces 🙂 "]));
        assert_eq!(saving(store), Work::Working);
        agent.reply(UPDATE, Ok(saved("  Two\n\n\tspaces 🙂 ")));
        assert_eq!(saving(store), Work::Done);
        assert!(!has_draft(store));
    });
}

#[test]
fn what_is_written_while_a_save_is_on_its_way_stays() {
    with_instructions("Be kind.", |_, store, agent| {
        store.write_instructions("First".to_owned());
        store.save_instructions();
        store.write_instructions("First and second".to_owned());
        assert!(!can_save(store), "one save at a time");
        agent.reply(UPDATE, Ok(saved("First")));
        assert_eq!(text(store), "First and second");
        assert!(!is_overtaken(store));
        assert!(can_save(store));
    });
}

#[test]
fn a_failed_save_keeps_the_draft_and_says_why() {
    with_instructions("Be kind.", |_, store, agent| {
        store.write_instructions("Mine".to_owned());
        store.save_instructions();
        agent.reply(UPDATE, Err("The storage is full."));
        assert_eq!(saving(store), failed("The storage is full."));
        agent.reply(GET, Ok(saved("Be kind.")));
        assert_eq!(text(store), "Mine");
        assert!(can_save(store));
        store.save_instructions();
        agent.reply(UPDATE, Ok(saved("Mine")));
        assert_eq!(saving(store), Work::Done);
    });
}

#[test]
fn a_save_that_was_made_although_its_answer_was_lost_is_recognised() {
    with_instructions("Be kind.", |browser, store, agent| {
        store.write_instructions("Mine".to_owned());
        store.save_instructions();
        let agent = reconnect(browser, agent);
        let Work::Failed { sentence } = saving(store) else {
            panic!("{:?}", saving(store));
        };
        assert!(sentence.contains("connection was lost"), "{sentence}");
        agent.reply(GET, Ok(saved("Mine")));
        assert!(!has_draft(store));
        assert_eq!(saving(store), Work::Done);
    });
}

#[test]
fn a_save_without_a_connection_waits_for_it() {
    with_instructions("Be kind.", |browser, store, agent| {
        store.write_instructions("Mine".to_owned());
        agent.close(1006);
        store.save_instructions();
        assert_eq!(saving(store), Work::Working);
        assert!(untrack(|| store.is_agent_reconnecting()));
        browser.happen(BrowserEvent::Awake);
        let agent = browser.let_in(&[], &[]);
        assert_eq!(agent.calls(UPDATE).len(), 1);
        agent.reply(UPDATE, Ok(saved("Mine")));
        assert!(!has_draft(store));
    });
}

#[test]
fn an_answer_that_comes_late_changes_nothing() {
    with_instructions("Old", |_, store, agent| {
        agent.receive(&CHANGED);
        let early = agent.calls(GET)[1].clone();
        agent.receive(&CHANGED);
        agent.reply(GET, Ok(saved("Newest")));
        agent.reply_to(&early, Ok(saved("Older")));
        assert_eq!(text(store), "Newest");
        agent.receive(&CHANGED);
        let before_the_save = agent.calls(GET)[3].clone();
        store.write_instructions("Mine".to_owned());
        store.save_instructions();
        agent.reply(UPDATE, Ok(saved("Mine")));
        agent.reply_to(&before_the_save, Ok(saved("Newest")));
        assert_eq!(text(store), "Mine");
        assert!(!has_draft(store));
    });
}

#[test]
fn a_change_in_another_tab_is_loaded_where_nothing_is_written() {
    with_instructions("Old", |_, store, agent| {
        agent.receive(&CHANGED);
        agent.reply(GET, Ok(saved("From elsewhere")));
        assert_eq!(text(store), "From elsewhere");
        assert!(!is_overtaken(store));
    });
}

#[test]
fn a_change_in_another_tab_never_touches_a_draft() {
    with_instructions("Old", |_, store, agent| {
        store.write_instructions("Mine".to_owned());
        agent.receive(&CHANGED);
        agent.reply(GET, Ok(saved("From elsewhere")));
        assert_eq!(text(store), "Mine");
        assert!(is_overtaken(store));
        store.save_instructions();
        assert!(agent.calls(UPDATE).is_empty(), "the owner decides first");
        store.keep_own_instructions();
        assert!(!is_overtaken(store));
        store.save_instructions();
        assert_eq!(agent.last("rpc")["args"], json!(["Mine"]));
    });
    with_instructions("Old", |_, store, agent| {
        store.write_instructions("Mine".to_owned());
        agent.receive(&CHANGED);
        agent.reply(GET, Ok(saved("From elsewhere")));
        store.load_other_instructions();
        assert_eq!(text(store), "From elsewhere");
        assert!(!has_draft(store));
    });
}

#[test]
fn the_pages_own_save_is_no_change_in_another_tab() {
    with_instructions("Old", |_, store, agent| {
        store.write_instructions("Mine".to_owned());
        store.save_instructions();
        store.write_instructions("Mine, and more".to_owned());
        agent.receive(&CHANGED);
        agent.reply(UPDATE, Ok(saved("Mine")));
        assert!(!is_overtaken(store));
        agent.reply(GET, Ok(saved("Mine")));
        assert!(!is_overtaken(store));
        assert_eq!(text(store), "Mine, and more");
    });
}

#[test]
fn another_tab_that_saves_the_same_leaves_nothing_to_save() {
    with_instructions("Old", |browser, store, agent| {
        store.write_instructions("The same".to_owned());
        agent.receive(&CHANGED);
        agent.reply(GET, Ok(saved("The same")));
        assert!(!has_draft(store) && !is_overtaken(store));
        assert!(browser.storage.borrow().is_empty());
    });
}

#[test]
fn a_draft_survives_a_reload_and_knows_what_changed_meanwhile() {
    let storage = Storage::default();
    with_page(|| {
        let (_, store, _) = open("Old", &storage);
        store.write_instructions("Mine".to_owned());
    });
    with_page(|| {
        let (_, store, _) = open("Old", &storage);
        assert_eq!(text(store), "Mine");
        assert!(can_save(store));
    });
    with_page(|| {
        let (_, store, agent) = open("From elsewhere", &storage);
        assert_eq!(text(store), "Mine");
        assert!(is_overtaken(store));
        store.keep_own_instructions();
        store.save_instructions();
        agent.reply(UPDATE, Ok(saved("Mine")));
        assert!(storage.borrow().is_empty(), "{storage:?}");
    });
}

#[test]
fn a_draft_survives_a_lost_connection() {
    with_instructions("Old", |browser, store, agent| {
        store.write_instructions("Mine".to_owned());
        let agent = reconnect(browser, agent);
        agent.reply(GET, Ok(saved("Old")));
        assert_eq!(text(store), "Mine");
        assert!(!is_overtaken(store));
    });
}

#[test]
fn writing_the_saved_text_again_leaves_no_draft() {
    with_instructions("Old\r\ntext", |browser, store, _| {
        store.write_instructions("Old\ntext!".to_owned());
        assert!(has_draft(store));
        store.write_instructions("Old\ntext".to_owned());
        assert!(!has_draft(store), "a field knows one end of a line only");
        assert!(browser.storage.borrow().is_empty());
    });
}

#[test]
fn the_length_is_counted_as_the_server_counts_it() {
    with_instructions("Be kind.", |_, store, agent| {
        let instructions = store.settings.instructions;
        store.write_instructions("🙂".repeat(8_000));
        assert_eq!(untrack(|| instructions.units()), 16_000);
        assert!(can_save(store));
        store.write_instructions(format!("{}!", "🙂".repeat(8_000)));
        assert_eq!(untrack(|| instructions.units()), 16_001);
        assert!(untrack(|| instructions.fault()).unwrap().contains("too long"));
        store.save_instructions();
        store.write_instructions(" \n".to_owned());
        assert!(
            untrack(|| instructions.fault())
                .unwrap()
                .contains("nothing to save")
        );
        store.save_instructions();
        assert!(agent.calls(UPDATE).is_empty());
    });
}

#[test]
fn the_defaults_are_restored_once_the_owner_has_said_so() {
    with_instructions("Mine", |_, store, agent| {
        store.write_instructions("Mine, not saved".to_owned());
        store.ask(Subject::RestoringDefaults);
        store.decline();
        assert!(agent.calls(RESET).is_empty());
        store.ask(Subject::RestoringDefaults);
        store.confirm();
        store.confirm();
        assert_eq!(agent.calls(RESET).len(), 1);
        agent.reply(RESET, Ok(saved("Be kind.")));
        assert_eq!(subject(store), None);
        assert_eq!(text(store), "Be kind.");
        assert!(!has_draft(store));
        assert_eq!(store.announcement.get_untracked(), "The defaults are back");
    });
}

#[test]
fn a_failed_reset_says_why_and_changes_nothing() {
    with_instructions("Mine", |_, store, agent| {
        store.ask(Subject::RestoringDefaults);
        store.confirm();
        agent.reply(RESET, Err("Try again."));
        let question = store.settings.question.get_untracked().unwrap();
        assert_eq!(question.step, failed("Try again."));
        assert_eq!(text(store), "Mine");
        store.confirm();
        agent.reply(RESET, Ok(saved("Be kind.")));
        assert_eq!(text(store), "Be kind.");
    });
}

#[test]
fn what_is_written_after_a_reset_was_sent_stays() {
    with_instructions("Mine", |_, store, agent| {
        store.ask(Subject::RestoringDefaults);
        store.confirm();
        store.decline();
        store.write_instructions("Newer".to_owned());
        agent.reply(RESET, Ok(saved("Be kind.")));
        assert_eq!(text(store), "Newer");
        assert!(!is_overtaken(store));
    });
}

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
fn instructions_that_cannot_be_read_are_read_again_on_demand() {
    with_page(|| {
        let browser = Fake::at("/settings", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        agent.reply(GET, Err("Something went wrong."));
        let loading = store.settings.instructions.loading;
        assert_eq!(loading.get_untracked(), failed("Something went wrong."));
        store.load_instructions();
        agent.reply(GET, Ok(saved("Mine")));
        assert_eq!(loading.get_untracked(), Work::Idle);
        assert_eq!(text(store), "Mine");
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
