//! The agent's socket: what comes first, what a client may not do, and that nothing it sends ends it.

use crate::recovery::held;
use flarebot_protocol::MAXIMUM_FRAME_BYTES;
use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{CreateConversation, FailureCode, GetStatus, ListConversations};
use flarebot_protocol::frame::{AgentKind, ErrorFrame, ServerFrame};
use flarebot_tests::client::{Answer, Socket};
use flarebot_tests::{Installation, PATIENCE};
use serde_json::json;
use std::time::Duration;

fn expect_error(socket: &mut Socket, what: &str) -> ErrorFrame {
    socket.expect(what, |frame| match frame {
        ServerFrame::Error(error) => Some(error.clone()),
        _ => None,
    })
}

#[test]
fn the_agent_introduces_itself_with_identity_state_and_conversations() {
    let installation = Installation::start();
    let mut page = installation.agent();
    let identity = page.next_within(PATIENCE).unwrap();
    assert_eq!(
        identity,
        ServerFrame::Identity {
            name: "personal".to_owned(),
            agent: AgentKind::PersonalAgent,
            state_follows: true,
        }
    );
    assert!(matches!(
        page.next_within(PATIENCE),
        Some(ServerFrame::State { .. })
    ));
    assert!(matches!(
        page.next_within(PATIENCE),
        Some(ServerFrame::Conversations { .. })
    ));
}

#[test]
fn a_client_of_the_sdk_gets_no_frame_that_it_does_not_know() {
    let installation = Installation::start();
    let mut client = installation.sdk_connection(Endpoint::Agent).open().unwrap();
    drop(installation.create("Something that happens"));
    client.call(&GetStatus {}).unwrap();
    client.send(&json!({ "type": "no_such_type" }));
    let frames = client.drain(Duration::from_millis(500));
    let unknown = frames.iter().find(|frame| {
        let text = serde_json::to_string(frame).unwrap();
        text.contains("\"type\":\"flarebot_")
    });
    assert_eq!(unknown, None);
}

/// The offer was made while the answer ran, and is accepted when it has ended.
#[test]
fn an_answer_that_ended_between_the_offer_and_its_acceptance_is_replayed_whole() {
    let installation = Installation::start();
    let (id, mut page) = installation.new_conversation("Late");
    let script = held("late");
    let request = page.say(&script.to_string());
    installation
        .provider
        .wait_for("late", PATIENCE, |exchange| exchange.pieces >= 20);
    let mut client = installation
        .sdk_connection(Endpoint::Conversation(id))
        .open()
        .unwrap();
    let offered = client.expect("an offer", |frame| match frame {
        ServerFrame::StreamResuming { id, .. } => Some(id.clone()),
        _ => None,
    });
    assert_eq!(offered, request);
    installation.provider.release("late");
    page.answer(&request);
    client.send(&json!({ "type": "cf_agent_stream_resume_ack", "id": offered }));
    let mut answer = Answer::to(&request);
    client.expect("the end of the replay", |frame| {
        if let ServerFrame::ChatResponse(response) = frame {
            answer.take(response);
        }
        answer.outcome
    });
    assert_eq!(answer.text(), script.whole_text());
}

#[test]
fn two_clients_see_the_same_list() {
    let installation = Installation::start();
    let mut first = installation.agent();
    let mut second = installation.agent();
    let created = first.call(&CreateConversation { name: None }).unwrap();
    assert_eq!(created.name, "New conversation");
    let told = second.expect("the list with the new conversation", |frame| match frame {
        ServerFrame::Conversations { conversations, .. } if !conversations.is_empty() => {
            Some(conversations.clone())
        }
        _ => None,
    });
    assert_eq!(told, [created]);
    assert_eq!(second.call(&ListConversations {}).unwrap(), told);
}

#[test]
fn no_client_sets_the_state() {
    let installation = Installation::start();
    let mut first = installation.agent();
    let mut second = installation.agent();
    let before = first.call(&GetStatus {}).unwrap();
    first.send(&json!({
        "type": "cf_agent_state",
        "state": { "schemaVersion": 999, "createdAt": "never", "injected": true },
    }));
    first.expect("a refusal", |frame| match frame {
        ServerFrame::StateError { error } => Some(error.clone()),
        _ => None,
    });
    let state_changed = |frame: &ServerFrame| matches!(frame, ServerFrame::State { .. }).then_some(());
    second.expect("the state at connect", state_changed);
    assert_eq!(
        second.find_within(Duration::from_millis(500), state_changed),
        None
    );
    assert_eq!(first.call(&GetStatus {}).unwrap(), before);
}

#[test]
fn a_wrong_call_is_answered_with_what_is_wrong() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    for (method, arguments, code) in [
        ("noSuchMethod", json!([]), FailureCode::UnknownMethod),
        ("constructor", json!([]), FailureCode::UnknownMethod),
        ("__proto__", json!([]), FailureCode::UnknownMethod),
        ("getHistory", json!([]), FailureCode::UnknownMethod),
        ("getStatus", json!([1]), FailureCode::InvalidArguments),
        ("createConversation", json!([7]), FailureCode::InvalidArguments),
        (
            "createConversation",
            json!(["a", "b"]),
            FailureCode::InvalidArguments,
        ),
        ("renameConversation", json!([]), FailureCode::InvalidArguments),
        (
            "renameConversation",
            json!(["not-a-uuid", "Name"]),
            FailureCode::InvalidArguments,
        ),
        (
            "deleteConversation",
            json!(["../personal"]),
            FailureCode::InvalidArguments,
        ),
        (
            "renameConversation",
            json!(["0191e7a0-5b1c-7cc0-8000-000000000001", "Name"]),
            FailureCode::NotFound,
        ),
    ] {
        let reply = agent.call_method(method, arguments.as_array().unwrap());
        assert!(!reply.success, "{method} {arguments}");
        assert_eq!(reply.code, Some(code), "{method} {arguments}");
        assert!(
            reply.error.is_some_and(|error| !error.is_empty()),
            "{method} {arguments}"
        );
    }
    assert!(agent.call(&ListConversations {}).unwrap().is_empty());
}

/// Everything that is not a frame of the protocol, as text.
fn malformed() -> Vec<String> {
    let mut frames: Vec<String> = [
        "",
        "not json",
        "null",
        "[]",
        "\"text\"",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"no_such_type\"}",
        "{\"type\":\"rpc\"}",
        "{\"type\":\"rpc\",\"id\":7,\"method\":\"getStatus\",\"args\":[]}",
        "{\"type\":\"cf_agent_chat_request_cancel\"}",
        "\u{0}",
    ]
    .map(str::to_owned)
    .into();
    frames.push("[".repeat(100_000));
    frames.push(format!("{{\"type\":\"{}\"}}", "x".repeat(100_000)));
    frames
}

#[test]
fn a_malformed_frame_is_answered_and_the_socket_lives_on() {
    let installation = Installation::start();
    let (_, conversation) = installation.new_conversation("Malformed");
    for mut socket in [installation.agent(), conversation] {
        for text in malformed() {
            let what = format!("an error frame for {:?}", &text[..text.len().min(80)]);
            socket.send_text(text);
            let error = expect_error(&mut socket, &what);
            assert_eq!(error.code, FailureCode::InvalidFrame);
            assert!(error.error.len() < 300, "{error:?}");
        }
        socket.send_binary(&[0, 159, 146, 150]);
        expect_error(&mut socket, "an error frame for a binary frame");
        socket.send_text("x".repeat(MAXIMUM_FRAME_BYTES + 1));
        expect_error(&mut socket, "an error frame for an oversized frame");
        socket.send_binary(&vec![0; MAXIMUM_FRAME_BYTES + 1]);
        expect_error(&mut socket, "an error frame for an oversized binary frame");
        assert_eq!(socket.closed(), None);
    }
    installation.agent().call(&GetStatus {}).unwrap();
}

#[test]
fn a_call_without_method_or_arguments_fails_by_its_id() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    for frame in [
        json!({ "type": "rpc", "id": "c" }),
        json!({ "type": "rpc", "id": "c", "method": "getStatus" }),
        json!({ "type": "rpc", "id": "c", "method": 7, "args": [] }),
        json!({ "type": "rpc", "id": "c", "method": "getStatus", "args": {} }),
    ] {
        agent.send(&frame);
        let reply = agent.expect("a failed call", |frame| match frame {
            ServerFrame::Rpc(reply) if reply.id == "c" => Some(reply.clone()),
            _ => None,
        });
        assert!(!reply.success && reply.error.is_some(), "{frame}");
    }
}

#[test]
fn the_agent_does_not_chat() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    let request = agent.say("Hello?");
    let refused = agent.expect("a refusal", |frame| match frame {
        ServerFrame::ChatResponse(response) if response.id == request => Some(response.clone()),
        _ => None,
    });
    assert!(refused.done && refused.error == Some(true), "{refused:?}");
    assert!(installation.provider.exchanges().is_empty());
}
