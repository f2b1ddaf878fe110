//! Frames as the published client of the Agents SDK writes them, and as its server does where ours must agree.

use crate::support::{call_id, message_id, request_id};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ClientFrame, ClientKind, ServerFrame, Trigger};
use flarebot_protocol::message::Outcome;
use serde_json::json;

fn parse(text: &str) -> ClientFrame {
    ClientFrame::parse(text).unwrap()
}

#[test]
fn its_calls_are_read() {
    let frame =
        parse(r#"{"args":[2,3],"id":"9b2e7f54-5a0c-4f3d-8f6a-1c2d3e4f5a6b","method":"add","type":"rpc"}"#);
    let expected = ClientFrame::Rpc {
        id: call_id("9b2e7f54-5a0c-4f3d-8f6a-1c2d3e4f5a6b"),
        method: "add".to_owned(),
        arguments: vec![json!(2), json!(3)],
    };
    assert_eq!(frame, expected);
}

#[test]
fn its_attempt_to_set_the_state_is_known_for_what_it_is() {
    let text = r#"{"state":{"count":2},"type":"cf_agent_state"}"#;
    assert_eq!(parse(text), ClientFrame::State);
}

#[test]
fn its_chat_requests_are_read() {
    let text = r#"{"id":"req-1a2b","init":{"method":"POST","body":"{\"model\":\"any\",\"clientTools\":[],\"messages\":[{\"id\":\"u1\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"first\"}],\"metadata\":{\"channel\":\"web\"}},{\"id\":\"a1\",\"role\":\"assistant\",\"parts\":[{\"type\":\"step-start\"},{\"type\":\"tool-look\",\"toolCallId\":\"t\",\"state\":\"output-available\"}]},{\"id\":\"u2\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"second\"}]}],\"trigger\":\"submit-message\"}","headers":{}},"type":"cf_agent_use_chat_request"}"#;
    let ClientFrame::Chat(request) = parse(text) else {
        panic!("a chat request");
    };
    assert_eq!(request.id, request_id("req-1a2b"));
    assert_eq!(request.message.id, message_id("u2"));
    assert_eq!(
        (request.message.text().as_str(), request.trigger),
        ("second", Trigger::Submit)
    );
}

#[test]
fn its_regeneration_is_read() {
    let text = r#"{"type":"cf_agent_use_chat_request","id":"r","init":{"method":"POST","body":"{\"messages\":[{\"id\":\"u\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"again\"}]}],\"trigger\":\"regenerate-message\",\"messageId\":\"a\"}"}}"#;
    let ClientFrame::Chat(request) = parse(text) else {
        panic!("a chat request");
    };
    assert_eq!(request.trigger, Trigger::Regenerate);
}

#[test]
fn its_cancel_clear_and_resumption_are_read() {
    let id = request_id("req-1a2b");
    assert_eq!(
        parse(r#"{"id":"req-1a2b","type":"cf_agent_chat_request_cancel"}"#),
        ClientFrame::Cancel { id: id.clone() }
    );
    assert_eq!(parse(r#"{"type":"cf_agent_chat_clear"}"#), ClientFrame::Clear);
    assert_eq!(
        parse(r#"{"type":"cf_agent_chat_messages","messages":[]}"#),
        ClientFrame::PushedTranscript
    );
    assert_eq!(
        parse(r#"{"type":"cf_agent_stream_resume_request","probeId":"probe-1a2b"}"#),
        ClientFrame::ResumeRequest {
            probe_id: Some("probe-1a2b".to_owned())
        }
    );
    assert_eq!(
        parse(r#"{"type":"cf_agent_stream_resume_request"}"#),
        ClientFrame::ResumeRequest { probe_id: None }
    );
    assert_eq!(
        parse(r#"{"id":"req-1a2b","type":"cf_agent_stream_resume_ack"}"#),
        ClientFrame::ResumeAcknowledge { id }
    );
}

#[test]
fn what_it_knows_no_frame_for_is_answered_by_a_failed_call() {
    let fault = ClientFrame::parse(r#"{"type":"no_such_type"}"#).unwrap_err();
    assert!(matches!(
        ClientFrame::parse(r#"{"id":"x","type":"rpc"}"#).unwrap_err().answer(ClientKind::Sdk),
        ServerFrame::Rpc(reply) if reply.id == "x" && !reply.success
    ));
    assert!(matches!(fault.answer(ClientKind::Sdk), ServerFrame::Rpc(reply) if reply.id.is_empty()));
}

#[test]
fn the_frames_of_its_own_server_mean_the_same_here() {
    let chunk = r#"{"body":"{\"type\":\"start\",\"messageId\":\"a1\"}","done":false,"id":"r","type":"cf_agent_use_chat_response","replay":true,"seq":0,"continuation":true}"#;
    let Ok(ServerFrame::ChatResponse(response)) = serde_json::from_str(chunk) else {
        panic!("a piece of an answer");
    };
    assert_eq!((response.seq, response.replay), (Some(0), Some(true)));
    let start: Chunk = serde_json::from_str(&response.body).unwrap();
    assert!(matches!(start, Chunk::Start { message_id, .. } if message_id.as_str() == "a1"));

    let end = r#"{"type":"cf_agent_use_chat_response","id":"r","body":"","done":true,"outcome":"aborted","messageIds":["u1"]}"#;
    let Ok(ServerFrame::ChatResponse(response)) = serde_json::from_str(end) else {
        panic!("the end of an answer");
    };
    assert_eq!(response.outcome, Some(Outcome::Aborted));
    assert_eq!(response.message_ids, Some(vec![message_id("u1")]));

    let failure = r#"{"type":"cf_agent_use_chat_response","id":"r","body":"Busy.","done":false,"error":true,"messageIds":["u1"]}"#;
    let Ok(ServerFrame::ChatResponse(response)) = serde_json::from_str(failure) else {
        panic!("a failure");
    };
    assert_eq!((response.error, response.is_refusal()), (Some(true), false));
}
