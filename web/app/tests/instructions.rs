//! The instructions and their draft, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::platform::BrowserEvent;
use flarebot_app::store::{Store, Subject, Work};
use leptos::prelude::*;
use serde_json::json;
use std::rc::Rc;
use support::settings::{CHANGED, GET, has_draft, open, saved, subject, text, with_instructions};
use support::{Fake, FakeSocket, Storage, with_page};

const UPDATE: &str = "updateInstructions";
const RESET: &str = "resetInstructions";

fn is_overtaken(store: Store) -> bool {
    untrack(|| store.settings.instructions.is_overtaken())
}

fn can_save(store: Store) -> bool {
    untrack(|| store.settings.instructions.can_save())
}

fn saving(store: Store) -> Work {
    store.settings.instructions.saving.get_untracked()
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
