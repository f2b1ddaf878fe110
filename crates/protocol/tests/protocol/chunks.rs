//! Every chunk as text, and that it is read back.

use crate::support::{message_id, start, text_delta, text_start};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::Metadata;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn every_chunk_has_its_text_and_is_read_back() {
    let id = || "reasoning-0".to_owned();
    let (call, tool) = (|| "call-0".to_owned(), || "current_time".to_owned());
    let metadata = Metadata {
        model: Some("small".to_owned()),
        ..Metadata::default()
    };
    let finish = |finish_reason, message_metadata| Chunk::Finish {
        finish_reason,
        message_metadata,
    };
    let chunks = [
        start("answer"),
        Chunk::Start {
            message_id: message_id("answer"),
            message_metadata: Some(metadata.clone()),
        },
        Chunk::StartStep,
        text_start("text-0"),
        text_delta("text-0", "Hello"),
        Chunk::TextEnd {
            id: "text-0".to_owned(),
        },
        Chunk::ReasoningStart { id: id() },
        Chunk::ReasoningDelta {
            id: id(),
            delta: "Hm".to_owned(),
        },
        Chunk::ReasoningEnd { id: id() },
        Chunk::ToolInputStart {
            tool_call_id: call(),
            tool_name: tool(),
        },
        Chunk::ToolInputAvailable {
            tool_call_id: call(),
            tool_name: tool(),
            input: json!({"zone": "UTC"}),
        },
        Chunk::ToolInputError {
            tool_call_id: call(),
            tool_name: tool(),
            input: json!("{zone"),
            error_text: "The input is no JSON object.".to_owned(),
        },
        Chunk::ToolApprovalRequest {
            approval_id: "answer/call-0".to_owned(),
            tool_call_id: call(),
        },
        Chunk::ToolApprovalResponse {
            approval_id: "answer/call-0".to_owned(),
            approved: true,
            reason: None,
        },
        Chunk::ToolApprovalResponse {
            approval_id: "answer/call-0".to_owned(),
            approved: false,
            reason: Some("Not today.".to_owned()),
        },
        Chunk::ToolOutputAvailable {
            tool_call_id: call(),
            output: json!("10 %"),
            preliminary: Some(true),
        },
        Chunk::ToolOutputAvailable {
            tool_call_id: call(),
            output: json!({"time": "12:00"}),
            preliminary: None,
        },
        Chunk::ToolOutputError {
            tool_call_id: call(),
            error_text: "The clock has stopped.".to_owned(),
        },
        Chunk::ToolOutputDenied { tool_call_id: call() },
        Chunk::FinishStep,
        finish(None, None),
        finish(Some(FinishReason::Stop), Some(metadata)),
        finish(Some(FinishReason::Length), None),
        finish(Some(FinishReason::ToolCalls), None),
        finish(Some(FinishReason::ContentFilter), None),
        finish(Some(FinishReason::Other), None),
        Chunk::Abort,
        Chunk::Error {
            error_text: "The model is busy. Try again.".to_owned(),
        },
    ];
    let mut texts = String::new();
    for chunk in chunks {
        let text = serde_json::to_string(&chunk).unwrap();
        assert_eq!(serde_json::from_str::<Chunk>(&text).unwrap(), chunk);
        texts.push_str(&text);
        texts.push('\n');
    }
    assert_snapshot!("chunks", texts);
}
