//! Commands in the composer, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::store::{Choices, Deed, Direction, Phase, Progress, Store, Work};
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::{HistoryFrame, RunningTurn, ServerFrame};
use flarebot_protocol::{MessageId, RequestId};
use leptos::prelude::*;
use serde_json::json;
use support::memory::{ADD, DELETE, LIST, SEARCH, fact};
use support::{Fake, FakeSocket, Storage, conversation, message, summary, text_of, with_page};

const CHAT: &str = "cf_agent_use_chat_request";

/// An open conversation: with the agent's socket, and its own.
fn with_conversation(test: impl FnOnce(&Fake, Store, &FakeSocket, &FakeSocket)) {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[summary(1, "One"), summary(2, "Two")], &[]);
        let socket = browser.load(conversation(1), Vec::new());
        test(&browser, store, &agent, &socket);
    });
}

fn draft(store: Store) -> String {
    store.conversation.draft.get_untracked()
}

fn trouble(store: Store) -> Option<String> {
    store.conversation.trouble.get_untracked()
}

/// What is offered, and which of it is marked.
fn menu(store: Store) -> Option<(Vec<String>, usize)> {
    let menu = store.commands.menu.get_untracked()?;
    let choices = match menu.choices {
        Choices::Commands(commands) => commands.iter().map(|command| command.name.to_owned()).collect(),
        Choices::Facts(facts) => facts.into_iter().map(|fact| fact.content).collect(),
    };
    Some((choices, menu.marked))
}

fn done(store: Store) -> Option<(Deed, String)> {
    let done = store.commands.done.get_untracked()?;
    Some((done.deed, done.fact.content))
}

fn give(store: Store, command: &str) {
    store.write(command.to_owned());
    store.send();
}

fn offered(names: &[&str], marked: usize) -> Option<(Vec<String>, usize)> {
    Some((names.iter().map(|name| (*name).to_owned()).collect(), marked))
}

#[test]
fn commands_are_offered_and_one_is_completed() {
    with_conversation(|_, store, _, _| {
        store.write("/".to_owned());
        assert_eq!(menu(store), offered(&["remember", "forget"], 0));
        store.mark_choice(Direction::Previous);
        assert_eq!(menu(store), offered(&["remember", "forget"], 1));
        store.mark_choice(Direction::Next);
        assert_eq!(menu(store), offered(&["remember", "forget"], 0));
        store.write("/f".to_owned());
        assert_eq!(menu(store), offered(&["forget"], 0));
        store.choose(None);
        assert_eq!(draft(store), "/forget ");
        assert_eq!(menu(store), None);
    });
}

#[test]
fn a_menu_that_was_closed_stays_closed_until_something_is_written() {
    with_conversation(|_, store, _, _| {
        store.write("/re".to_owned());
        store.dismiss_menu();
        assert_eq!((menu(store), draft(store).as_str()), (None, "/re"));
        store.write("/rem".to_owned());
        assert_eq!(menu(store), offered(&["remember"], 0));
    });
}

#[test]
fn what_is_to_be_remembered_never_reaches_the_model_and_can_be_taken_back() {
    with_conversation(|_, store, agent, socket| {
        give(store, "/remember  I like tea. ");
        assert_eq!(agent.last("rpc")["args"], json!(["I like tea."]));
        assert_eq!(store.commands.work.get_untracked(), Work::Working);
        store.send();
        assert_eq!(agent.calls(ADD).len(), 1);
        agent.reply(ADD, Ok(fact("a", "I like tea.", 1)));
        assert_eq!(draft(store), "");
        assert_eq!(done(store), Some((Deed::Remembered, "I like tea.".to_owned())));
        assert_eq!(store.announcement.get_untracked(), "Remembered");
        store.undo_command();
        assert_eq!(agent.last("rpc")["args"], json!(["a", 1]));
        agent.reply(DELETE, Ok(json!(null)));
        assert_eq!(done(store), None);
        assert_eq!(socket.count(CHAT), 0);
        assert!(store.conversation.lines.get_untracked().is_empty());
    });
}

#[test]
fn a_command_that_fails_keeps_the_draft_and_says_why() {
    with_conversation(|_, store, agent, socket| {
        give(store, "/remember Tea");
        agent.reply(ADD, Err("Memory is full."));
        assert_eq!(draft(store), "/remember Tea");
        assert_eq!(trouble(store).as_deref(), Some("Memory is full."));
        assert_eq!(store.commands.work.get_untracked(), Work::Idle);
        give(store, "/remember ");
        assert_eq!(
            trouble(store).as_deref(),
            Some("Write what to remember behind /remember.")
        );
        give(store, &format!("/remember {}", "x".repeat(1_001)));
        assert!(trouble(store).unwrap().contains("too long"));
        assert_eq!((agent.calls(ADD).len(), socket.count(CHAT)), (1, 0));
        give(store, "/remember Tea");
        assert_eq!(trouble(store), None);
    });
}

#[test]
fn what_is_written_while_a_command_runs_stays() {
    with_conversation(|_, store, agent, _| {
        give(store, "/remember Tea");
        store.write("/remember Tea and milk".to_owned());
        agent.reply(ADD, Ok(fact("a", "Tea", 1)));
        assert_eq!(draft(store), "/remember Tea and milk");
        assert_eq!(done(store), Some((Deed::Remembered, "Tea".to_owned())));
    });
}

#[test]
fn a_fact_to_forget_is_found_picked_and_can_be_brought_back() {
    with_conversation(|_, store, agent, socket| {
        give(store, "/forget tea");
        assert_eq!(agent.last("rpc")["args"], json!(["tea"]));
        agent.reply(
            SEARCH,
            Ok(json!([fact("a", "Green tea", 2), fact("b", "Tea pot", 5)])),
        );
        assert_eq!(menu(store), offered(&["Green tea", "Tea pot"], 0));
        assert!(agent.calls(DELETE).is_empty());
        store.mark_choice(Direction::Next);
        store.choose(None);
        assert_eq!(agent.last("rpc")["args"], json!(["b", 5]));
        assert_eq!(menu(store), None);
        agent.reply(DELETE, Ok(json!(null)));
        assert_eq!(
            (draft(store).as_str(), done(store)),
            ("", Some((Deed::Forgotten, "Tea pot".to_owned())))
        );
        store.undo_command();
        assert_eq!(agent.last("rpc")["args"], json!(["Tea pot"]));
        agent.reply(ADD, Err("Memory is full."));
        let undoing = store.commands.done.get_untracked().unwrap().undoing;
        assert_eq!(
            undoing,
            Work::Failed {
                sentence: "Memory is full.".to_owned()
            }
        );
        store.undo_command();
        agent.reply(ADD, Ok(fact("c", "Tea pot", 1)));
        assert_eq!(done(store), None);
        assert_eq!(socket.count(CHAT), 0);
    });
}

#[test]
fn without_words_the_newest_facts_are_offered_and_never_more_than_fit() {
    with_conversation(|_, store, agent, _| {
        let many: Vec<_> = (0..30).map(|number| fact(&number.to_string(), "x", 1)).collect();
        give(store, "/forget");
        agent.reply(LIST, Ok(json!(many)));
        assert_eq!(menu(store).unwrap().0.len(), 8);
    });
}

#[test]
fn nothing_found_says_what_was_looked_for() {
    with_conversation(|_, store, agent, _| {
        give(store, "/forget unicorns");
        agent.reply(SEARCH, Ok(json!([])));
        let sentence = "Nothing remembered was found for “unicorns”.";
        assert_eq!(trouble(store).as_deref(), Some(sentence));
        assert_eq!(draft(store), "/forget unicorns");
        give(store, "/forget");
        agent.reply(LIST, Ok(json!([])));
        assert_eq!(trouble(store).as_deref(), Some("Nothing is remembered."));
    });
}

#[test]
fn an_unknown_word_is_an_ordinary_message() {
    with_conversation(|_, store, agent, socket| {
        for text in ["/tea please", "/remembering things", " /remember this"] {
            give(store, text);
            assert_eq!(text_of(&socket.last(CHAT)), text);
        }
        assert!(agent.calls(ADD).is_empty());
    });
}

#[test]
fn commands_work_while_an_answer_runs() {
    with_conversation(|_, store, agent, socket| {
        socket.receive(&ServerFrame::History(HistoryFrame {
            messages: vec![message("q1", "Go")],
            has_more: false,
            running: Some(RunningTurn {
                request_id: RequestId::new("r1").unwrap(),
                message_id: MessageId::new("a1").unwrap(),
                user_message_id: None,
                chunks: Vec::new(),
                next_seq: 0,
            }),
            queued: Vec::new(),
        }));
        assert_ne!(store.conversation.progress.get_untracked(), Progress::Idle);
        give(store, "/remember Tea");
        agent.reply(ADD, Ok(fact("a", "Tea", 1)));
        assert_eq!(done(store), Some((Deed::Remembered, "Tea".to_owned())));
        assert_eq!(socket.count(CHAT), 0);
    });
}

#[test]
fn a_command_in_a_new_chat_makes_no_conversation() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        give(store, "/remember Tea");
        agent.reply(ADD, Ok(fact("a", "Tea", 1)));
        assert!(agent.calls("createConversation").is_empty());
        assert_eq!(store.conversation.phase.get_untracked(), Phase::New);
        assert_eq!(draft(store), "");
    });
}

#[test]
fn what_comes_of_a_command_is_not_shown_in_another_conversation() {
    with_conversation(|browser, store, agent, _| {
        give(store, "/remember Tea");
        store.navigate(Page::Conversation(conversation(2)));
        store.write("elsewhere".to_owned());
        agent.reply(ADD, Ok(fact("a", "Tea", 1)));
        assert_eq!((draft(store).as_str(), done(store)), ("elsewhere", None));
        let key = format!("flarebot.draft.{}", conversation(1));
        assert!(!browser.storage.borrow().contains_key(&key));
    });
    with_conversation(|_, store, agent, _| {
        give(store, "/forget tea");
        store.navigate(Page::Conversation(conversation(2)));
        agent.reply(SEARCH, Ok(json!([fact("a", "Tea", 1)])));
        assert_eq!(menu(store), None);
        store.navigate(Page::Conversation(conversation(1)));
        assert_eq!(draft(store), "/forget tea");
    });
}
