//! Facts are the owner's alone: nobody else reaches them, and nothing that is not asked for them holds one.

use super::{FACT, add, ask_with_calls, call, list};
use flarebot_protocol::address::{AGENT_STATUS, Endpoint};
use flarebot_tests::Installation;
use flarebot_tests::client::Refused;
use flarebot_tests::client::http::Request;
use serde_json::json;
use std::time::Duration;

#[test]
fn without_the_owner_s_session_or_from_another_origin_there_is_no_memory() {
    let installation = Installation::start();
    add(&installation, FACT);
    let connection = installation.connection(Endpoint::Agent);
    let mut stranger = connection.clone();
    stranger.cookie = None;
    assert_eq!(stranger.open().unwrap_err(), Refused { status: 401 });
    let mut foreign = connection.clone();
    foreign.origin = Some("https://attacker.example".to_owned());
    assert_eq!(foreign.open().unwrap_err(), Refused { status: 403 });
    let mut expired = connection;
    expired.cookie = Some(installation.credentials.expired_cookie());
    assert_eq!(expired.open().unwrap_err(), Refused { status: 401 });
    assert_eq!(list(&installation).len(), 1);
}

#[test]
fn no_state_no_page_and_no_label_holds_a_fact() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Memory");
    let quiet = installation.create("Quiet").id;
    let remember = call("remember", json!({ "content": FACT }));
    ask_with_calls(&installation, &mut socket, "Remember it", vec![remember]);
    let record = installation.record();
    // What a page and a client of the SDK get by themselves; the conversation in which it was told has it in its own
    // transcript, where the owner reads it.
    for endpoint in [Endpoint::Agent, Endpoint::Conversation(quiet)] {
        for connection in [
            installation.connection(endpoint),
            installation.sdk_connection(endpoint),
        ] {
            connection.open().unwrap().drain(Duration::from_millis(300));
        }
    }
    add(&installation, "The owner likes tea.");
    for path in ["/", "/settings", &format!("/conversations/{id}"), AGENT_STATUS] {
        let with_session = installation.owner_request("GET", path);
        for request in [with_session, Request::new("GET", path)] {
            drop(installation.send(&request));
        }
    }
    let received = record.received();
    assert!(received.frames.len() > 4 && received.responses.len() == 8);
    let frames = received.frames.iter().map(|frame| frame.clone().into_bytes());
    for bytes in frames.chain(received.responses) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("allergic"), "{text}");
    }
}
