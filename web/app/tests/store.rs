//! What the page does, without a browser.

#![cfg(feature = "ssr")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use flarebot_app::platform::{BrowserEvent, Request};
use flarebot_app::store::{Access, Connection, Phase, Progress, ShownState, SignIn};
use flarebot_protocol::RequestId;
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::{ChatResponse, ServerFrame};
use leptos::prelude::*;
use serde_json::json;
use support::{
    Fake, Storage, activity, body_of, conversation, message, summary, summary_json, text_of, with_page,
};

const CHAT: &str = "cf_agent_use_chat_request";

#[test]
fn the_first_message_makes_a_conversation_with_a_name_and_is_sent_in_it() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        store.write("  Why is the sky blue?\nIn short.".to_owned());
        store.send();
        assert_eq!(agent.last("rpc")["args"], json!(["Why is the sky blue?"]));
        agent.reply("createConversation", Ok(summary_json(1, "Why is the sky blue?")));
        assert_eq!(browser.path(), format!("/c/{}", conversation(1)));
        assert_eq!(store.title(), "Why is the sky blue?");
        let socket = browser.load(conversation(1), Vec::new());
        assert_eq!(text_of(&socket.last(CHAT)), "  Why is the sky blue?\nIn short.");
        assert_eq!(store.conversation.draft.get_untracked(), "");
        assert_eq!(store.conversation.lines.get_untracked().len(), 1);
        assert!(!browser.storage.borrow().contains_key("flarebot.draft.new"));
    });
}

#[test]
fn a_message_stays_in_the_draft_when_its_conversation_cannot_be_made() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        store.write("Hello".to_owned());
        store.send();
        assert_eq!(store.conversation.phase.get_untracked(), Phase::Starting);
        agent.reply("createConversation", Err("There are too many conversations."));
        assert_eq!(store.conversation.phase.get_untracked(), Phase::New);
        assert_eq!(store.conversation.draft.get_untracked(), "Hello");
        let trouble = store.conversation.trouble.get_untracked();
        assert_eq!(trouble.as_deref(), Some("There are too many conversations."));
    });
}

#[test]
fn a_refused_message_goes_back_in_front_of_what_was_written_since() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), Vec::new());
        store.write("First".to_owned());
        store.send();
        store.write("Second".to_owned());
        let id = RequestId::new(socket.last(CHAT)["id"].as_str().unwrap()).unwrap();
        let refusal = ChatResponse::refused(id, "Too many messages wait.".to_owned());
        socket.receive(&ServerFrame::ChatResponse(refusal));
        assert_eq!(store.conversation.draft.get_untracked(), "First\n\nSecond");
        let trouble = store.conversation.trouble.get_untracked();
        assert_eq!(trouble.as_deref(), Some("Too many messages wait."));
        assert!(store.conversation.lines.get_untracked().is_empty());
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Idle);
    });
}

#[test]
fn an_unconfirmed_message_is_sent_again_after_a_reload_as_the_same_message() {
    let storage = Storage::default();
    let path = Page::Conversation(conversation(1)).path();
    let mut first = json!(null);
    with_page(|| {
        let browser = Fake::at(&path, &storage);
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), Vec::new());
        store.write("Do not lose me".to_owned());
        store.send();
        first = socket.last(CHAT);
    });
    with_page(|| {
        let browser = Fake::at(&path, &storage);
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        assert_eq!(store.conversation.lines.get_untracked().len(), 1);
        let socket = browser.load(conversation(1), Vec::new());
        assert_eq!(socket.last(CHAT), first);
        let id = body_of(&first)["messages"][0]["id"].as_str().unwrap().to_owned();
        socket.receive(&ServerFrame::Message {
            message: message(&id, "Do not lose me"),
        });
        assert!(storage.borrow().is_empty(), "{storage:?}");
        let lines = store.conversation.lines.get_untracked();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].shown.get_untracked().state, ShownState::Settled);
    });
}

#[test]
fn each_conversation_keeps_its_own_draft() {
    let storage = Storage::default();
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &storage);
        let store = browser.open();
        browser.let_in(&[summary(1, "One"), summary(2, "Two")], &[]);
        store.write("for one".to_owned());
        store.navigate(Page::Conversation(conversation(2)));
        assert_eq!(store.conversation.draft.get_untracked(), "");
        store.write("for two".to_owned());
        store.navigate(Page::Home);
        assert_eq!(store.conversation.draft.get_untracked(), "");
        store.navigate(Page::Conversation(conversation(1)));
        assert_eq!(store.conversation.draft.get_untracked(), "for one");
    });
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(2)).path(), &storage);
        assert_eq!(browser.open().conversation.draft.get_untracked(), "for two");
    });
}

#[test]
fn what_is_written_before_the_session_is_known_is_kept() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        store.write("Early".to_owned());
        browser.let_in(&[], &[]);
        assert_eq!(store.conversation.draft.get_untracked(), "Early");
    });
}

#[test]
fn a_message_sent_before_the_session_is_known_waits_for_it() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        store.write("Early".to_owned());
        store.send();
        let agent = browser.let_in(&[], &[]);
        agent.reply("createConversation", Ok(summary_json(1, "Early")));
        let socket = browser.load(conversation(1), Vec::new());
        assert_eq!(text_of(&socket.last(CHAT)), "Early");
    });
}

#[test]
fn the_latest_activity_comes_first_and_a_rename_moves_nothing() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let conversations = [summary(1, "One"), summary(2, "Two"), summary(3, "Three")];
        let agent = browser.let_in(
            &conversations,
            &[activity(1, 10), activity(2, 30), activity(3, 20)],
        );
        let order = || store.sidebar.with_untracked(flarebot_app::store::Sidebar::order);
        assert_eq!(order(), [2, 3, 1].map(conversation));
        agent.receive(&ServerFrame::Activity {
            activity: activity(1, 40),
        });
        assert_eq!(order(), [1, 2, 3].map(conversation));
        store.rename(conversation(3), " New name ", |outcome| {
            assert_eq!(outcome, Ok(()));
        });
        assert_eq!(agent.last("rpc")["args"][1], "New name");
        agent.reply("renameConversation", Ok(summary_json(3, "New name")));
        assert_eq!(order(), [1, 2, 3].map(conversation));
        assert_eq!(store.name_of(conversation(3)).as_deref(), Some("New name"));
    });
}

#[test]
fn the_end_of_the_session_forgets_everything_private_and_says_how_to_sign_in() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "Secret plans")], &[]);
        let socket = browser.load(conversation(1), vec![message("m1", "secret")]);
        socket.close(4001);
        assert_eq!(store.access.get_untracked(), Access::SignedOut);
        assert!(store.conversation.lines.get_untracked().is_empty());
        assert_eq!(store.title(), "Flarebot");
        assert!(!browser.has_socket("agents"));
    });
}

#[test]
fn a_socket_that_is_refused_for_want_of_a_session_leads_to_signing_in() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[], &[]);
        agent.close(1006);
        assert_eq!(store.connection(), Connection::Reconnecting);
        browser.answer(401, "{}");
        assert_eq!(store.access.get_untracked(), Access::SignedOut);
        assert_eq!(store.connection(), Connection::Quiet);
    });
}

#[test]
fn a_lost_connection_comes_back_at_once_when_the_network_does() {
    with_page(|| {
        let browser = Fake::at("/", &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[summary(1, "One")], &[]);
        agent.close(1006);
        browser.lose_request();
        assert_eq!(store.access.get_untracked(), Access::Granted);
        assert!(store.name_of(conversation(1)).is_some());
        let before = browser.sockets.borrow().len();
        browser.happen(BrowserEvent::Awake);
        assert_eq!(browser.sockets.borrow().len(), before + 1);
    });
}

#[test]
fn a_conversation_that_is_gone_says_so_and_its_draft_goes_to_a_new_chat() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(9)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[], &[]);
        store.write("worth keeping".to_owned());
        browser.socket(&conversation(9).to_string()).close(4004);
        assert_eq!(store.conversation.phase.get_untracked(), Phase::Gone);
        store.navigate(Page::Home);
        assert_eq!(store.conversation.draft.get_untracked(), "worth keeping");
    });
}

#[test]
fn deleting_the_open_conversation_goes_to_a_new_chat() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        let agent = browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), Vec::new());
        store.ask_to_delete(conversation(1));
        assert!(agent.calls("deleteConversation").is_empty());
        store.delete();
        socket.close(4004);
        agent.reply("deleteConversation", Ok(json!(null)));
        assert_eq!(store.page.get_untracked(), Page::Home);
        assert_eq!(browser.path(), "/");
        assert_eq!(store.conversation.phase.get_untracked(), Phase::New);
        assert_eq!(store.deletion.get_untracked(), None);
    });
}

#[test]
fn an_answer_can_be_stopped_before_its_first_token() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), Vec::new());
        store.write("Go".to_owned());
        store.send();
        let request = socket.last(CHAT);
        let id = body_of(&request)["messages"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        socket.receive(&ServerFrame::Message {
            message: message(&id, "Go"),
        });
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Awaited);
        store.stop();
        assert_eq!(socket.last("cf_agent_chat_request_cancel")["id"], request["id"]);
    });
}

#[test]
fn back_and_forward_change_the_conversation() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One"), summary(2, "Two")], &[]);
        store.navigate(Page::Conversation(conversation(2)));
        assert!(!browser.has_socket(&conversation(1).to_string()));
        browser.history.borrow_mut().pop();
        browser.happen(BrowserEvent::AddressChanged);
        assert_eq!(store.page.get_untracked(), Page::Conversation(conversation(1)));
        assert!(browser.has_socket(&conversation(1).to_string()));
        assert_eq!(store.title(), "One");
    });
}

#[test]
fn a_sign_in_link_leaves_the_address_before_the_server_is_asked() {
    with_page(|| {
        let browser = Fake::at("/sign-in", &Storage::default());
        *browser.fragment.borrow_mut() = "assertion".to_owned();
        let store = browser.open();
        assert_eq!(*browser.fragment.borrow(), "");
        let posted = browser.answer(204, "");
        assert_eq!(
            posted,
            Request::Post("/sign-in", Some(r#"{"assertion":"assertion"}"#.to_owned()))
        );
        assert_eq!(browser.path(), "/");
        assert_eq!(store.page.get_untracked(), Page::Home);
        browser.let_in(&[], &[]);
        assert_eq!(store.access.get_untracked(), Access::Granted);
    });
}

#[test]
fn a_refused_sign_in_link_shows_the_servers_sentence() {
    with_page(|| {
        let browser = Fake::at("/sign-in", &Storage::default());
        *browser.fragment.borrow_mut() = "used".to_owned();
        let store = browser.open();
        browser.answer(401, r#"{"error":"This link was used already."}"#);
        let sentence = "This link was used already.".to_owned();
        assert_eq!(store.sign_in.get_untracked(), SignIn::Failed { sentence });
    });
}

#[test]
fn signing_out_forgets_the_drafts_of_this_browser() {
    with_page(|| {
        let browser = Fake::at("/settings", &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        browser
            .storage
            .borrow_mut()
            .insert("someone.elses".to_owned(), "stays".to_owned());
        store.navigate(Page::Home);
        store.write("private".to_owned());
        store.sign_out();
        assert_eq!(browser.answer(204, ""), Request::Post("/api/sign-out", None));
        assert_eq!(store.access.get_untracked(), Access::SignedOut);
        assert_eq!(
            browser.storage.borrow().keys().collect::<Vec<_>>(),
            ["someone.elses"]
        );
    });
}
