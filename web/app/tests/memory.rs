//! The memory section, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::store::{Origin, Standing, Store, Subject, Work};
use flarebot_protocol::address::Page;
use flarebot_protocol::call::FailureCode;
use flarebot_protocol::memory::{FactOrigin, MAXIMUM_FACT_UNITS};
use leptos::prelude::*;
use serde_json::json;
use support::memory::{
    ADD, CHANGED, DELETE, LIST, ORIGIN, SEARCH, UPDATE, content, fact, open, shown, with_facts,
};
use support::settings::subject;
use support::{Fake, Storage, conversation, with_page};

fn edit_text(store: Store, id: &str) -> Option<String> {
    let edits = store.settings.memory.edits.get_untracked();
    edits.get(id).map(|edit| edit.text.clone())
}

fn saving(store: Store, id: &str) -> Work {
    let edits = store.settings.memory.edits.get_untracked();
    edits[id].saving.clone()
}

fn standing(store: Store, id: &str) -> Option<Standing> {
    untrack(|| store.settings.memory.standing(id))
}

fn has_unsaved(store: Store) -> bool {
    untrack(|| store.has_unsaved_settings())
}

fn failed(sentence: &str) -> Work {
    Work::Failed {
        sentence: sentence.to_owned(),
    }
}

#[test]
fn only_the_section_reads_what_is_remembered() {
    with_page(|| {
        let browser = Fake::at("/settings", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        assert!(agent.calls(LIST).is_empty());
        store.open_section("memory");
        assert_eq!(agent.calls(LIST).len(), 1);
        agent.reply(LIST, Ok(json!([fact("a", "Tea", 1)])));
        assert_eq!(shown(store), ["a"]);
    });
}

#[test]
fn a_fact_is_added_without_the_space_around_it_and_the_field_is_empty_then() {
    with_facts(&[fact("a", "Tea", 1)], |browser, store, agent| {
        store.write_fact("  I have a cat. 🐈\n".to_owned());
        assert!(has_unsaved(store));
        store.add_fact();
        store.add_fact();
        assert_eq!(agent.calls(ADD).len(), 1);
        assert_eq!(agent.last("rpc")["args"], json!(["I have a cat. 🐈"]));
        agent.reply(ADD, Ok(fact("b", "I have a cat. 🐈", 1)));
        assert_eq!(shown(store), ["b", "a"]);
        assert_eq!(store.settings.memory.addition.get_untracked(), "");
        assert_eq!(store.settings.memory.adding.get_untracked(), Work::Done);
        assert!(!has_unsaved(store));
        assert!(browser.storage.borrow().is_empty());
    });
}

#[test]
fn what_could_not_be_added_stays_and_outlives_the_page() {
    let storage = Storage::default();
    with_page(|| {
        let (_, store, agent) = open(&[], &storage);
        store.write_fact("Keep me".to_owned());
        store.add_fact();
        agent.reply(ADD, Err("Try again."));
        let memory = store.settings.memory;
        assert_eq!(memory.adding.get_untracked(), failed("Try again."));
        assert_eq!(memory.addition.get_untracked(), "Keep me");
        // The list is read anew, since the fact may have been added after all.
        assert_eq!(agent.calls(LIST).len(), 2);
        agent.reply(LIST, Ok(json!([])));
        assert_eq!(memory.addition.get_untracked(), "Keep me");
    });
    with_page(|| {
        let (_, store, agent) = open(&[], &storage);
        let memory = store.settings.memory;
        assert_eq!(memory.addition.get_untracked(), "Keep me");
        store.add_fact();
        agent.reply(ADD, Err("The connection was lost."));
        agent.reply(LIST, Ok(json!([fact("a", "Keep me", 1)])));
        assert_eq!(memory.addition.get_untracked(), "");
        assert_eq!(memory.adding.get_untracked(), Work::Done);
    });
}

#[test]
fn what_is_blank_too_long_or_too_much_is_not_sent() {
    with_facts(&[], |_, store, agent| {
        for text in [" \n".to_owned(), "🙂".repeat(MAXIMUM_FACT_UNITS / 2) + "!"] {
            store.write_fact(text);
            store.add_fact();
        }
        assert!(agent.calls(ADD).is_empty());
        store.write_fact("🙂".repeat(MAXIMUM_FACT_UNITS / 2));
        store.add_fact();
        assert_eq!(agent.calls(ADD).len(), 1);
    });
    let all: Vec<_> = (0..200).map(|number| fact(&number.to_string(), "x", 1)).collect();
    with_facts(&all, |_, store, agent| {
        store.write_fact("One more".to_owned());
        store.add_fact();
        assert!(untrack(|| store.settings.memory.is_full()) && agent.calls(ADD).is_empty());
    });
}

#[test]
fn a_change_names_the_version_that_it_is_based_on() {
    with_facts(&[fact("a", "Tea", 3), fact("b", "Cat", 1)], |_, store, agent| {
        store.edit_fact("b");
        assert!(!has_unsaved(store));
        store.write_edit("b", "Two cats".to_owned());
        store.save_edit("b");
        assert_eq!(agent.last("rpc")["args"], json!(["b", "Two cats", 1]));
        assert_eq!(saving(store, "b"), Work::Working);
        agent.reply(UPDATE, Ok(fact("b", "Two cats", 2)));
        assert_eq!(shown(store), ["b", "a"]);
        assert_eq!(edit_text(store, "b"), None);
        assert_eq!(content(store, "b").as_deref(), Some("Two cats"));
    });
}

#[test]
fn what_is_written_while_a_change_is_saved_goes_on_from_there() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        store.edit_fact("a");
        store.write_edit("a", "Green tea".to_owned());
        store.save_edit("a");
        store.write_edit("a", "Green tea, no sugar".to_owned());
        agent.reply(UPDATE, Ok(fact("a", "Green tea", 2)));
        assert_eq!(edit_text(store, "a").as_deref(), Some("Green tea, no sugar"));
        store.save_edit("a");
        assert_eq!(agent.last("rpc")["args"], json!(["a", "Green tea, no sugar", 2]));
    });
}

#[test]
fn a_conflict_keeps_the_draft_shows_the_newer_text_and_lets_the_owner_choose() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        store.edit_fact("a");
        store.write_edit("a", "Green tea".to_owned());
        store.save_edit("a");
        agent.refuse(UPDATE, FailureCode::Conflict, "It changed meanwhile.");
        assert_eq!(saving(store, "a"), failed("It changed meanwhile."));
        agent.reply(LIST, Ok(json!([fact("a", "Black tea", 2)])));
        let newer = serde_json::from_value(fact("a", "Black tea", 2)).unwrap();
        assert_eq!(standing(store, "a"), Some(Standing::Overtaken(newer)));
        assert_eq!(edit_text(store, "a").as_deref(), Some("Green tea"));
        store.save_edit("a");
        assert_eq!(agent.calls(UPDATE).len(), 1);
        store.keep_own_fact("a");
        assert_eq!(saving(store, "a"), Work::Idle);
        store.save_edit("a");
        assert_eq!(agent.last("rpc")["args"], json!(["a", "Green tea", 2]));
        agent.refuse(UPDATE, FailureCode::Conflict, "It changed meanwhile.");
        agent.reply(LIST, Ok(json!([fact("a", "White tea", 3)])));
        store.cancel_edit("a");
        assert_eq!(edit_text(store, "a"), None);
        assert_eq!(content(store, "a").as_deref(), Some("White tea"));
    });
}

#[test]
fn a_fact_that_is_forgotten_elsewhere_can_be_remembered_anew_from_its_draft() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        store.edit_fact("a");
        store.write_edit("a", "Green tea".to_owned());
        agent.receive(&CHANGED);
        agent.reply(LIST, Ok(json!([])));
        assert_eq!(standing(store, "a"), Some(Standing::Gone));
        assert_eq!(shown(store), ["a"]);
        store.remember_edit("a");
        assert_eq!(agent.last("rpc")["args"], json!(["Green tea"]));
        agent.reply(ADD, Ok(fact("b", "Green tea", 1)));
        assert_eq!(shown(store), ["b"]);
        assert!(!has_unsaved(store));
    });
}

#[test]
fn a_change_from_another_tab_is_shown_and_takes_no_draft() {
    with_facts(&[fact("a", "Tea", 1), fact("b", "Cat", 1)], |_, store, agent| {
        store.edit_fact("a");
        store.edit_fact("b");
        store.write_edit("b", "Two cats".to_owned());
        agent.receive(&CHANGED);
        agent.reply(LIST, Ok(json!([fact("a", "Coffee", 2), fact("b", "A dog", 2)])));
        // A field in which nothing was written follows.
        assert_eq!(edit_text(store, "a").as_deref(), Some("Coffee"));
        assert_eq!(standing(store, "a"), Some(Standing::Current));
        assert_eq!(edit_text(store, "b").as_deref(), Some("Two cats"));
        assert!(matches!(standing(store, "b"), Some(Standing::Overtaken(_))));
    });
}

#[test]
fn a_change_that_is_already_there_is_saved() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        store.edit_fact("a");
        store.write_edit("a", "Green tea".to_owned());
        store.save_edit("a");
        agent.reply(UPDATE, Err("The connection was lost."));
        agent.reply(LIST, Ok(json!([fact("a", "Green tea", 2)])));
        assert_eq!(edit_text(store, "a"), None);
    });
}

#[test]
fn a_list_that_was_asked_for_before_a_change_does_not_hide_it() {
    with_facts(&[], |_, store, agent| {
        agent.receive(&CHANGED);
        let early = agent.calls(LIST).last().unwrap().clone();
        store.write_fact("Tea".to_owned());
        store.add_fact();
        agent.reply(ADD, Ok(fact("a", "Tea", 1)));
        agent.reply_to(&early, Ok(json!([])));
        assert_eq!(shown(store), ["a"]);
        agent.reply(LIST, Ok(json!([fact("a", "Tea", 1)])));
        assert_eq!(shown(store), ["a"]);
    });
}

#[test]
fn what_is_forgotten_can_be_taken_back_as_a_new_fact() {
    with_facts(&[fact("a", "Tea", 4), fact("b", "Cat", 1)], |_, store, agent| {
        store.forget_fact("a");
        store.forget_fact("a");
        assert_eq!(agent.calls(DELETE).len(), 1);
        assert_eq!(agent.last("rpc")["args"], json!(["a", 4]));
        assert_eq!(shown(store), ["a", "b"]);
        agent.reply(DELETE, Ok(json!(null)));
        assert_eq!(shown(store), ["b"]);
        store.undo_forgetting("a");
        assert_eq!(agent.last("rpc")["args"], json!(["Tea"]));
        agent.reply(ADD, Err("Memory is full."));
        let forgotten = store.settings.memory.forgotten.get_untracked();
        assert_eq!(forgotten[0].undoing, failed("Memory is full."));
        store.undo_forgetting("a");
        agent.reply(ADD, Ok(fact("c", "Tea", 1)));
        assert_eq!(shown(store), ["c", "b"]);
        assert!(store.settings.memory.forgotten.get_untracked().is_empty());
    });
}

#[test]
fn a_fact_that_changed_meanwhile_is_not_forgotten_unread() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        store.forget_fact("a");
        agent.refuse(DELETE, FailureCode::Conflict, "It changed meanwhile.");
        agent.reply(LIST, Ok(json!([fact("a", "Green tea", 2)])));
        assert_eq!(content(store, "a").as_deref(), Some("Green tea"));
        let forgetting = store.settings.memory.forgetting.get_untracked();
        assert_eq!(forgetting["a"], failed("It changed meanwhile."));
        store.forget_fact("a");
        assert_eq!(agent.last("rpc")["args"], json!(["a", 2]));
    });
}

#[test]
fn looking_for_a_fact_waits_for_a_pause_and_never_shows_what_was_found_for_an_earlier_text() {
    let facts = [fact("a", "Tea", 1), fact("b", "Cat", 1), fact("c", "Tea pot", 1)];
    with_facts(&facts, |browser, store, agent| {
        store.look_for_facts("c".to_owned());
        browser.pass(100);
        store.look_for_facts(" cat ".to_owned());
        browser.pass(100);
        assert!(agent.calls(SEARCH).is_empty());
        browser.pass(200);
        assert_eq!(agent.last("rpc")["args"], json!(["cat"]));
        let first = agent.last("rpc");
        store.look_for_facts("tea".to_owned());
        browser.pass(300);
        agent.reply(SEARCH, Ok(json!([fact("c", "Tea pot", 1), fact("a", "Tea", 1)])));
        assert_eq!(shown(store), ["c", "a"]);
        agent.reply_to(&first, Ok(json!([fact("b", "Cat", 1)])));
        assert_eq!(shown(store), ["c", "a"]);
        store.look_for_facts(String::new());
        assert_eq!(shown(store), ["a", "b", "c"]);
    });
}

#[test]
fn a_text_that_is_taken_back_before_the_pause_is_never_looked_for() {
    with_facts(&[fact("a", "Tea", 1)], |browser, store, agent| {
        store.look_for_facts("tea".to_owned());
        store.look_for_facts(String::new());
        browser.pass(1_000);
        assert!(agent.calls(SEARCH).is_empty());
        assert_eq!(store.settings.memory.searching.get_untracked(), Work::Idle);
    });
}

#[test]
fn a_fact_that_is_being_changed_stays_in_sight_whatever_is_looked_for() {
    with_facts(
        &[fact("a", "Tea", 1), fact("b", "Cat", 1)],
        |browser, store, agent| {
            store.edit_fact("b");
            store.write_edit("b", "Two cats".to_owned());
            store.look_for_facts("tea".to_owned());
            browser.pass(300);
            agent.reply(SEARCH, Ok(json!([fact("a", "Tea", 1)])));
            assert_eq!(shown(store), ["b", "a"]);
        },
    );
}

#[test]
fn what_is_looked_for_is_looked_for_again_when_something_changed() {
    with_facts(&[fact("a", "Tea", 1)], |browser, store, agent| {
        store.look_for_facts("tea".to_owned());
        browser.pass(300);
        agent.reply(SEARCH, Ok(json!([fact("a", "Tea", 1)])));
        agent.receive(&CHANGED);
        agent.reply(LIST, Ok(json!([fact("b", "Green tea", 1), fact("a", "Tea", 1)])));
        assert_eq!(agent.calls(SEARCH).len(), 2);
        agent.reply(
            SEARCH,
            Ok(json!([fact("a", "Tea", 1), fact("b", "Green tea", 1)])),
        );
        assert_eq!(shown(store), ["a", "b"]);
    });
}

#[test]
fn where_a_fact_came_from_is_asked_once_and_again_after_a_failure() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        let origin = || store.settings.memory.origins.get_untracked()["a"].clone();
        store.ask_for_origin("a");
        store.ask_for_origin("a");
        assert_eq!(agent.calls(ORIGIN).len(), 1);
        agent.reply(ORIGIN, Err("Try again."));
        assert_eq!(origin(), Origin::Failed("Try again.".to_owned()));
        store.ask_for_origin("a");
        let id = conversation(1);
        agent.reply(
            ORIGIN,
            Ok(json!({ "source": "conversation", "id": id, "name": "Breakfast" })),
        );
        let name = Some("Breakfast".to_owned());
        assert_eq!(origin(), Origin::Known(FactOrigin::Conversation { id, name }));
    });
}

#[test]
fn leaving_with_something_unsaved_asks_and_then_forgets_it() {
    let storage = Storage::default();
    with_page(|| {
        let (_, store, _) = open(&[fact("a", "Tea", 1)], &storage);
        store.edit_fact("a");
        store.navigate(Page::Tasks);
        assert_eq!(store.page.get_untracked(), Page::Tasks);
        store.navigate(Page::Settings);
        store.open_section("memory");
        store.edit_fact("a");
        store.write_edit("a", "Green tea".to_owned());
        store.navigate(Page::Tasks);
        assert_eq!(subject(store), Some(Subject::Leaving(Page::Tasks)));
        store.decline();
        assert_eq!(edit_text(store, "a").as_deref(), Some("Green tea"));
        store.navigate(Page::Tasks);
        store.confirm();
        assert_eq!(store.page.get_untracked(), Page::Tasks);
        assert!(!has_unsaved(store) && storage.borrow().is_empty());
    });
}

#[test]
fn a_change_that_is_not_saved_outlives_the_page() {
    let storage = Storage::default();
    with_page(|| {
        let (_, store, _) = open(&[fact("a", "Tea", 1)], &storage);
        store.edit_fact("a");
        store.write_edit("a", "Green tea".to_owned());
    });
    with_page(|| {
        let (_, store, _) = open(&[fact("a", "Black tea", 2)], &storage);
        assert_eq!(edit_text(store, "a").as_deref(), Some("Green tea"));
        assert!(matches!(standing(store, "a"), Some(Standing::Overtaken(_))));
    });
}

#[test]
fn the_end_of_the_session_forgets_every_fact() {
    with_facts(&[fact("a", "Tea", 1)], |_, store, agent| {
        agent.close(4001);
        assert_eq!(store.settings.memory.facts.get_untracked(), None);
        assert!(shown(store).is_empty());
    });
}
