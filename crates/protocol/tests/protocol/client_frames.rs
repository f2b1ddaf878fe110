//! Every frame of a client: what its text is read as, and that it is written back.

use crate::support::{call_id, message_id, request_id};
use flarebot_protocol::frame::{ChatRequest, ClientFrame, Trigger};
use flarebot_protocol::message::{Decision, Message, Part, Role};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str) -> String {
    let frame = ClientFrame::parse(text).unwrap();
    assert_eq!(ClientFrame::parse(&frame.text()), Ok(frame.clone()));
    format!("{text}\n\n{frame:#?}\n\n{}", frame.text())
}

#[test]
fn every_frame_is_read() {
    assert_snapshot!(
        "client_rpc",
        read(r#"{"type":"rpc","id":"call","method":"createConversation","args":["Research"]}"#)
    );
    assert_snapshot!(
        "client_state",
        read(r#"{"type":"cf_agent_state","state":{"injected":true}}"#)
    );
    assert_snapshot!(
        "client_chat",
        read(
            r#"{"type":"cf_agent_use_chat_request","id":"request","init":{"method":"POST","body":"{\"messages\":[{\"id\":\"question\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"Hello?\"}]}],\"trigger\":\"submit-message\"}"}}"#
        )
    );
    assert_snapshot!(
        "client_chat_regenerate",
        read(
            r#"{"type":"cf_agent_use_chat_request","id":"request","init":{"method":"POST","body":"{\"messages\":[{\"id\":\"question\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"Hello?\"}]}],\"trigger\":\"regenerate-message\"}"}}"#
        )
    );
    assert_snapshot!(
        "client_cancel",
        read(r#"{"type":"cf_agent_chat_request_cancel","id":"request"}"#)
    );
    assert_snapshot!(
        "client_tool_approval",
        read(
            r#"{"type":"cf_agent_tool_approval","toolCallId":"call-0","approved":true,"autoContinue":true}"#
        )
    );
    assert_snapshot!(
        "client_tool_denial",
        read(r#"{"type":"cf_agent_tool_approval","toolCallId":"call-0","approved":false}"#)
    );
    assert_snapshot!("client_clear", read(r#"{"type":"cf_agent_chat_clear"}"#));
    assert_snapshot!(
        "client_pushed_transcript",
        read(r#"{"type":"cf_agent_chat_messages","messages":[{"any":"thing"}]}"#)
    );
    assert_snapshot!(
        "client_resume_request",
        read(r#"{"type":"cf_agent_stream_resume_request","probeId":"probe"}"#)
    );
    assert_snapshot!(
        "client_resume_acknowledge",
        read(r#"{"type":"cf_agent_stream_resume_ack","id":"request"}"#)
    );
}

#[test]
fn what_a_client_adds_is_ignored() {
    let text =
        r#" {"extra":{"deep":[1,2]},"id":"request","type":"cf_agent_chat_request_cancel","method":null}"#;
    let id = request_id("request");
    assert_eq!(ClientFrame::parse(text), Ok(ClientFrame::Cancel { id }));
}

#[test]
fn only_the_last_message_of_a_request_is_read() {
    let body = serde_json::json!({
        "model": "ignored",
        "messages": [
            {"anything": "at all"},
            {
                "id": "question",
                "role": "user",
                "metadata": {"createdAt": 1},
                "parts": [
                    {"type": "text", "text": "One. ", "state": "done", "providerMetadata": {}},
                    {"type": "text", "text": "Two."},
                ],
            },
        ],
    });
    let frame = serde_json::json!({
        "type": "cf_agent_use_chat_request",
        "id": "request",
        "init": {"method": "POST", "body": body.to_string()},
    });
    let Ok(ClientFrame::Chat(request)) = ClientFrame::parse(&frame.to_string()) else {
        panic!("a chat request");
    };
    assert_eq!(request.trigger, Trigger::Submit);
    assert_eq!(request.message.text(), "One. Two.");
    assert_eq!(request.message.metadata, None);
}

#[test]
fn a_long_probe_is_cut() {
    let text = format!(
        r#"{{"type":"cf_agent_stream_resume_request","probeId":"{}"}}"#,
        "é".repeat(10_000)
    );
    let probe_id = Some("é".repeat(64));
    assert_eq!(
        ClientFrame::parse(&text),
        Ok(ClientFrame::ResumeRequest { probe_id })
    );
}

fn frames() -> impl Strategy<Value = ClientFrame> {
    let id = "[!-~]{1,128}";
    let original = "[!-}]{1,117}";
    let text = "[^ ]\\PC{0,40}";
    prop_oneof![
        (
            id,
            text,
            prop::collection::vec(any::<i32>().prop_map(Value::from), 0..4)
        )
            .prop_map(|(id, method, arguments)| ClientFrame::Rpc {
                id: call_id(&id),
                method,
                arguments,
            }),
        (original, id, prop::collection::vec(text, 1..3), any::<bool>()).prop_map(
            |(id, message, texts, again)| {
                ClientFrame::Chat(ChatRequest {
                    id: request_id(&id),
                    message: Message {
                        id: message_id(&message),
                        role: Role::User,
                        parts: texts
                            .into_iter()
                            .map(|text| Part::Text { text, state: None })
                            .collect(),
                        metadata: None,
                    },
                    trigger: if again {
                        Trigger::Regenerate
                    } else {
                        Trigger::Submit
                    },
                })
            }
        ),
        id.prop_map(|id| ClientFrame::Cancel { id: request_id(&id) }),
        ("\\PC{0,40}", any::<bool>()).prop_map(|(tool_call_id, approved)| ClientFrame::ToolApproval {
            tool_call_id,
            decision: Decision::of(approved),
        }),
        id.prop_map(|id| ClientFrame::ResumeAcknowledge { id: request_id(&id) }),
        prop::option::of("\\PC{0,64}").prop_map(|probe_id| ClientFrame::ResumeRequest { probe_id }),
    ]
}

/// Arbitrary JSON whose keys and texts are often those of the protocol.
fn json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "type",
        "id",
        "method",
        "args",
        "init",
        "body",
        "probeId",
        "toolCallId",
        "approved",
        "cf_agent_tool_approval",
        "rpc",
        "cf_agent_state",
        "cf_agent_use_chat_request",
        "cf_agent_chat_request_cancel",
        "cf_agent_stream_resume_request",
        "cf_agent_stream_resume_ack",
        "{\"messages\":[]}",
        "{\"messages\":[{\"id\":\"a\",\"role\":\"user\",\"parts\":[{}]}]}",
        "[[\"a\",\"user\",[[\"text\",\"x\"]]],null]",
    ])
    .prop_map(str::to_owned);
    let text = prop_oneof![words, "\\PC{0,12}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_back(frame in frames()) {
        let blank = matches!(&frame, ClientFrame::Chat(request) if request.message.text().trim().is_empty());
        prop_assume!(!blank);
        prop_assert_eq!(ClientFrame::parse(&frame.text()), Ok(frame));
    }

    #[test]
    fn arbitrary_text_is_read_or_refused(text in any::<String>()) {
        let _ = ClientFrame::parse(&text);
    }

    #[test]
    fn arbitrary_json_is_read_or_refused(value in json()) {
        if ClientFrame::parse(&value.to_string()).is_ok() {
            prop_assert!(value.is_object());
        }
    }

    #[test]
    fn a_frame_with_arbitrary_fields_is_read_or_refused(
        kind in prop::sample::select(vec!["rpc", "cf_agent_use_chat_request", "cf_agent_chat_request_cancel"]),
        fields in prop::collection::btree_map(
            prop::sample::select(vec!["id", "method", "args", "init"]).prop_map(str::to_owned), json(), 0..4),
    ) {
        let mut frame: serde_json::Map<String, Value> = fields.into_iter().collect();
        frame.insert("type".to_owned(), kind.into());
        let _ = ClientFrame::parse(&Value::Object(frame).to_string());
    }
}
