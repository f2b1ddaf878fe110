//! What tools ask the owner, decided here or in another tab, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::store::{Deciding, Progress, ShownState, Store};
use flarebot_protocol::address::Page;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ChatResponse, RunningTurn, ServerFrame};
use flarebot_protocol::message::{Approval, Decision, Message, Part, ToolPart, ToolState};
use flarebot_protocol::{MessageId, RequestId};
use leptos::prelude::*;
use serde_json::json;
use std::rc::Rc;
use support::{Fake, FakeSocket, Storage, answer, conversation, message, summary, with_page};

fn question() -> Approval {
    Approval::asked("a1/call")
}

fn with_state(state: ToolState) -> Message {
    let mut answer = answer("a1", "", None);
    answer.parts = vec![Part::Tool(ToolPart::new("call", "order", state))];
    answer.metadata = None;
    answer
}

fn waiting() -> Message {
    with_state(ToolState::ApprovalRequested {
        input: json!({}),
        approval: question(),
    })
}

fn answered(approved: bool) -> Message {
    with_state(ToolState::ApprovalResponded {
        input: json!({}),
        approval: question().answered(approved, None),
    })
}

/// A conversation whose answer waits for the owner.
fn with_a_question(test: impl FnOnce(Store, Rc<FakeSocket>)) {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), vec![message("q1", "Order it."), waiting()]);
        test(store, socket);
    });
}

fn decide(store: Store, decision: Decision) {
    store.decide(
        MessageId::new("a1").unwrap(),
        "call".to_owned(),
        &question(),
        decision,
    );
}

fn deciding(store: Store) -> Option<Deciding> {
    untrack(|| store.deciding(&question()))
}

fn shown(store: Store) -> (Message, ShownState) {
    let line = store.conversation.lines.get_untracked()[1].shown.get_untracked();
    (line.message, line.state)
}

#[test]
fn a_decision_names_its_call_and_is_under_way_until_the_server_has_it() {
    with_a_question(|store, socket| {
        assert_eq!(
            store.conversation.progress.get_untracked(),
            Progress::Idle,
            "the composer is free"
        );
        decide(store, Decision::Approved);
        assert_eq!(socket.last("rpc")["method"], "decideApproval");
        assert_eq!(socket.last("rpc")["args"], json!(["a1", "call", "approved"]));
        assert_eq!(deciding(store), Some(Deciding::UnderWay));
        decide(store, Decision::Declined);
        assert_eq!(socket.count("rpc"), 1, "one decision at a time");
        socket.receive(&ServerFrame::Message {
            message: answered(true),
        });
        socket.reply("decideApproval", Ok(json!(null)));
        assert_eq!(deciding(store), None);
        assert_eq!(shown(store), (answered(true), ShownState::Settled));
    });
}

#[test]
fn a_decision_that_does_not_count_says_why_and_can_be_made_again() {
    with_a_question(|store, socket| {
        decide(store, Decision::Declined);
        socket.reply("decideApproval", Err("Your decision could not be stored."));
        let refused = Deciding::Refused("Your decision could not be stored.".to_owned());
        assert_eq!(deciding(store), Some(refused));
        decide(store, Decision::Declined);
        assert_eq!(socket.last("rpc")["args"], json!(["a1", "call", "declined"]));
        assert_eq!(deciding(store), Some(Deciding::UnderWay));
    });
}

#[test]
fn what_another_tab_decides_shows_here() {
    with_a_question(|store, socket| {
        socket.receive(&ServerFrame::Message {
            message: answered(false),
        });
        assert_eq!(shown(store), (answered(false), ShownState::Settled));
    });
}

#[test]
fn an_answer_that_pauses_is_idle_and_goes_on_where_it_stands() {
    with_a_question(|store, socket| {
        let chunk = |value| -> Chunk { serde_json::from_value(value).unwrap() };
        let chunks = vec![
            chunk(json!({"type": "start", "messageId": "a1"})),
            chunk(
                json!({"type": "tool-input-available", "toolCallId": "call", "toolName": "order", "input": {}}),
            ),
            chunk(json!({"type": "tool-approval-request", "approvalId": "a1/call", "toolCallId": "call"})),
            chunk(json!({"type": "tool-approval-response", "approvalId": "a1/call", "approved": true})),
        ];
        let stream = RequestId::new("r1~2").unwrap();
        socket.receive(&ServerFrame::Running(RunningTurn {
            request_id: stream.clone(),
            message_id: MessageId::new("a1").unwrap(),
            user_message_id: Some(MessageId::new("q1").unwrap()),
            chunks,
            next_seq: 4,
        }));
        let (message, state) = shown(store);
        assert_eq!(
            (message.parts, state),
            (answered(true).parts, ShownState::Running)
        );
        assert_eq!(
            store.conversation.lines.get_untracked().len(),
            2,
            "in its own place"
        );
        // It pauses once more.
        for (seq, value) in (4..).zip([
            json!({"type": "tool-output-available", "toolCallId": "call", "output": 1}),
            json!({"type": "tool-input-available", "toolCallId": "next", "toolName": "order", "input": {}}),
            json!({"type": "tool-approval-request", "approvalId": "a1/next", "toolCallId": "next"}),
        ]) {
            let response = ChatResponse::chunk(stream.clone(), seq, &chunk(value));
            socket.receive(&ServerFrame::ChatResponse(response));
        }
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Writing);
        socket.receive(&ServerFrame::ChatResponse(ChatResponse::paused(
            stream,
            Vec::new(),
        )));
        let (message, state) = shown(store);
        assert_eq!((message.parts.len(), state), (2, ShownState::Settled));
        assert_eq!(store.conversation.progress.get_untracked(), Progress::Idle);
        assert_eq!(
            store.announcement.get_untracked(),
            "Flarebot waits for your decision"
        );
    });
}
