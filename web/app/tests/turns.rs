//! Answers in the making, those that broke off, and messages that wait, without a browser.

#![cfg(feature = "ssr")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use flarebot_app::store::{Progress, ShownState, Store};
use flarebot_protocol::address::Page;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ChatResponse, QueueFrame, QueuedTurn, ServerFrame};
use flarebot_protocol::message::Outcome;
use flarebot_protocol::{MessageId, RequestId};
use leptos::prelude::*;
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;
use support::{Fake, FakeSocket, Storage, answer, conversation, message, summary, text_of, with_page};

const CHAT: &str = "cf_agent_use_chat_request";

/// A conversation in which an answer runs and the messages `q2` and `q3` wait as the requests `r2` and `r3`.
fn with_a_queue(test: impl FnOnce(Store, Rc<FakeSocket>)) {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), vec![message("q1", "One?")]);
        let start: Chunk = serde_json::from_value(json!({"type": "start", "messageId": "a1"})).unwrap();
        let chunk = ChatResponse::chunk(RequestId::new("r1").unwrap(), 0, &start);
        socket.receive(&ServerFrame::ChatResponse(chunk));
        for turn in [waiting("r2", "q2"), waiting("r3", "q3")] {
            socket.receive(&ServerFrame::Message {
                message: message(turn.user_message_id.as_str(), "More?"),
            });
            socket.receive(&ServerFrame::Queued(turn));
        }
        test(store, socket);
    });
}

fn waiting(request: &str, message: &str) -> QueuedTurn {
    QueuedTurn {
        request_id: RequestId::new(request).unwrap(),
        user_message_id: MessageId::new(message).unwrap(),
    }
}

fn shown_ids(store: Store) -> Vec<String> {
    let lines = store.conversation.lines.get_untracked();
    lines.iter().map(|line| line.id.to_string()).collect()
}

#[test]
fn a_message_that_waits_is_changed_by_its_request() {
    with_a_queue(|store, socket| {
        let saved = Rc::new(Cell::new(false));
        let done = Rc::clone(&saved);
        let id = MessageId::new("q3").unwrap();
        store.edit_queued(&id, "Better?".to_owned(), move |outcome| {
            done.set(outcome == Ok(()));
        });
        assert_eq!(socket.last("rpc")["args"], json!(["r3", "Better?"]));
        socket.receive(&ServerFrame::Message {
            message: message("q3", "Better?"),
        });
        socket.reply("editQueued", Ok(json!(null)));
        assert!(saved.get());
        let line = store.conversation.lines.get_untracked()[3].shown.get_untracked();
        assert_eq!(
            (line.message.text().as_str(), line.state),
            ("Better?", ShownState::Queued)
        );
    });
}

#[test]
fn a_message_that_waits_can_be_sent_now_or_deleted() {
    with_a_queue(|store, socket| {
        store.send_queued_now(&MessageId::new("q3").unwrap());
        assert_eq!(socket.last("rpc")["args"], json!(["r3"]));
        socket.receive(&ServerFrame::Queue(QueueFrame {
            queued: vec![waiting("r3", "q3"), waiting("r2", "q2")],
            deleted: Vec::new(),
        }));
        socket.reply("sendQueuedNow", Ok(json!(null)));
        assert_eq!(shown_ids(store), ["q1", "a1", "q3", "q2"]);
        store.delete_queued(&MessageId::new("q2").unwrap());
        socket.receive(&ServerFrame::Queue(QueueFrame {
            queued: vec![waiting("r3", "q3")],
            deleted: vec![waiting("r2", "q2")],
        }));
        socket.reply("deleteQueued", Ok(json!(null)));
        assert_eq!(shown_ids(store), ["q1", "a1", "q3"]);
        assert_eq!(store.conversation.trouble.get_untracked(), None);
    });
}

#[test]
fn whoever_is_too_late_for_a_waiting_message_reads_why() {
    with_a_queue(|store, socket| {
        store.delete_queued(&MessageId::new("q2").unwrap());
        socket.reply(
            "deleteQueued",
            Err("This message no longer waits, so nothing was changed."),
        );
        let trouble = || store.conversation.trouble.get_untracked().unwrap_or_default();
        assert!(trouble().contains("no longer waits"), "{}", trouble());
        store.conversation.trouble.set(None);
        store.send_queued_now(&MessageId::new("q1").unwrap());
        assert!(trouble().contains("no longer waits"), "{}", trouble());
        assert_eq!(shown_ids(store), ["q1", "a1", "q2", "q3"]);
    });
}

#[test]
fn a_change_that_comes_too_late_goes_to_the_draft() {
    with_a_queue(|store, socket| {
        let id = MessageId::new("q2").unwrap();
        store.rescue_edit(store.open_id(), &id, "Better?");
        assert_eq!(store.conversation.draft.get_untracked(), "", "it still waits");
        let start: Chunk = serde_json::from_value(json!({"type": "start", "messageId": "a2"})).unwrap();
        let chunk = ChatResponse::chunk(RequestId::new("r2").unwrap(), 0, &start);
        socket.receive(&ServerFrame::ChatResponse(chunk));
        store.rescue_edit(None, &id, "Better?");
        store.rescue_edit(store.open_id(), &id, "More?");
        assert_eq!(
            store.conversation.draft.get_untracked(),
            "",
            "elsewhere, or unchanged"
        );
        store.rescue_edit(store.open_id(), &id, "Better?");
        assert_eq!(store.conversation.draft.get_untracked(), "Better?");
    });
}

#[test]
fn an_answer_at_the_end_that_was_interrupted_can_be_continued_without_losing_the_draft() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let interrupted = answer("a", "Half", Some(Outcome::Interrupted));
        let socket = browser.load(conversation(1), vec![message("q", "Go"), interrupted]);
        let offered = || {
            store
                .conversation
                .interrupted
                .get_untracked()
                .map(|id| id.to_string())
        };
        assert_eq!(offered().as_deref(), Some("a"));
        store.write("a draft".to_owned());
        store.ask_to_continue();
        assert_eq!(text_of(&socket.last(CHAT)), "Please continue where you stopped.");
        assert_eq!(store.conversation.draft.get_untracked(), "a draft");
        assert_eq!(offered(), None, "it is asked for");
    });
}

#[test]
fn an_interrupted_answer_that_was_followed_by_another_is_left_alone() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let messages = vec![
            message("q1", "Go"),
            answer("a1", "Half", Some(Outcome::Interrupted)),
            message("q2", "Go on"),
            answer("a2", "Whole", Some(Outcome::Completed)),
        ];
        browser.load(conversation(1), messages);
        assert_eq!(store.conversation.interrupted.get_untracked(), None);
    });
}

#[test]
fn a_running_answer_that_lost_its_connection_waits_for_it() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), vec![message("q", "Go")]);
        let request = RequestId::new("r").unwrap();
        let chunks = [
            json!({"type": "start", "messageId": "a"}),
            json!({"type": "start-step"}),
            json!({"type": "text-start", "id": "t"}),
        ];
        for (seq, chunk) in chunks.into_iter().enumerate() {
            let chunk: Chunk = serde_json::from_value(chunk).unwrap();
            let chunk = ChatResponse::chunk(request.clone(), seq as u64, &chunk);
            socket.receive(&ServerFrame::ChatResponse(chunk));
        }
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Writing);
        assert!(!untrack(|| store.is_reconnecting()));
        socket.close(1006);
        assert!(untrack(|| store.is_reconnecting()));
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Writing);
    });
}

#[test]
fn a_message_that_is_on_its_way_can_be_taken_back_without_a_connection() {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        browser.load(conversation(1), Vec::new()).close(1006);
        store.write("Hello".to_owned());
        store.send();
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Sending);
        store.stop();
        assert_eq!(store.conversation.draft.get_untracked(), "Hello");
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Idle);
    });
}

#[test]
fn an_answer_of_which_nothing_is_to_be_seen_is_awaited() {
    with_a_queue(|store, socket| {
        let send = |seq, chunk| {
            let chunk: Chunk = serde_json::from_value(chunk).unwrap();
            let frame = ChatResponse::chunk(RequestId::new("r1").unwrap(), seq, &chunk);
            socket.receive(&ServerFrame::ChatResponse(frame));
            store.conversation.progress.get_untracked()
        };
        assert_eq!(send(1, json!({"type": "start-step"})), Progress::Awaited);
        assert_eq!(
            send(2, json!({"type": "text-start", "id": "t"})),
            Progress::Writing
        );
    });
}
