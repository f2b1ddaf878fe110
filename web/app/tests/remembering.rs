//! The switch that keeps memory out of a conversation, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::platform::BrowserEvent;
use flarebot_app::store::{Phase, Store, Work};
use flarebot_protocol::address::Page;
use leptos::prelude::*;
use serde_json::{Value, json};
use support::{Fake, FakeSocket, Storage, conversation, summary, summary_json, text_of, with_page};

const GET: &str = "getConversationMemory";
const SET: &str = "setConversationMemory";
const CHAT: &str = "cf_agent_use_chat_request";

fn memory(enabled: bool) -> Result<Value, &'static str> {
    Ok(json!({ "enabled": enabled }))
}

fn is_on(store: Store) -> Option<bool> {
    let remembering = store.conversation.remembering.get_untracked();
    remembering.memory.map(|memory| memory.enabled)
}

fn with_conversation(test: impl FnOnce(&Fake, Store, &FakeSocket)) {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[summary(1, "One"), summary(2, "Two")], &[]);
        browser.load(conversation(1), Vec::new());
        test(&browser, store, &agent);
    });
}

#[test]
fn the_switch_stands_as_the_server_says_and_changes_when_it_has_changed() {
    with_conversation(|_, store, agent| {
        assert_eq!(is_on(store), None);
        assert_eq!(agent.calls(GET).len(), 1);
        agent.reply(GET, memory(true));
        assert_eq!(is_on(store), Some(true));
        store.switch_memory(false);
        store.switch_memory(false);
        assert_eq!(agent.calls(SET).len(), 1);
        assert_eq!(agent.last("rpc")["args"], json!([conversation(1), false]));
        assert_eq!(is_on(store), Some(true));
        agent.reply(SET, memory(false));
        assert_eq!(is_on(store), Some(false));
    });
}

#[test]
fn a_switch_that_failed_stands_as_before_and_says_why() {
    with_conversation(|_, store, agent| {
        agent.reply(GET, memory(true));
        store.switch_memory(false);
        agent.reply(SET, Err("Try again."));
        let remembering = store.conversation.remembering.get_untracked();
        let sentence = "Try again.".to_owned();
        assert_eq!(remembering.changing, Work::Failed { sentence });
        assert_eq!(is_on(store), Some(true));
    });
}

#[test]
fn what_is_said_of_one_conversation_is_not_shown_in_another() {
    with_conversation(|_, store, agent| {
        let first = agent.calls(GET)[0].clone();
        store.navigate(Page::Conversation(conversation(2)));
        agent.reply_to(&first, memory(false));
        assert_eq!(is_on(store), None);
        agent.reply(GET, memory(true));
        store.switch_memory(false);
        let change = agent.calls(SET)[0].clone();
        store.navigate(Page::Conversation(conversation(1)));
        agent.reply(GET, memory(true));
        agent.reply_to(&change, memory(false));
        assert_eq!(is_on(store), Some(true));
    });
}

#[test]
fn another_tabs_change_is_noticed_also_when_the_connection_was_lost_meanwhile() {
    with_conversation(|browser, store, agent| {
        agent.reply(GET, memory(true));
        agent.receive(&support::memory::CHANGED);
        agent.reply(GET, memory(false));
        assert_eq!(is_on(store), Some(false));
        agent.close(1006);
        browser.happen(BrowserEvent::Awake);
        let again = browser.let_in(&[summary(1, "One")], &[]);
        again.reply(GET, memory(true));
        assert_eq!(is_on(store), Some(true));
    });
}

#[test]
fn a_new_chat_can_be_kept_without_memory_from_its_first_message_on() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        assert_eq!(is_on(store), Some(true));
        store.switch_memory(false);
        store.write("Hello".to_owned());
        store.send();
        agent.reply("createConversation", Ok(summary_json(1, "Hello")));
        assert_eq!(store.conversation.phase.get_untracked(), Phase::Starting);
        assert!(!browser.has_socket(&conversation(1).to_string()));
        assert_eq!(agent.last("rpc")["args"], json!([conversation(1), false]));
        agent.reply(SET, memory(false));
        let socket = browser.load(conversation(1), Vec::new());
        assert_eq!(text_of(&socket.last(CHAT)), "Hello");
        agent.reply(GET, memory(false));
        assert_eq!(is_on(store), Some(false));
        store.navigate(Page::Home);
        assert_eq!(is_on(store), Some(true));
    });
}

#[test]
fn a_first_message_is_not_sent_when_its_conversation_cannot_be_kept_without_memory() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        store.switch_memory(false);
        store.write("Hello".to_owned());
        store.send();
        agent.reply("createConversation", Ok(summary_json(1, "Hello")));
        agent.reply(SET, Err("Try again."));
        assert_eq!(store.page.get_untracked(), Page::Conversation(conversation(1)));
        assert_eq!(store.conversation.draft.get_untracked(), "Hello");
        assert_eq!(
            store.conversation.trouble.get_untracked().as_deref(),
            Some("Try again.")
        );
        let socket = browser.load(conversation(1), Vec::new());
        assert_eq!(socket.count(CHAT), 0);
    });
}
