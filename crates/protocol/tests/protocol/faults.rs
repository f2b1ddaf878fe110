//! Every way in which a frame can be wrong, with the frame that answers it for both kinds of client.

use crate::support::chat;
use flarebot_protocol::frame::{ClientFrame, ClientKind, FrameFault};
use flarebot_protocol::{MAXIMUM_FRAME_BYTES, MAXIMUM_MESSAGE_BYTES};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn answers(fault: &FrameFault) -> String {
    let text = |client| serde_json::to_string(&fault.clone().answer(client)).unwrap();
    let (page, sdk) = (text(ClientKind::Flarebot), text(ClientKind::Sdk));
    if page == sdk {
        format!("  both: {page}\n")
    } else {
        format!("  page: {page}\n  SDK:  {sdk}\n")
    }
}

fn chat_frame(body: &Value) -> String {
    json!({"type": "cf_agent_use_chat_request", "id": "r", "init": {"body": body.to_string()}}).to_string()
}

fn chat_message(message: &Value) -> String {
    chat_frame(&json!({"messages": [message]}))
}

fn user(parts: &Value) -> String {
    chat_message(&json!({"id": "m", "role": "user", "parts": parts}))
}

fn table(frames: &[(&str, String)]) -> String {
    let mut table = String::new();
    for (name, text) in frames {
        let fault = ClientFrame::parse(text).expect_err(name);
        table.push_str(&format!("{name}\n{}", answers(&fault)));
    }
    table
}

fn plain(name: &'static str, text: &str) -> (&'static str, String) {
    (name, text.to_owned())
}

#[test]
fn a_frame_that_is_no_frame() {
    assert_snapshot!(
        "faults_frame",
        table(&[
            plain("nothing", ""),
            plain("a word", "ping"),
            plain("half an object", r#"{"type":"rpc""#),
            plain(
                "two objects",
                r#"{"type":"cf_agent_chat_clear"}{"type":"cf_agent_chat_clear"}"#
            ),
            plain("null", "null"),
            plain("a text", r#""rpc""#),
            plain("an array", "[]"),
            plain(
                "the fields of a call as an array",
                r#"["rpc","c","getStatus",[],null,null]"#
            ),
            plain("no type", r#"{"id":"c","method":"getStatus","args":[]}"#),
            plain("a type that is no text", r#"{"type":1}"#),
            plain("a field twice", r#"{"type":"rpc","type":"rpc"}"#),
            plain("an unknown type", r#"{"type":"no_such_type"}"#),
            plain(
                "a frame of the server",
                r#"{"type":"cf_agent_identity","name":"x"}"#
            ),
            (
                "an endless type",
                json!({"type": "x".repeat(100_000)}).to_string()
            ),
            (
                "deeper than is read",
                format!("{}{}", r#"{"type":"rpc","args":"#, "[".repeat(100_000))
            ),
            ("too large", " ".repeat(MAXIMUM_FRAME_BYTES + 1)),
        ])
    );
}

#[test]
fn a_call_of_the_wrong_shape() {
    assert_snapshot!(
        "faults_call",
        table(&[
            plain("no id", r#"{"type":"rpc","method":"getStatus","args":[]}"#),
            plain(
                "a number as id",
                r#"{"type":"rpc","id":7,"method":"getStatus","args":[]}"#
            ),
            plain(
                "an empty id",
                r#"{"type":"rpc","id":"","method":"getStatus","args":[]}"#
            ),
            plain(
                "a blank in the id",
                r#"{"type":"rpc","id":"a b","method":"getStatus","args":[]}"#
            ),
            (
                "a long id",
                json!({"type": "rpc", "id": "x".repeat(129), "method": "m", "args": []}).to_string()
            ),
            plain("no method", r#"{"type":"rpc","id":"c","args":[]}"#),
            plain(
                "a method that is no text",
                r#"{"type":"rpc","id":"c","method":["getStatus"],"args":[]}"#
            ),
            plain("no arguments", r#"{"type":"rpc","id":"c","method":"getStatus"}"#),
            plain(
                "named arguments",
                r#"{"type":"rpc","id":"c","method":"getStatus","args":{}}"#
            ),
        ])
    );
}

#[test]
fn a_request_of_the_wrong_shape() {
    let long = "x".repeat(MAXIMUM_MESSAGE_BYTES / 2 + 1);
    assert_snapshot!(
        "faults_chat",
        table(&[
            plain(
                "no id",
                r#"{"type":"cf_agent_use_chat_request","init":{"body":"{}"}}"#
            ),
            plain(
                "a hostile id",
                r#"{"type":"cf_agent_use_chat_request","id":"\u0000","init":{"body":"{}"}}"#
            ),
            plain(
                "an id of a continuation",
                r#"{"type":"cf_agent_use_chat_request","id":"r~2","init":{"body":"{}"}}"#
            ),
            plain("no init", r#"{"type":"cf_agent_use_chat_request","id":"r"}"#),
            plain(
                "a body that is no text",
                r#"{"type":"cf_agent_use_chat_request","id":"r","init":{"body":{}}}"#
            ),
            plain(
                "a body that is no JSON",
                r#"{"type":"cf_agent_use_chat_request","id":"r","init":{"body":"x"}}"#
            ),
            ("a body as an array", chat_frame(&json!([[], "submit-message"]))),
            ("no messages", chat_frame(&json!({}))),
            ("an empty list", chat_frame(&json!({"messages": []}))),
            (
                "an unknown trigger",
                chat_frame(&json!({"messages": [], "trigger": "other"}))
            ),
            ("a message that is no object", chat_message(&json!("hello"))),
            (
                "a message as an array",
                chat_message(&json!(["m", "user", [["text", "hello"]]]))
            ),
            (
                "a message without id",
                chat_message(&json!({"role": "user", "parts": []}))
            ),
            (
                "a hostile message id",
                chat_message(&json!({"id": "a\nb", "role": "user", "parts": []}))
            ),
            (
                "an unknown role",
                chat_message(&json!({"id": "m", "role": "system", "parts": []}))
            ),
            (
                "the agent's role",
                chat_message(&json!({"id": "m", "role": "assistant", "parts": []}))
            ),
            ("no parts", chat_message(&json!({"id": "m", "role": "user"}))),
            ("an empty message", user(&json!([]))),
            (
                "a blank message",
                user(&json!([{"type": "text", "text": " \n\t\u{3000}"}]))
            ),
            ("a part as an array", user(&json!([["text", "hello"]]))),
            ("a part without type", user(&json!([{"text": "hello"}]))),
            ("a text part without text", user(&json!([{"type": "text"}]))),
            (
                "a part that is no text",
                user(&json!([{"type": "file", "url": "data:,x"}]))
            ),
            (
                "too long in all",
                user(&json!([{"type": "text", "text": long}, {"type": "text", "text": long}]))
            ),
        ])
    );
}

#[test]
fn a_resumption_or_cancel_of_the_wrong_shape() {
    assert_snapshot!(
        "faults_stream",
        table(&[
            plain(
                "a cancel without id",
                r#"{"type":"cf_agent_chat_request_cancel"}"#
            ),
            plain(
                "a cancel of a number",
                r#"{"type":"cf_agent_chat_request_cancel","id":1}"#
            ),
            plain(
                "an approval of nothing",
                r#"{"type":"cf_agent_tool_approval","approved":true}"#
            ),
            plain(
                "an approval that says neither yes nor no",
                r#"{"type":"cf_agent_tool_approval","toolCallId":"c","approved":"yes"}"#
            ),
            plain(
                "an acknowledgement without id",
                r#"{"type":"cf_agent_stream_resume_ack"}"#
            ),
            plain(
                "an acknowledgement of nothing",
                r#"{"type":"cf_agent_stream_resume_ack","id":""}"#
            ),
        ])
    );
}

#[test]
fn what_a_socket_does_not_take() {
    let frames = [
        r#"{"type":"rpc","id":"c","method":"getStatus","args":[]}"#.to_owned(),
        r#"{"type":"cf_agent_state","state":1}"#.to_owned(),
        ClientFrame::Chat(chat("r", "Hello?")).text(),
        r#"{"type":"cf_agent_chat_request_cancel","id":"r"}"#.to_owned(),
        r#"{"type":"cf_agent_tool_approval","toolCallId":"c","approved":true}"#.to_owned(),
        r#"{"type":"cf_agent_chat_clear"}"#.to_owned(),
        r#"{"type":"cf_agent_chat_messages","messages":[]}"#.to_owned(),
        r#"{"type":"cf_agent_stream_resume_request"}"#.to_owned(),
        r#"{"type":"cf_agent_stream_resume_ack","id":"r"}"#.to_owned(),
    ];
    let mut table = format!("binary\n{}", answers(&FrameFault::binary()));
    for text in frames {
        let frame = ClientFrame::parse(&text).unwrap();
        table.push_str(&format!("{text}\n{}", answers(&FrameFault::not_served(&frame))));
    }
    assert_snapshot!("faults_not_served", table);
}

#[test]
fn the_longest_message_is_taken() {
    let text = "x".repeat(MAXIMUM_MESSAGE_BYTES);
    assert!(ClientFrame::parse(&user(&json!([{"type": "text", "text": text}]))).is_ok());
}
